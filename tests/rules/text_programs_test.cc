// Rules written as text, tried on small programs: right ones pass, wrong ones are found.
#include "optimizer/harness/text_programs.h"
#include "frontends/text/text.h"
#include "hlo/verifier.h"
#include "rules/text/operators.h"
#include "rules/text/reader.h"
#include "tests/catch.h"

namespace flipsat::rules::text {
namespace {

using optimizer::Counts;

constexpr int64_t kCases = 150;

std::vector<Counts> tried(const std::string& rule, int64_t cases = kCases) {
  std::vector<Counts> counts;
  for (const Direction& direction : directions_of(read_rules("rule tried " + rule, "r").at(0))) {
    optimizer::Space space = optimizer::programs_of(direction);
    space.sample = cases;
    optimizer::CheckOptions options;
    options.try_candidates = false;
    counts.push_back(optimizer::check(space, optimizer::text_rewriter(direction), options));
  }
  return counts;
}

void check_right(const std::string& rule) {
  INFO(rule);
  for (const Counts& counts : tried(rule)) {
    INFO((counts.smallest ? frontends::write_text(counts.smallest->module) + counts.smallest->text
                          : ""));
    CHECK(counts.fired > 0);
    CHECK(counts.wrong == 0);
    CHECK(counts.not_run == 0);
  }
}

void check_wrong(const std::string& rule) {
  INFO(rule);
  for (const Counts& counts : tried(rule, 600)) {
    CHECK(counts.wrong > 0);
    REQUIRE(counts.smallest);
    CHECK(counts.smallest->devices <= 4);
  }
}

TEST_CASE("text rules: right ones are not called wrong") {
  check_right(
      "dynamic-slice[s](all-gather[d, G](x), i...) = all-gather[d, G](dynamic-slice[t](x, i...))"
      " where t == set(s, d, dims(x)[d]), s == set(t, d, dims(x)[d] * size(G)),"
      " uniform(i, G, dims(x), t)");
  check_right(
      "order-open dynamic-slice[s](all-reduce[r, G](x), i...) => reduce-scatter[d, r, H](x)"
      " where d == differs-at(s, dims(x)), H == by-shard(i, d, G, dims(x), s)");
  check_right(
      "binary[f](all-gather[d, G](x), u) => all-gather[d, G](binary[f](x, own-shard[d, G](u)))"
      " where uniform(u, G)");
  check_right(
      "class reassoc"
      " add(all-reduce[add, G](x), all-reduce[add, G](y)) = all-reduce[add, G](add(x, y))");
  check_right(
      "reshape[to](all-gather[d, G](x) as whole) => all-gather[o, G](reshape[local](x))"
      " where n == size(G), o == gather-dim(dims(whole), d, to, n), 2 <= n,"
      " local == set(to, o, to[o] / n)");
  check_right(
      "class precise convert[t](all-reduce[add, G](x)) ~> all-reduce[add, G](convert[t](x))"
      " where float(type(x)), keeps-values(type(x), t)");
}

TEST_CASE("text rules: wrong ones are found, on few devices") {
  // Sliced where starts differ, or along the gathered dim.
  check_wrong(
      "dynamic-slice[s](all-gather[d, G](x), i...) = all-gather[d, G](dynamic-slice[t](x, i...))"
      " where t == set(s, d, dims(x)[d]), s == set(t, d, dims(x)[d] * size(G))");
  check_wrong(
      "dynamic-slice[s](all-gather[d, G](x), i...) => all-gather[d, G](dynamic-slice[t](x, i...))"
      " where t == set(s, d, s[d] / size(G)), uniform(i, G)");
  // Summed in a narrower type.
  check_wrong(
      "convert[t](all-reduce[add, G](x)) => all-reduce[add, G](convert[t](x))"
      " where float(type(x)), float(t)");
  // Members in another order than they keep their shards.
  check_wrong(
      "order-open dynamic-slice[s](all-reduce[r, G](x), i...) => reduce-scatter[d, r, G](x)"
      " where d == differs-at(s, dims(x)), H == by-shard(i, d, G, dims(x), s)");
  // Regrouped sums of floats are not exact.
  check_wrong("add(all-reduce[add, G](x), all-reduce[add, G](y)) = all-reduce[add, G](add(x, y))");
  // A sum of what is equal is no idempotent one.
  check_wrong("all-reduce[r, G](x) => x where uniform(x, G)");
  // Devices that receive nothing hold zeros.
  check_wrong(
      "add(collective-permute[P](x), u) => collective-permute[P](add(x, u)) where uniform(u, P)");
}

TEST_CASE("text rules: one that never fires is not called right") {
  Counts counts = tried("negate(x) => x where rank(x) == 99").at(0);
  CHECK(counts.cases == kCases);
  CHECK(counts.fired == 0);
  CHECK(counts.refused.at("not shown: rank(x) == 99") == kCases);
}

// Each operation in a rule that makes it anew from its attributes: the same node, so that nothing
// is added, and no reason not to.
TEST_CASE("text rules: every operation is matched and made as it was, on programs of it") {
  for (const OperatorRow& row : operator_table()) {
    if (row.is_right_only()) continue;
    std::string attributes, operands;
    for (size_t i = 0; i < row.slots.size(); ++i) {
      attributes += (i == 0 ? "[a" : ", a") + std::to_string(i);
    }
    for (int i = 0; i < row.operands; ++i) {
      operands += (i == 0 ? "x" : ", x") + std::to_string(i);
    }
    if (row.has_starts) operands += ", i...";
    if (!attributes.empty()) attributes += "]";
    const std::string term = row.name + attributes + "(" + operands + ")";
    INFO(term);
    const TextRuleRef rule = read_rules("rule same " + term + " => " + term, "r").at(0);
    const Direction direction = directions_of(rule).at(0);
    optimizer::Space space = optimizer::programs_of(direction);
    optimizer::Rewriter rewrite = optimizer::text_rewriter(direction);
    int made = 0;
    for (uint64_t seed = 1; seed < 200 && made < 8; ++seed) {
      optimizer::Choices choices = optimizer::Choices::drawn(seed * 7919);
      std::optional<optimizer::Case> one = space.make(choices);
      if (!one) continue;
      ++made;
      hlo::verify_module(one->module, hlo::infer_device_counts(one->module, {}));
      optimizer::Rewrites rewrites = rewrite(one->module);
      INFO(frontends::write_text(one->module));
      CHECK(rewrites.forms.empty());
      CHECK(rewrites.refusal == "no match");
    }
    CHECK(made == 8);
  }
}

}  // namespace
}  // namespace flipsat::rules::text
