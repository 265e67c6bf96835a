// Collectives of what is the same on all members of a group.
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

const std::string kDiffers = "the operand differs inside a group";

// An operand of the given type and dims, the same on all partitions.
std::string same(const std::string& shape) {
  return "x = " + shape + " parameter(0), sharding={replicated}\n";
}
std::string reduced(const std::string& operand, const std::string& shape,
                    const std::string& reducer, const std::string& groups = "{{0,1,2,3}}",
                    const std::string& header = "num_partitions=4") {
  return program(operand + "ROOT r = " + shape + " all-reduce(x), to_apply=" + reducer +
                     in_groups(groups) + "\n",
                 header);
}

TEST_CASE("collective-of-uniform: the extreme of equal values is that value") {
  for (const auto& [type, reducer] :
       {std::pair<std::string, std::string>{"f32[4]", "maximum_f32"}, {"pred[4]", "or_pred"}}) {
    Saturated run(reduced(same(type), type, reducer), only({"collective-of-uniform"}));
    run.check_form("r", "x");
  }
}

TEST_CASE("collective-of-uniform: an integer sum counts the members") {
  Saturated run(reduced(same("s32[4]"), "s32[4]", "add_s32", "{{0,1},{2,3}}"),
                only({"collective-of-uniform"}));
  run.check_form("r", "multiply(x, broadcast{}(constant()))");
  Saturated scalar(reduced(same("s32[]"), "s32[]", "add_s32"), only({"collective-of-uniform"}));
  scalar.check_form("r", "multiply(x, constant())");
}

TEST_CASE("collective-of-uniform: equal within the groups is enough") {
  auto text = [](const std::string& first, const std::string& second) {
    return program(
        "y = s32[4] parameter(0)\n"
        "x = s32[4] all-reduce(y), to_apply=maximum_s32" +
        in_groups(first) + "\nROOT r = s32[4] all-reduce(x), to_apply=maximum_s32" +
        in_groups(second) + "\n");
  };
  Saturated run(text("{{0,1,2,3}}", "{{0,1},{2,3}}"), only({"collective-of-uniform"}));
  CHECK(run.same_class("r", "x"));
  Saturated other(text("{{0,1},{2,3}}", "{{0,2},{1,3}}"), only({"collective-of-uniform"}));
  CHECK_FALSE(other.same_class("r", "x"));
  CHECK(other.refused("collective-of-uniform/all-reduce").count(kDiffers) == 1);
}

TEST_CASE("collective-of-uniform: a scattered one is the own shard") {
  auto text = [](const std::string& reducer) {
    return program(same("s32[8]") + "ROOT r = s32[2] reduce-scatter(x), dimensions={0}, to_apply=" +
                   reducer + in_groups("{{3,1,0,2}}") + "\n");
  };
  Saturated extreme(text("minimum_s32"), only({"collective-of-uniform"}));
  extreme.check_form("r", "dynamic-slice{2}(x, values{4,2,6,0})");
  Saturated sum(text("add_s32"), only({"collective-of-uniform"}));
  sum.check_form("r", "multiply(dynamic-slice{2}(x, values{4,2,6,0}), broadcast{}(constant()))");
}

TEST_CASE("collective-of-uniform: a gathered one is tiles of it") {
  Saturated run(program(same("f32[3,2]") + "ROOT r = f32[3,8] all-gather(x), dimensions={1}" +
                        kOverAll + "\n"),
                only({"collective-of-uniform"}));
  run.check_form("r", "reshape(f32[3,4,2] broadcast{0,2}(x))");
}

TEST_CASE("collective-of-uniform: of a gathered broadcast there is only more") {
  const auto gathered = [](const std::string& dim) {
    return program(
        "  x = f32[2] parameter(0)\n"
        "  b = f32[4,2] broadcast(x), dimensions={1}\n"
        "  ROOT r = f32[" +
            std::string(dim == "0" ? "12,2" : "4,6") + "] all-gather(b), dimensions={" + dim + "}" +
            in_groups("{{0,1,2}}") + "\n",
        "num_partitions=3");
  };
  Setup setup = only({"collective-of-uniform"});
  setup.assume_replicated = {"x"};
  Saturated run(gathered("0"), setup);
  CHECK(run.holds("r", "f32[12,2] broadcast{1}(x)"));
  run.check_form("r", "broadcast{1}(x)");
  Saturated along(gathered("1"), setup);
  CHECK(!along.holds("r", "broadcast{1}(x)"));
  along.check_form("r", "reshape(f32[4,3,2] broadcast{0,2}(b))");
}

TEST_CASE("collective-of-uniform: refused where it may differ, is a product, or is packed") {
  auto refusal = [](const std::string& text) {
    return Saturated(text, only({"collective-of-uniform"})).refusal("collective-of-uniform");
  };
  CHECK(refusal(reduced("x = s32[4] parameter(0)\n", "s32[4]", "add_s32")) == kDiffers);
  CHECK(refusal(reduced(same("s32[4]"), "s32[4]", "multiply_s32")) ==
        "the reduction of equal terms is not one of them, nor an integer sum");
  CHECK(refusal(reduced(same("f32[4]"), "f32[4]", "add_f32")) ==
        "the reduction of equal terms is not one of them, nor an integer sum");
  CHECK(refusal(reduced(same("s32[4]"), "s32[4]", "add_s32", "{{0},{1},{2},{3}}")) ==
        "a group of one has one member");
  CHECK(refusal(reduced(same("s4[4]{0:E(4)}"), "s4[4]{0:E(4)}", "maximum_s4")) ==
        "packed elements are not repeated or scaled");
}

}  // namespace
}  // namespace flipsat::rules::testing
