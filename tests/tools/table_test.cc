#include "tools/table.h"

#include "tests/catch.h"
#include "tools/report.h"

using namespace flipsat;

namespace {

extract::ProgramCost program(extract::Picoseconds time, int64_t launches) {
  extract::ProgramCost cost;
  cost.time = time;
  cost.executed.launches = launches;
  cost.keys.push_back({"all-gather", "f32", "0", "1x8", launches, launches, 1024});
  return cost;
}

optimizer::Result result_of(extract::Picoseconds before, extract::Picoseconds after) {
  optimizer::Result result;
  result.input_cost = program(before, 7);
  result.greedy_cost = program(before, 6);
  result.output_cost = program(after, 5);
  result.verified.how = "symbolic";
  result.counts.partitions = 8;
  result.counts.source = "header";
  return result;
}

optimizer::Change some_change() {
  optimizer::Change change;
  change.at = "%convert.5";
  change.computation = "main";
  change.rules = {"gather-convert"};
  change.from = {"%all-gather.2", "%convert.5"};
  change.to = {"%all-gather.9"};
  change.source = "layers.py:42 (jit(step)/dot)";
  return change;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

TEST_CASE("the headline says what is gained, the objective first") {
  optimizer::Result result = result_of(200'000'000, 146'000'000);
  result.changes = {some_change()};
  result.verified.elements = 96;
  optimizer::Options options;
  CHECK(tools::headline(options, result) ==
        "time -27 % (200 us -> 146 us), launches -28.6 % (7 -> 5); 1 change, "
        "verified (symbolic, 96 elements), not proved");
  result.bound = 140'000'000;
  CHECK(tools::headline(options, result).ends_with(", within 4.11 % of optimal"));
  options.cost.objective = extract::Objective::kLaunches;
  CHECK(tools::headline(options, result).rfind("launches -28.6 %", 0) == 0);
}

TEST_CASE("the headline says when nothing was verified") {
  optimizer::Result result = result_of(200'000'000, 146'000'000);
  result.changes = {some_change()};
  result.verified.how = "off";
  CHECK(tools::headline({}, result).find("not verified") != std::string::npos);
}

TEST_CASE("nothing to gain is proved only by a bound that is reached") {
  optimizer::Result result = result_of(5, 5);
  CHECK(tools::headline({}, result) == "nothing to gain, not proved");
  result.bound = 4;
  CHECK(tools::headline({}, result) == "nothing to gain, not proved: within 20.00 % of optimal");
  result.bound = 5;
  CHECK(tools::headline({}, result) == "nothing to gain, proved");
}

TEST_CASE("the table shows keys that only one program has") {
  optimizer::Result result = result_of(5, 4);
  result.output_cost.keys[0].type = "bf16";
  const std::string table = tools::result_table("m.hlo", {}, result, {});
  CHECK(table.find("all-gather  bf16  0    1x8          0       0      5") != std::string::npos);
  CHECK(table.find("all-gather  f32   0    1x8          7       6      0") != std::string::npos);
  CHECK(table.find("total") != std::string::npos);
}

TEST_CASE("each change stands with its rule and its source line") {
  optimizer::Result result = result_of(5, 4);
  result.changes = {some_change()};
  const std::string table = tools::result_table("m.hlo", {}, result, {});
  CHECK(table.find("%convert.5 in main: gather-convert; layers.py:42 (jit(step)/dot)") !=
        std::string::npos);
}

TEST_CASE("a source that is a whole stack is cut short unless asked for") {
  optimizer::Result result = result_of(5, 4);
  result.changes = {some_change()};
  result.changes[0].source.assign(2000, 'x');
  const std::string table = tools::result_table("m.hlo", {}, result, {});
  CHECK(table.find(std::string(160, 'x') + "...") != std::string::npos);
  CHECK(table.find(std::string(161, 'x')) == std::string::npos);
  const tools::TableOptions verbose{.verbose = true};
  CHECK(tools::result_table("m.hlo", {}, result, verbose).find(std::string(2000, 'x')) !=
        std::string::npos);
}

TEST_CASE("launches of loops are told apart from those of the table") {
  optimizer::Result result = result_of(5, 4);
  CHECK(tools::result_table("m.hlo", {}, result, {}).find("runs ") == std::string::npos);
  result.output_cost.executed.launches = 50;
  CHECK(tools::result_table("m.hlo", {}, result, {}).find("runs  7 -> 50 launches (greedy 6)") !=
        std::string::npos);
}

TEST_CASE("a gap that is nearly nothing is not called nothing") {
  optimizer::Result result = result_of(575'012'000, 575'012'000);
  result.bound = 575'000'000;
  CHECK(tools::result_table("m.hlo", {}, result, {}).find("gap   <0.01 %") != std::string::npos);
}

TEST_CASE("the same note is said once") {
  optimizer::Result result = result_of(5, 4);
  result.notes = {"left alone: x", "left alone: x"};
  const std::string table = tools::result_table("m.hlo", {}, result, {});
  CHECK(table.find("left alone: x") == table.rfind("left alone: x"));
}

TEST_CASE("many changes are cut short unless asked for") {
  optimizer::Result result = result_of(5, 4);
  result.changes.assign(30, some_change());
  CHECK(tools::result_table("m.hlo", {}, result, {}).find("and 10 more") != std::string::npos);
  const tools::TableOptions verbose{.verbose = true};
  CHECK(tools::result_table("m.hlo", {}, result, verbose).find("more (") == std::string::npos);
}

TEST_CASE("colour is used only where it is wanted") {
  const optimizer::Result result = result_of(5, 4);
  CHECK(tools::result_table("m.hlo", {}, result, {}).find('\x1b') == std::string::npos);
  const tools::TableOptions colour{.colour = true};
  CHECK(first_line(tools::result_table("m.hlo", {}, result, colour)).find('\x1b') == 0);
}

TEST_CASE("bound and gap are in the objective's unit, null without a bound") {
  optimizer::Result result = result_of(200'000'000, 100'000'000);
  tools::Json report = tools::optimize_report("m.hlo", {}, result);
  CHECK(report["bound"].is_null());
  CHECK(report["gap"].is_null());

  result.bound = 75'000'000;
  report = tools::optimize_report("m.hlo", {}, result);
  CHECK(tools::json_text(report["bound"]) == "{\"objective\": \"time\", \"value\": 75}\n");
  CHECK(report["gap"] == 0.25);

  optimizer::Options launches;
  launches.cost.objective = extract::Objective::kLaunches;
  result.bound = 4;
  report = tools::optimize_report("m.hlo", launches, result);
  CHECK(report["bound"]["value"] == 4);
  CHECK(report["gap"] == 0.2);
}

TEST_CASE("a gap of nothing is nothing") {
  optimizer::Result result = result_of(0, 0);
  result.bound = 0;
  CHECK(tools::optimize_report("m.hlo", {}, result)["gap"] == 0.0);
}
