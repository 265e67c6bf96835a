// One collective of another: reduce-reduce, scatter-reduce, scatter-scatter, gather-gather,
// gather-reduce.
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

const std::string kRows = "{{0,1},{2,3}}", kColumns = "{{0,2},{1,3}}";
const std::string kNotAligned = "the groups are not aligned";
const std::string kNotAGrid = "the groups are not rows and columns";
const std::string kRegrouped = "float sums would be added up in other groups (--numerics reassoc)";
const std::string kMadeTwice = "a float sum would be made more than once (--numerics reassoc)";

std::string shaped(const std::string& type, int rows, int columns) {
  return type + "[" + std::to_string(rows) + "," + std::to_string(columns) + "] ";
}

// A line of a program on two-dimensional arrays.
std::string gather(const std::string& name, const std::string& shape, const std::string& x, int dim,
                   const std::string& groups) {
  return name + " = " + shape + "all-gather(" + x + "), dimensions={" + std::to_string(dim) + "}" +
         in_groups(groups) + "\n";
}
std::string reduce(const std::string& name, const std::string& shape, const std::string& x,
                   const std::string& reducer, const std::string& groups) {
  return name + " = " + shape + "all-reduce(" + x + "), to_apply=" + reducer + in_groups(groups) +
         "\n";
}
std::string scatter(const std::string& name, const std::string& shape, const std::string& x,
                    int dim, const std::string& reducer, const std::string& groups) {
  return name + " = " + shape + "reduce-scatter(" + x + "), dimensions={" + std::to_string(dim) +
         "}, to_apply=" + reducer + in_groups(groups) + "\n";
}
std::string parameter(const std::string& shape) { return "x = " + shape + "parameter(0)\n"; }

// ---- reduce-reduce ----

std::string sum_of_sum(const std::string& reducer, const std::string& first,
                       const std::string& second, const std::string& outer_reducer = "") {
  const std::string shape = shaped(reducer.substr(reducer.find('_') + 1), 2, 3);
  return program(
      parameter(shape) + reduce("s", shape, "x", reducer, first) +
      reduce("ROOT r", shape, "s", outer_reducer.empty() ? reducer : outer_reducer, second));
}

TEST_CASE("reduce-reduce: sums over two axes are one sum over both") {
  for (std::string reducer : {"add_s32", "maximum_f32", "and_pred"}) {
    Saturated run(sum_of_sum(reducer, kRows, kColumns), only({"reduce-reduce"}));
    CHECK(run.groups("r", "all-reduce(x)") == "{{0,1,2,3}}");
    run.check_form("r", "all-reduce(x)");
  }
}

TEST_CASE("reduce-reduce: of floats, the order of groups changes: reassoc") {
  const std::string text = sum_of_sum("add_f32", kRows, kColumns);
  Saturated exact(text, only({"reduce-reduce"}));
  CHECK(exact.refusal("reduce-reduce") == kRegrouped);
  CHECK_FALSE(exact.holds("r", "all-reduce(x)"));
  Saturated reassoc(text, only({"reduce-reduce"}, hlo::Numerics::kReassoc));
  CHECK(reassoc.groups("r", "all-reduce(x)") == "{{0,1,2,3}}");
}

TEST_CASE("reduce-reduce: a member counted twice shows in a sum, not in a maximum") {
  Saturated sum(sum_of_sum("add_s32", kRows, kRows), only({"reduce-reduce"}));
  CHECK(sum.refusal("reduce-reduce") == "the groups do not join into larger ones");
  Saturated maximum(sum_of_sum("maximum_f32", kRows, kRows), only({"reduce-reduce"}));
  CHECK(maximum.groups("r", "all-reduce(x)") == "{{0,1},{2,3}}");
  maximum.check_form("r", "all-reduce(x)");
}

TEST_CASE("reduce-reduce: refused where the unions overlap without being equal") {
  // Disjoint within each second group, but 0 hears of {0,2,3,5} and 5 of {0,1,4,5}.
  const std::string shape = "s32[2,3] ";
  Saturated run(
      program(parameter(shape) + reduce("s", shape, "x", "add_s32", "{{0,5},{1,4},{2,3}}") +
                  reduce("ROOT r", shape, "s", "add_s32", "{{0,3},{1,5},{2,4}}"),
              "num_partitions=6"),
      only({"reduce-reduce"}));
  CHECK(run.refusal("reduce-reduce") == "the groups do not join into larger ones");
}

TEST_CASE("reduce-reduce: refused for two reducers, modes or attributes") {
  Saturated reducers(sum_of_sum("add_s32", kRows, kColumns, "maximum_s32"),
                     only({"reduce-reduce"}));
  CHECK(reducers.refusal("reduce-reduce") == "the collectives reduce differently");
  const std::string shape = "s32[2,3] ";
  Saturated modes(program(parameter(shape) +
                              "s = s32[2,3] all-reduce(x), to_apply=add_s32, "
                              "replica_groups={{0,1}}\n" +
                              reduce("ROOT r", shape, "s", "add_s32", "{{0,1},{2,3}}"),
                          "replica_count=2, num_partitions=2"),
                  only({"reduce-reduce"}));
  CHECK(modes.refusal("reduce-reduce") == "one collective has a channel, the other none");
  std::string steered = reduce("s", shape, "x", "add_s32", kRows);
  steered.insert(steered.size() - 1, ", frontend_attributes={_xla_stream=\"1\"}");
  Saturated apart(
      program(parameter(shape) + steered + reduce("ROOT r", shape, "s", "add_s32", kColumns)),
      only({"reduce-reduce"}));
  CHECK(apart.refusal("reduce-reduce") == "attributes keep the collectives apart");
}

// ---- scatter-reduce ----

std::string scatter_of_sum(const std::string& reducer, const std::string& sum,
                           const std::string& scattered) {
  const std::string type = reducer.substr(reducer.find('_') + 1);
  return program(parameter(shaped(type, 4, 3)) +
                 reduce("s", shaped(type, 4, 3), "x", reducer, sum) +
                 scatter("ROOT r", shaped(type, 2, 3), "s", 0, reducer, scattered));
}

TEST_CASE("scatter-reduce: what is scattered is summed where it is smaller") {
  Saturated run(scatter_of_sum("add_s32", kRows, kColumns), only({"scatter-reduce"}));
  const std::string form = "all-reduce(s32[2,3] reduce-scatter{0}(x))";
  CHECK(run.groups("r", form) == kRows);
  CHECK(run.groups("r", "reduce-scatter{0}(all-reduce(x))") == kColumns);
  run.check_form("r", form);
  const std::string text =
      program(parameter("f32[4,3] ") + scatter("s", "f32[2,3] ", "x", 0, "maximum_f32", kColumns) +
              reduce("ROOT r", "f32[2,3] ", "s", "maximum_f32", kRows));
  Saturated back(text, only({"scatter-reduce"}));
  back.check_form("r", "reduce-scatter{0}(all-reduce(x))");
}

TEST_CASE("scatter-reduce: refused where the groups are not aligned, and of floats below reassoc") {
  Saturated same(scatter_of_sum("add_s32", kRows, kRows), only({"scatter-reduce"}));
  CHECK(same.refusal("scatter-reduce") == kNotAligned);
  Saturated turned(scatter_of_sum("add_s32", kRows, "{{0,2},{3,1}}"), only({"scatter-reduce"}));
  CHECK(turned.refusal("scatter-reduce") == kNotAligned);
  Saturated floats(scatter_of_sum("add_f32", kRows, kColumns), only({"scatter-reduce"}));
  CHECK(floats.refusal("scatter-reduce") == kRegrouped);
  Saturated reassoc(scatter_of_sum("add_f32", kRows, kColumns),
                    only({"scatter-reduce"}, hlo::Numerics::kReassoc));
  CHECK(reassoc.holds("r", "all-reduce(reduce-scatter{0}(x))"));
}

// ---- scatter-scatter ----

std::string scatter_of_scatter(const std::string& reducer, int dim, const std::string& first,
                               const std::string& second) {
  const std::string type = reducer.substr(reducer.find('_') + 1);
  return program(parameter(shaped(type, 4, 4)) +
                 scatter("s", shaped(type, 2, 4), "x", 0, reducer, first) +
                 scatter("ROOT r", dim == 0 ? shaped(type, 1, 4) : shaped(type, 2, 2), "s", dim,
                         reducer, second));
}

TEST_CASE("scatter-scatter: along one dim, the first applied is major") {
  Saturated run(scatter_of_scatter("add_s32", 0, kRows, kColumns), only({"scatter-scatter"}));
  CHECK(run.groups("r", "reduce-scatter{0}(x)") == "{{0,2,1,3}}");
  run.check_form("r", "reduce-scatter{0}(x)");
  CHECK(run.refused("scatter-scatter/exchange").count("the scatters are along one dim") == 1);
}

TEST_CASE("scatter-scatter: along two dims of a grid they change places") {
  Saturated run(scatter_of_scatter("add_s32", 1, kRows, kColumns), only({"scatter-scatter"}));
  CHECK(run.groups("r", "reduce-scatter{0}(reduce-scatter{1}(x))") == kRows);
  run.check_form("r", "reduce-scatter{0}(reduce-scatter{1}(x))");
  CHECK(run.refused("scatter-scatter/merge").count("the scatters are along two dims") == 1);
}

TEST_CASE("scatter-scatter: refused off the grid, and of floats below reassoc") {
  Saturated one(scatter_of_scatter("add_s32", 0, kRows, "{{0,3},{1,2}}"),
                only({"scatter-scatter"}));
  CHECK(one.groups("r", "reduce-scatter{0}(x)") == "not held");
  CHECK(one.refused("scatter-scatter/merge").count(kNotAligned) == 1);
  Saturated two(scatter_of_scatter("add_s32", 1, kRows, kRows), only({"scatter-scatter"}));
  CHECK(two.refused("scatter-scatter/exchange").count(kNotAGrid) == 1);
  for (int dim : {0, 1}) {
    Saturated floats(scatter_of_scatter("add_f32", dim, kRows, kColumns),
                     only({"scatter-scatter"}));
    CHECK(floats.refused("scatter-scatter").count(kRegrouped) == 1);
    Saturated reassoc(scatter_of_scatter("add_f32", dim, kRows, kColumns),
                      only({"scatter-scatter"}, hlo::Numerics::kReassoc));
    CHECK(reassoc.refused("scatter-scatter").count(kRegrouped) == 0);
  }
}

// ---- gather-gather ----

std::string gather_of_gather(int dim, const std::string& first, const std::string& second) {
  return program(parameter("f32[2,3] ") + gather("g", "f32[4,3] ", "x", 0, first) +
                 gather("ROOT r", dim == 0 ? "f32[8,3] " : "f32[4,6] ", "g", dim, second));
}

TEST_CASE("gather-gather: along one dim, the last applied is major") {
  Saturated run(gather_of_gather(0, kRows, kColumns), only({"gather-gather"}));
  CHECK(run.groups("r", "all-gather{0}(x)") == "{{0,1,2,3}}");
  run.check_form("r", "all-gather{0}(x)");
  Saturated other(gather_of_gather(0, kColumns, "{{1,0},{3,2}}"), only({"gather-gather"}));
  CHECK(other.groups("r", "all-gather{0}(x)") == "{{1,3,0,2}}");
  other.check_form("r", "all-gather{0}(x)");
}

TEST_CASE("gather-gather: along two dims of a grid they change places") {
  Saturated run(gather_of_gather(1, kRows, kColumns), only({"gather-gather"}));
  CHECK(run.groups("r", "all-gather{0}(all-gather{1}(x))") == kRows);
  run.check_form("r", "all-gather{0}(all-gather{1}(x))");
}

TEST_CASE("gather-gather: refused where the groups are not aligned, or no grid") {
  Saturated same(gather_of_gather(0, kRows, kRows), only({"gather-gather"}));
  CHECK(same.refused("gather-gather/merge").count(kNotAligned) == 1);
  Saturated turned(gather_of_gather(0, kRows, "{{0,2},{3,1}}"), only({"gather-gather"}));
  CHECK(turned.refused("gather-gather/merge").count(kNotAligned) == 1);
  Saturated dims(gather_of_gather(1, kRows, kRows), only({"gather-gather"}));
  CHECK(dims.refused("gather-gather/exchange").count(kNotAGrid) == 1);
}

TEST_CASE("gather-gather: without a channel, over replicas alone") {
  auto text = [](const std::string& first, const std::string& second) {
    return program(
        "x = f32[2,3] parameter(0)\n"
        "g = f32[4,3] all-gather(x), dimensions={0}, replica_groups=" +
            first + "\nROOT r = f32[8,3] all-gather(g), dimensions={0}, replica_groups=" + second +
            "\n",
        "replica_count=4, num_partitions=2");
  };
  Saturated run(text(kRows, kColumns), only({"gather-gather"}));
  CHECK(run.groups("r", "all-gather{0}(x)") == "{{0,2,4,6},{1,3,5,7}}");
  run.check_form("r", "all-gather{0}(x)");
}

// ---- gather-reduce ----

std::string gather_of_sum(const std::string& reducer, const std::string& sum,
                          const std::string& gathered) {
  const std::string type = reducer.substr(reducer.find('_') + 1);
  return program(parameter(shaped(type, 2, 3)) +
                 reduce("s", shaped(type, 2, 3), "x", reducer, sum) +
                 gather("ROOT r", shaped(type, 4, 3), "s", 0, gathered));
}
std::string sum_of_gather(const std::string& reducer, const std::string& sum,
                          const std::string& gathered) {
  const std::string type = reducer.substr(reducer.find('_') + 1);
  return program(parameter(shaped(type, 2, 3)) + gather("g", shaped(type, 4, 3), "x", 0, gathered) +
                 reduce("ROOT r", shaped(type, 4, 3), "g", reducer, sum));
}

TEST_CASE("gather-reduce: a sum passes a gather where the groups are aligned") {
  for (std::string reducer : {"add_s32", "minimum_f32"}) {
    Saturated forward(gather_of_sum(reducer, kRows, kColumns), only({"gather-reduce"}));
    CHECK(forward.groups("r", "all-reduce(all-gather{0}(x))") == kRows);
    forward.check_form("r", "all-reduce(all-gather{0}(x))");
    Saturated backward(sum_of_gather(reducer, kRows, kColumns), only({"gather-reduce"}));
    CHECK(backward.groups("r", "all-gather{0}(all-reduce(x))") == kColumns);
    backward.check_form("r", "all-gather{0}(all-reduce(x))");
  }
}

TEST_CASE("gather-reduce: a float sum may be made once and gathered, not the other way") {
  Saturated forward(gather_of_sum("add_f32", kRows, kColumns), only({"gather-reduce"}));
  CHECK(forward.refusal("gather-reduce/forward/all-reduce") == kMadeTwice);
  Saturated backward(sum_of_gather("add_f32", kRows, kColumns), only({"gather-reduce"}));
  CHECK_FALSE(backward.holds("r", "all-gather{0}(all-reduce(x))"));
  CHECK(backward.refines_to("r", "all-gather{0}(all-reduce(x))"));
  for (const std::string& text :
       {gather_of_sum("add_f32", kRows, kColumns), sum_of_gather("add_f32", kRows, kColumns)}) {
    Saturated reassoc(text, only({"gather-reduce"}, hlo::Numerics::kReassoc));
    CHECK(reassoc.holds("r", "all-gather{0}(all-reduce(x))"));
    CHECK(reassoc.holds("r", "all-reduce(all-gather{0}(x))"));
  }
}

TEST_CASE("gather-reduce: a scatter along another dim passes a gather on a grid") {
  const std::string first = parameter("s32[2,4] ");
  Saturated forward(program(first + scatter("s", "s32[2,2] ", "x", 1, "add_s32", kRows) +
                            gather("ROOT r", "s32[4,2] ", "s", 0, kColumns)),
                    only({"gather-reduce"}));
  CHECK(forward.groups("r", "reduce-scatter{1}(all-gather{0}(x))") == kRows);
  forward.check_form("r", "reduce-scatter{1}(all-gather{0}(x))");
  Saturated backward(program(first + gather("g", "s32[4,4] ", "x", 0, kColumns) +
                             scatter("ROOT r", "s32[4,2] ", "g", 1, "add_s32", kRows)),
                     only({"gather-reduce"}));
  backward.check_form("r", "all-gather{0}(reduce-scatter{1}(x))");
}

TEST_CASE("gather-reduce: refused where the groups are not aligned, or the dims are one") {
  Saturated same(gather_of_sum("add_s32", kRows, kRows), only({"gather-reduce"}));
  CHECK(same.refusal("gather-reduce/forward/all-reduce") == kNotAligned);
  const std::string scattered =
      parameter("s32[4,4] ") + scatter("s", "s32[2,4] ", "x", 0, "add_s32", kRows);
  Saturated dim(program(scattered + gather("ROOT r", "s32[4,4] ", "s", 0, kColumns)),
                only({"gather-reduce"}));
  CHECK(dim.refusal("gather-reduce/forward/reduce-scatter") == "both are along one dim");
  Saturated grid(program(scattered + gather("ROOT r", "s32[2,8] ", "s", 1, kRows)),
                 only({"gather-reduce"}));
  CHECK(grid.refusal("gather-reduce/forward/reduce-scatter") == kNotAGrid);
}

}  // namespace
}  // namespace flipsat::rules::testing
