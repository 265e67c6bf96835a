#include "tools/vary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>

#include "extract/machine_model.h"
#include "extract/saturating.h"
#include "tools/suggest.h"
#include "tools/units.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

using extract::CostOptions;
using extract::Machine;
using Limits = hlo::CombinerOptions::Limits;

constexpr double kLargest = 9e18;  // below INT64_MAX

struct Parameter {
  const char* name;
  const char* alias;  // or the name again
  const char* meaning;
  VaryUnit unit;
  int64_t& (*figure)(Machine&);  // null for a cap of the combiner,
  int64_t Limits::*cap;          // which this is then
  bool is_hidden_by_curves;      // measured launches stand in place of it
};

constexpr auto kTime = VaryUnit::kMicroseconds;
constexpr auto kRate = VaryUnit::kGigabytesPerSecond;

const std::array<Parameter, 8> kParameters = {{
    {"alpha", "launch", "launch time", kTime, [](Machine& m) -> int64_t& { return m.launch; },
     nullptr, false},
    {"step", "on-node-step", "step time on a node", kTime,
     [](Machine& m) -> int64_t& { return m.on_node.step; }, nullptr, true},
    {"off-node-step", "off-node-step", "step time between nodes", kTime,
     [](Machine& m) -> int64_t& { return m.off_node.step; }, nullptr, false},
    {"beta", "bandwidth", "bandwidth on a node", kRate,
     [](Machine& m) -> int64_t& { return m.on_node.bytes_per_second; }, nullptr, true},
    {"off-node-beta", "off-node-bandwidth", "bandwidth between nodes", kRate,
     [](Machine& m) -> int64_t& { return m.off_node.bytes_per_second; }, nullptr, false},
    {"memory", "memory-bandwidth", "memory bandwidth", kRate,
     [](Machine& m) -> int64_t& { return m.memory_bytes_per_second; }, nullptr, false},
    {"max-bytes", "max-bytes", "most bytes of a launch", VaryUnit::kBytes, nullptr,
     &Limits::max_bytes, false},
    {"max-count", "max-count", "most collectives of a launch", VaryUnit::kCount, nullptr,
     &Limits::max_count, false},
}};

double size_of(VaryUnit unit) {
  switch (unit) {
    case VaryUnit::kMicroseconds:
      return 1e6;
    case VaryUnit::kGigabytesPerSecond:
      return 1e9;
    case VaryUnit::kBytes:
    case VaryUnit::kCount:
      break;
  }
  return 1;
}

const Parameter& parameter_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : kParameters) {
    if (name == parameter.name || name == parameter.alias) return parameter;
    names.insert(names.end(), {parameter.name, parameter.alias});
  }
  throw UsageError(fmt::format("--vary: there is no parameter '{}' ({}){}", name, vary_names(),
                               did_you_mean(name, names)));
}

std::vector<Limits*> enabled_limits(hlo::CombinerOptions& combiner) {
  std::vector<Limits*> enabled;
  for (Limits* limits : {&combiner.all_gather, &combiner.all_reduce, &combiner.reduce_scatter,
                         &combiner.collective_permute}) {
    if (limits->enabled) enabled.push_back(limits);
  }
  return enabled;
}

struct Setting {
  std::string given;
  double number = 0;
  bool is_factor = false;
};

Setting read_setting(const std::string& given) {
  Setting setting{given, 0, given.ends_with('x')};
  const char* end = given.data() + given.size() - (setting.is_factor ? 1 : 0);
  const auto [stopped, error] = std::from_chars(given.data(), end, setting.number);
  if (error != std::errc() || stopped != end || !std::isfinite(setting.number) ||
      setting.number < 0) {
    throw UsageError(
        fmt::format("--vary: '{}' is neither a number nor a factor such as 2x", given));
  }
  return setting;
}

// Factors are of the figure as it is. A cap that was all but unlimited stays so.
int64_t set_to(const Setting& setting, const Parameter& parameter, int64_t base) {
  if (setting.is_factor && setting.number == 1) return base;
  const double wanted = setting.is_factor ? static_cast<double>(base) * setting.number
                                          : setting.number * size_of(parameter.unit);
  if (!(wanted < kLargest)) {
    if (parameter.cap && setting.is_factor) return std::numeric_limits<int64_t>::max();
    throw UsageError(
        fmt::format("--vary {}={}: the figure is too large", parameter.name, setting.given));
  }
  if (setting.is_factor && setting.number == 0) {
    throw UsageError(fmt::format("--vary {}={}: a factor has to be above 0{}", parameter.name,
                                 setting.given,
                                 parameter.unit == kTime ? "; 0 without the x is no time" : ""));
  }
  const int64_t least = parameter.unit == kTime ? 0 : 1;
  const int64_t figure = std::llround(wanted);
  if (figure < least) {
    throw UsageError(
        fmt::format("--vary {}={}: the figure is too small", parameter.name, setting.given));
  }
  return figure;
}

// Measured launches include the launch time: they come later or earlier by as much as it grows.
void shift_curves(Machine& machine, extract::Picoseconds launch_before) {
  for (extract::Curve& curve : machine.curves) {
    for (extract::CurvePoint& point : curve.points) {
      point.time = extract::saturating_add(point.time - launch_before, machine.launch);
    }
    curve =
        extract::make_curve(curve.opcode, curve.devices, std::move(curve.points), machine.launch);
  }
}

VaryValue value_of(const Setting& setting, const Parameter& parameter, const CostOptions& base) {
  VaryValue value{setting.given, 0, base};
  if (!parameter.figure) {
    // What is shown of caps that differ by opcode is the first; a factor holds for each.
    for (Limits* limits : enabled_limits(value.cost.combiner)) {
      limits->*parameter.cap = set_to(setting, parameter, limits->*parameter.cap);
    }
    value.figure = enabled_limits(value.cost.combiner).front()->*parameter.cap;
    return value;
  }
  auto machine = std::make_shared<Machine>(extract::machine_of(base));
  const extract::Picoseconds launch_before = machine->launch;
  int64_t& figure = parameter.figure(*machine);
  figure = set_to(setting, parameter, figure);
  value.figure = figure;
  if (machine->launch != launch_before) shift_curves(*machine, launch_before);
  value.cost.figures = std::move(machine);
  return value;
}

}  // namespace

Variation read_variation(const std::string& text, const CostOptions& base) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw UsageError(fmt::format("--vary: '{}' is not of the form alpha=0.5x,2x", text));
  }
  const Parameter& parameter = parameter_named(text.substr(0, equals));
  if (parameter.cap) {
    hlo::CombinerOptions combiner = base.combiner;
    if (enabled_limits(combiner).empty()) {
      throw UsageError(fmt::format("--vary {}: the combiner '{}' combines nothing", parameter.name,
                                   combiner.name));
    }
  }
  Variation variation{text.substr(0, equals), parameter.meaning, parameter.unit, 0, {}, {}};
  variation.base = value_of({"1x", 1, true}, parameter, base).figure;
  for (size_t at = equals + 1; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    variation.values.push_back(value_of(read_setting(text.substr(at, end - at)), parameter, base));
    at = end + 1;
  }
  if (parameter.is_hidden_by_curves && !extract::machine_of(base).curves.empty()) {
    variation.note = fmt::format(
        "launches on a node of {} take their measured time: only those vary that no curve covers",
        extract::machine_of(base).name);
  }
  return variation;
}

std::string vary_names() {
  std::string names;
  for (const Parameter& parameter : kParameters) {
    names += (names.empty() ? "" : ", ") + std::string(parameter.name);
  }
  return names;
}

std::string readable_figure(int64_t figure, VaryUnit unit) {
  switch (unit) {
    case VaryUnit::kMicroseconds:
      return readable_time(figure);
    case VaryUnit::kGigabytesPerSecond:
      return fmt::format("{:.6g} GB/s", static_cast<double>(figure) / size_of(unit));
    case VaryUnit::kBytes:
      return readable_bytes(figure);
    case VaryUnit::kCount:
      break;
  }
  return std::to_string(figure);
}

}  // namespace flipsat::tools
