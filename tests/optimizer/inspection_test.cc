// Why an output is what it is: chains of rules, and why a rule did not fire.
#include "optimizer/inspection.h"

#include "optimizer/reasons.h"
#include "optimizer/sites.h"
#include "optimizer/why_not.h"
#include "rules/in_words.h"
#include "tests/optimizer/optimizing.h"

namespace flipsat::optimizer {
namespace {

using testing::contains;
using Answer = WhyNot::Answer;

// Both flips of a gather, and a shard that is cut out of a sum and transposed.
const char* const kModule = R"(HloModule m, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY main {
  x = f32[64,96] parameter(0)
  y = f32[256,64] parameter(1)
  g = f32[256,96] all-gather(x), dimensions={0}, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  r = f32[24576] reshape(g)
  h = bf16[24576] convert(r)
  sum = f32[256,64] all-reduce(y), channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  table = s32[4] constant({0, 64, 128, 192})
  id = u32[] partition-id()
  entry = s32[1] dynamic-slice(table, id), dynamic_slice_sizes={1}
  start = s32[] reshape(entry)
  zero = s32[] constant(0)
  own = f32[64,64] dynamic-slice(sum, start, zero), dynamic_slice_sizes={64,64}
  turned = f32[64,64] transpose(own), dimensions={1,0}
  exp = f32[64,64] exponential(turned)
  ROOT out = (bf16[24576], f32[64,64]) tuple(h, exp)
}
)";

struct Looked {
  explicit Looked(
      const std::string& text, const Options& options = {},
      const std::function<void(const Inspection&)>& look = [](const Inspection&) {})
      : module(frontends::read_text(text, "in.hlo")), result(inspect(module, options, look)) {}
  hlo::Module module;
  Result result;
};

WhyNot ask(const std::string& rule, const std::string& at, const Options& options = {},
           const std::string& text = kModule) {
  WhyNot why;
  const Looked looked(text, options, [&](const Inspection& inspection) {
    why = why_not(inspection, rule, *inspection.instruction_named(at));
  });
  return why;
}

std::vector<std::string> rules_of(const Reason& reason) {
  std::vector<std::string> rules;
  for (const ReasonStep& step : reason.steps) rules.push_back(step.rule);
  return rules;
}

TEST_CASE("a look changes nothing about the output") {
  const hlo::Module module = frontends::read_text(kModule, "in.hlo");
  const Result plain = optimize(module, {});
  const Looked looked(kModule);
  CHECK(frontends::write_text(plain.output) == frontends::write_text(looked.result.output));
  CHECK_FALSE(plain.changes.empty());
}

TEST_CASE("a patch's reason leads from the input's definition to the output's, rule by rule") {
  size_t told = 0;
  const Looked looked(kModule, {}, [&](const Inspection& inspection) {
    Reasons reasons(inspection);
    REQUIRE(inspection.patches().size() == inspection.result().changes.size());
    for (const language::Patch& patch : inspection.patches()) {
      const Reason reason = reasons.of_patch(patch);
      CHECK(reason.fault == "");
      CHECK(reason.is_whole);
      REQUIRE_FALSE(reason.steps.empty());
      const std::string at = inspection.input()[patch.at].name;
      if (at == "h") {
        CHECK(reason.before ==
              "convert<bf16>(reshape<f32[24576]>(all-gather(%x, dims={0}, groups=[1,4])))");
        // In which order the two pass the gather is the e-graph's own affair.
        CHECK(reason.steps.back().after ==
              "all-gather(convert<bf16>(reshape<f32[6144]>(%x)), dims={0}, groups=[1,4])");
        ++told;
      }
      if (contains(reason.before, "dynamic-slice")) {
        CHECK(contains(reason.before, "all-reduce(%y, groups=[1,4], by=add), %start, %zero"));
        // The scatter is not there from the beginning: the step that makes it comes first.
        CHECK(rules_of(reason).front() == "reduce-own-shard");
        CHECK(contains(reason.steps.front().after, "reduce-scatter(%y, "));
        const std::string start = "%start is 0, 64, 128, 192 on devices 0, 1, ...";
        CHECK(std::count(reason.facts.begin(), reason.facts.end(), start) == 1);
        ++told;
      }
    }
  });
  CHECK(told == 2);
}

TEST_CASE("every form in every class is explained, and every explanation is replayed") {
  size_t forms = 0;
  const Looked looked(kModule, {}, [&](const Inspection& inspection) {
    Reasons reasons(inspection);
    for (language::ClassId cls : inspection.graph().classes()) {
      const language::NodeId first = *inspection.graph().nodes(cls).begin();
      for (language::NodeId node : inspection.graph().nodes(cls)) {
        const Reason reason = reasons.between(first, node);
        CHECK(reason.fault == "");
        for (const ReasonStep& step : reason.steps) CHECK_FALSE(step.why.empty());
        ++forms;
      }
    }
    const std::vector<language::NodeId>& node_of = inspection.program().imported().node_of;
    const hlo::InstructionId x = *inspection.instruction_named("x");
    const hlo::InstructionId y = *inspection.instruction_named("y");
    CHECK_THROWS_AS(reasons.between(node_of[x], node_of[y]), std::logic_error);
  });
  CHECK(forms > 30);
}

TEST_CASE("a wider sum is told to be allowed, and not the same") {
  const std::string text = R"(HloModule m, num_partitions=4

add {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT c = bf16[] add(a, b)
}

ENTRY main {
  x = bf16[64] parameter(0)
  sum = bf16[64] all-reduce(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  ROOT wide = f32[64] convert(sum)
}
)";
  Options options;
  options.numerics = hlo::Numerics::kPrecise;
  bool told = false;
  const Looked looked(text, options, [&](const Inspection& inspection) {
    const language::ClassId cls = inspection.class_of(*inspection.instruction_named("wide"));
    REQUIRE(inspection.graph().edges(cls).size() == 1);
    const language::ClassId wider = inspection.graph().edges(cls).front().to;
    const language::NodeId from = *inspection.graph().nodes(cls).begin();
    const language::NodeId to = *inspection.graph().nodes(wider).begin();
    const Reason reason = Reasons(inspection).between(from, to);
    REQUIRE(reason.steps.size() == 1);
    CHECK(reason.steps[0].is_refinement);
    CHECK(reason.steps[0].rule == "reduce-convert");
    CHECK(reason.steps[0].after == "all-reduce(convert<f32>(%x), groups=[1,4], by=add)");
    told = true;
  });
  CHECK(told);
}

TEST_CASE("what stands in the output is known, and what it costs") {
  const Looked looked(kModule, {}, [&](const Inspection& inspection) {
    const auto node = [&](const char* name) {
      return inspection.program().imported().node_of[*inspection.instruction_named(name)];
    };
    CHECK(inspection.is_in_output(node("x")));
    CHECK_FALSE(inspection.is_in_output(node("g")));
    CHECK_FALSE(inspection.is_in_output(node("sum")));
    const std::optional<Inspection::Cost> gather = inspection.cost(node("g"));
    REQUIRE(gather);
    CHECK(gather->is_collective);
    CHECK(gather->wire_bytes == 3 * 64 * 96 * 4);
    CHECK(gather->launched_together == 0);
    CHECK(inspection.name(inspection.class_of(*inspection.instruction_named("g"))) == "%g");
  });
}

TEST_CASE("sites are the parts where something was found, operands before users") {
  const Looked looked(kModule, {}, [&](const Inspection& inspection) {
    const auto cls_of = [&](const char* name) {
      return inspection.class_of(*inspection.instruction_named(name));
    };
    const std::vector<Site> sites = find_sites(inspection, 200);
    REQUIRE(sites.size() == 2);
    size_t changes = 0;
    for (const Site& site : sites) {
      CHECK(site.left_out == 0);
      changes += site.changes.size();
      std::map<language::ClassId, size_t> place;
      for (const SiteClass& one : site.classes) place.emplace(one.cls, place.size());
      CHECK(place.size() == site.classes.size());
      for (const SiteClass& one : site.classes) {
        const language::NodeId form = one.forms.front();
        if (inspection.written_as(form).empty()) continue;
        for (language::ClassId child : inspection.graph().children(form)) {
          const auto found = place.find(inspection.graph().find(child));
          if (found != place.end()) CHECK(found->second < place.at(one.cls));
        }
        // Where a slice starts connects nothing and is only looked at from outside.
        if (one.cls == cls_of("start") || one.cls == cls_of("exp")) CHECK(one.is_around);
        if (one.cls == cls_of("own")) CHECK_FALSE(one.is_around);
      }
    }
    CHECK(changes == inspection.result().changes.size());
    const std::vector<Site> cut = find_sites(inspection, 1);
    CHECK(cut.size() == 2);
    for (const Site& site : cut) CHECK(site.left_out > 0);
  });
}

TEST_CASE("a rule that fired is told to be chosen or not") {
  CHECK(ask("gather-convert", "h").answer == Answer::kChosen);
  CHECK(ask("reduce-own-shard", "own").answer == Answer::kChosen);
  const WhyNot turned = ask("scatter-transpose", "turned");
  CHECK(turned.answer == Answer::kNotChosen);
  CHECK(contains(turned.why, "it would cost more"));
  CHECK(turned.more_time.value_or(0) > 0);
  CHECK(contains(ask("gather-reshape", "r").why, "needs this value no longer"));
}

TEST_CASE("a rule that finds something else says where and what") {
  const WhyNot convert = ask("gather-convert", "exp");
  CHECK(convert.answer == Answer::kNoMatch);
  CHECK(contains(convert.why, "the rule wants a convert or an all-gather"));
  const WhyNot gathers = ask("gather-gather", "g");
  CHECK(gathers.answer == Answer::kNoMatch);
  CHECK(contains(gathers.why, "the rule wants an all-gather there"));
  CHECK(contains(gathers.why, "operand 0 of a form of %g"));
}

TEST_CASE("a rule that is refused says which condition does not hold") {
  const WhyNot why = ask("collective-of-one", "g");
  CHECK(why.answer == Answer::kRefused);
  CHECK(why.why == "the groups have several members");
}

TEST_CASE("what no rule looks into is told with the reason") {
  CHECK(ask("gather-convert", "x").answer == Answer::kNotLookedAt);
  CHECK(contains(ask("gather-convert", "x").why, "a parameter"));
  // In a computation that has no collectives.
  CHECK(ask("gather-convert", "c").answer == Answer::kNotLookedAt);
}

TEST_CASE("where the search was stopped nothing is said to be impossible") {
  Options options;
  options.node_limit = 1;
  const WhyNot why = ask("gather-convert", "h", options);
  CHECK(why.answer != Answer::kChosen);
  REQUIRE_FALSE(why.beside.empty());
  CHECK(contains(why.beside.back(), "the search was stopped"));
}

TEST_CASE("each way of switching a rule off is named, with what switches it on") {
  rules::RuleInfo rule{.name = "r", .family = "f", .equation = "", .condition = ""};
  CHECK(why_switched_off(rule, {}).empty());
  Options options;
  options.only = {"other"};
  CHECK(contains(why_switched_off(rule, options), "--only"));
  options = {};
  options.disable = {"r"};
  CHECK(contains(why_switched_off(rule, options), "--disable"));
  options = {};
  options.bitwise = true;
  rule.order_open = true;
  CHECK(contains(why_switched_off(rule, options), "--bitwise"));
  rule.order_open = false;
  rule.needs_finite = true;
  CHECK(contains(why_switched_off(rule, {}), "--assume-finite"));
  rule.needs_finite = false;
  rule.numerics = hlo::Numerics::kReassoc;
  CHECK(contains(why_switched_off(rule, {}), "--numerics reassoc"));
}

TEST_CASE("every rule of the catalogue has a sentence") {
  for (const rules::RuleInfo& rule : rules::catalogue()) {
    INFO(rule.name);
    CHECK_FALSE(rules::in_words(rule.name).empty());
  }
}

}  // namespace
}  // namespace flipsat::optimizer
