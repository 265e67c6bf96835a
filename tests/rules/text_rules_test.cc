// Rules written as text: what they match and make, and why they refuse.
#include "rules/text/family.h"
#include "rules/text/reader.h"
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

// No rules but those of the text.
Setup written(const std::string& text, hlo::Numerics numerics = hlo::Numerics::kReassoc) {
  Setup setup;
  setup.rules.numerics = numerics;
  setup.families.clear();
  for (const text::TextRuleRef& rule : text::read_rules(text, "test.rules")) {
    setup.families.push_back(text::family_of(rule));
  }
  return setup;
}

const std::string kGatherNegate =
    "rule my-rule negate(all-gather[d, G](x)) = all-gather[d, G](negate(x))";

TEST_CASE("text rules: both directions of an equality") {
  const std::string head = "x = f32[4,8] parameter(0)\n";
  Saturated forward(program(head + "g = f32[16,8] all-gather(x), dimensions={0}" + kOverAll +
                            "\nROOT r = f32[16,8] negate(g)\n"),
                    written(kGatherNegate));
  forward.check_form("r", "all-gather{0}(f32[4,8] negate(x))");
  Saturated backward(program(head +
                             "n = f32[4,8] negate(x)\n"
                             "ROOT r = f32[4,32] all-gather(n), dimensions={1}" +
                             kOverAll + "\n"),
                     written(kGatherNegate));
  backward.check_form("r", "negate(f32[4,32] all-gather{1}(x))");
  // An operation of another name is no match, and no refusal.
  Saturated other(program(head + "g = f32[16,8] all-gather(x), dimensions={0}" + kOverAll +
                          "\nROOT r = f32[16,8] abs(g)\n"),
                  written(kGatherNegate));
  CHECK_FALSE(other.holds("r", "all-gather{0}(_)"));
  CHECK(other.refusal("my-rule") == "");
}

TEST_CASE("text rules: one direction, and a class that is not allowed") {
  const std::string text =
      "rule my-rule class reassoc negate(all-gather[d, G](x)) => all-gather[d, G](negate(x))";
  const std::string module = program(
      "x = f32[4] parameter(0)\nn = f32[4] negate(x)\n"
      "ROOT r = f32[16] all-gather(n), dimensions={0}" +
      kOverAll + "\n");
  CHECK_FALSE(Saturated(module, written(text)).holds("r", "negate(_)"));
  CHECK(Saturated(module, written(kGatherNegate)).holds("r", "negate(_)"));
  Setup exact = written(text, hlo::Numerics::kExact);
  hlo::DeviceCounts counts;
  counts.partitions = 4;
  language::HloGraph graph(counts);
  CHECK(RuleBook(graph, exact.rules, exact.families).set().size() == 0);
}

TEST_CASE("text rules: a directed edge is no equality") {
  const std::string text =
      "rule my-rule class precise\n"
      "convert[t](all-reduce[add, G](x)) ~> all-reduce[add, G](convert[t](x))\n"
      "where float(type(x)), keeps-values(type(x), t)";
  Saturated run(program("x = bf16[8] parameter(0)\n"
                        "s = bf16[8] all-reduce(x), to_apply=add_bf16" +
                        kOverAll + "\nROOT r = f32[8] convert(s)\n"),
                written(text));
  CHECK_FALSE(run.holds("r", "all-reduce(_)"));
  CHECK(run.refines_to("r", "all-reduce(f32[8] convert(x))"));
  Saturated maximum(program("x = bf16[8] parameter(0)\n"
                            "s = bf16[8] all-reduce(x), to_apply=maximum_bf16" +
                            kOverAll + "\nROOT r = f32[8] convert(s)\n"),
                    written(text));
  CHECK(maximum.refusal("my-rule") == "the reducer of all-reduce is not add");
}

const std::string kSlice =
    "rule my-rule\n"
    "dynamic-slice[s](all-gather[d, G](x), i...) = all-gather[d, G](dynamic-slice[t](x, i...))\n"
    "where t == set(s, d, dims(x)[d]), s == set(t, d, dims(x)[d] * size(G)),\n"
    "      uniform(i, G, dims(x), t)";

std::string sliced(const std::string& start, const std::string& sizes) {
  return program("x = f32[4,8] parameter(0)\nzero = s32[] constant(0)\n" + start +
                 "g = f32[16,8] all-gather(x), dimensions={0}" + kOverAll + "\nROOT r = f32[" +
                 sizes + "] dynamic-slice(g, zero, i), dynamic_slice_sizes={" + sizes + "}\n");
}

TEST_CASE("text rules: a condition defines what is not bound and checks what is") {
  Saturated run(sliced("i = s32[] constant(3)\n", "16,2"), written(kSlice));
  run.check_form("r", "all-gather{0}(f32[4,2] dynamic-slice{4,2}(x, zero, i))");
  Saturated cut(sliced("i = s32[] constant(3)\n", "8,2"), written(kSlice));
  CHECK(cut.refusal("my-rule") == "not shown: s == set(t, d, dims(x)[d] * size(G))");
  Saturated unknown(sliced("i = s32[] parameter(1)\n", "16,2"), written(kSlice));
  CHECK(unknown.refusal("my-rule") == "not shown: uniform(i, G, dims(x), t)");
  // The start of a dim that is not cut does not matter.
  Saturated whole(sliced("i = s32[] parameter(1)\n", "16,8"), written(kSlice));
  CHECK(whole.holds("r", "all-gather{0}(_)"));
}

TEST_CASE("text rules: one variable twice is one value") {
  const std::string text =
      "rule my-rule add(all-gather[d, G](x), all-gather[d, G](y)) => all-gather[d, G](add(x, y))";
  auto sum = [](const std::string& groups, const std::string& y_dims) {
    return program("x = f32[4,4] parameter(0)\ny = f32[" + y_dims +
                   "] parameter(1)\n"
                   "a = f32[8,4] all-gather(x), dimensions={0}" +
                   in_groups("{{0,1},{2,3}}") + "\nb = f32[8,4] all-gather(y), dimensions={0}" +
                   in_groups(groups, 2) + "\nROOT r = f32[8,4] add(a, b)\n");
  };
  Saturated run(sum("{{0,1},{2,3}}", "4,4"), written(text));
  run.check_form("r", "all-gather{0}(f32[4,4] add(x, y))");
  Saturated apart(sum("{{0,2},{1,3}}", "4,4"), written(text));
  CHECK(apart.refusal("my-rule") == "'G' is not the same everywhere");
}

TEST_CASE("text rules: commutative operations match both ways round") {
  const std::string text =
      "rule my-rule add(all-gather[d, G](x), u) => all-gather[d, G](add(x, own-shard[d, G](u)))\n"
      "where uniform(u, G)";
  Saturated run(program("x = f32[4] parameter(0)\nu = f32[16] parameter(1), sharding={replicated}\n"
                        "g = f32[16] all-gather(x), dimensions={0}" +
                        kOverAll + "\nROOT r = f32[16] add(u, g)\n"),
                written(text));
  run.check_form("r", "all-gather{0}(f32[4] add(x, _))");
}

TEST_CASE("text rules: members are sorted by the shard that they keep") {
  const std::string text =
      "rule my-rule order-open\n"
      "dynamic-slice[s](all-reduce[r, G](x), i...) => reduce-scatter[d, r, H](x)\n"
      "where d == differs-at(s, dims(x)), H == by-shard(i, d, G, dims(x), s)";
  auto kept = [](const std::string& table) {
    return program(
        "x = s32[8] parameter(0)\npid = u32[] partition-id()\n"
        "t = s32[4] constant({" +
        table +
        "})\n"
        "e = s32[1] dynamic-slice(t, pid), dynamic_slice_sizes={1}\n"
        "i = s32[] reshape(e)\n"
        "s = s32[8] all-reduce(x), to_apply=add_s32" +
        kOverAll + "\nROOT r = s32[2] dynamic-slice(s, i), dynamic_slice_sizes={2}\n");
  };
  Saturated run(kept("2, 0, 6, 4"), written(text));
  run.check_form("r", "reduce-scatter{0}(x)");
  CHECK(run.groups("r", "reduce-scatter{0}(x)") == "{{1,0,3,2}}");
  Saturated twice(kept("2, 0, 2, 4"), written(text));
  CHECK(twice.refusal("my-rule") == "no value: H == by-shard(i, d, G, dims(x), s)");
}

TEST_CASE("text rules: groups whose order an all-reduce does not say are compared as sets") {
  const std::string text =
      "rule my-rule all-gather[d, G](reduce-scatter[d, r, G](x)) => all-reduce[r, G](x)";
  Saturated run(
      program("x = s32[8] parameter(0)\n"
              "s = s32[2] reduce-scatter(x), dimensions={0}, to_apply=add_s32" +
              in_groups("{{2,0,1,3}}") + "\nROOT r = s32[8] all-gather(s), dimensions={0}" +
              in_groups("{{2,0,1,3}}", 2) + "\n"),
      written(text));
  run.check_form("r", "all-reduce(x)");
  CHECK(run.groups("r", "all-reduce(x)") == "{{0,1,2,3}}");
  Saturated apart(
      program("x = s32[8] parameter(0)\n"
              "s = s32[2] reduce-scatter(x), dimensions={0}, to_apply=add_s32" +
              in_groups("{{2,0,1,3}}") + "\nROOT r = s32[8] all-gather(s), dimensions={0}" +
              in_groups("{{0,1,2,3}}", 2) + "\n"),
      written(text));
  CHECK(apart.refusal("my-rule") == "'G' is not the same everywhere");
}

TEST_CASE("text rules: a side of another shape, or that would not be well formed, is refused") {
  const std::string gathered =
      program("x = f32[4,4] parameter(0)\ng = f32[8,4] all-gather(x), dimensions={0}" +
              in_groups("{{0,1},{2,3}}") + "\nROOT r = f32[4,8] transpose(g), dimensions={1,0}\n");
  Saturated shape(gathered, written("rule my-rule transpose[p](y) => y"));
  CHECK(shape.refusal("my-rule") == "the other side would have another shape");
  CHECK_FALSE(shape.same_class("r", "g"));
  Saturated malformed(
      gathered, written("rule my-rule transpose[p](y) => reshape[dims(y)](transpose[[0, 0]](y))"));
  CHECK(malformed.refusal("my-rule") == "the other side would not be well formed");
  Saturated logical(gathered, written("rule my-rule transpose[p](y) => transpose[p](and(y, y))"));
  CHECK(logical.refusal("my-rule") == "the other side would not be well formed");
}

TEST_CASE("text rules: attributes that decide what an operation computes go with it") {
  const std::string text =
      "rule my-rule compare(all-gather[d, G](x), all-gather[d, G](y)) =\n"
      "  all-gather[d, G](compare(x, y))";
  Saturated run(program("x = f32[4] parameter(0)\ny = f32[4] parameter(1)\n"
                        "a = f32[16] all-gather(x), dimensions={0}" +
                        kOverAll + "\nb = f32[16] all-gather(y), dimensions={0}" + kOverAll +
                        "\nROOT r = pred[16] compare(a, b), direction=GE\n"),
                written(text));
  run.check_form("r", "all-gather{0}(pred[4] compare(x, y))");
  CHECK(run.with_form("r", "all-gather{0}(pred[4] compare(x, y))").find("direction=GE") !=
        std::string::npos);
}

TEST_CASE("text rules: constants are made of any type that holds them") {
  const std::string text =
      "rule my-rule class reassoc all-reduce[add, G](x) =>\n"
      "  multiply(x, broadcast[[], dims(x)](constant[size(G), type(x)]))\n"
      "where uniform(x, G)";
  for (std::string type : {"s32", "bf16"}) {
    Saturated run(program("x = " + type + "[8] parameter(0), sharding={replicated}\nROOT r = " +
                          type + "[8] all-reduce(x), to_apply=add_" + type + kOverAll + "\n"),
                  written(text));
    CHECK(run.holds("r", "multiply(x, broadcast(_))"));
  }
}

TEST_CASE("text rules: without a channel, groups cannot follow the partitions") {
  const std::string text =
      "rule my-rule order-open\n"
      "dynamic-slice[s](all-reduce[r, G](x), i...) => reduce-scatter[d, r, H](x)\n"
      "where d == differs-at(s, dims(x)), H == by-shard(i, d, G, dims(x), s)";
  Saturated run(program("x = s32[8] parameter(0)\nrid = u32[] replica-id()\n"
                        "pid = u32[] partition-id()\n"
                        "t = s32[4] constant({0, 4, 4, 0})\n"
                        "two = u32[] constant(2)\nrow = u32[] multiply(rid, two)\n"
                        "at = u32[] add(row, pid)\n"
                        "e = s32[1] dynamic-slice(t, at), dynamic_slice_sizes={1}\n"
                        "i = s32[] reshape(e)\n"
                        "s = s32[8] all-reduce(x), to_apply=add_s32, replica_groups={{0,1}}\n"
                        "ROOT r = s32[4] dynamic-slice(s, i), dynamic_slice_sizes={4}\n",
                        "replica_count=2, num_partitions=2"),
                written(text));
  CHECK(run.refusal("my-rule") == "the other side cannot be written in this mode of groups");
}

TEST_CASE("text rules: permutes join their pairs") {
  const std::string text =
      "rule my-rule collective-permute[Q](collective-permute[P](x)) => collective-permute[R](x)\n"
      "where R == then(P, Q)";
  Saturated run(program("x = f32[4] parameter(0)\n"
                        "a = f32[4] collective-permute(x), channel_id=1, "
                        "source_target_pairs={{0,1},{1,2}}\n"
                        "ROOT r = f32[4] collective-permute(a), channel_id=2, "
                        "source_target_pairs={{1,3},{3,0}}\n"),
                written(text));
  run.check_form("r", "collective-permute(x)");
  CHECK(run.with_form("r", "collective-permute(x)").find("source_target_pairs={{0,3}}") !=
        std::string::npos);
}

}  // namespace
}  // namespace flipsat::rules::testing
