// gather-convert: every pair of types, every grouping, small shapes.
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

std::optional<Case> make(Choices& choices, bool forward) {
  Grouping groups = some_grouping(choices);
  Dims dims = some_dims(choices, 1, 3, {1, 2, 3});
  int64_t dim = choices.below(static_cast<int64_t>(dims.size()));
  ElementType from = choices.of(kAllTypes);
  ElementType to = choices.of(kAllTypes);
  if (from == to) return std::nullopt;
  auto convert_after = [=](const Grouping& over) {
    Program p(over);
    return p.finish(p.convert(p.all_gather(p.parameter(from, dims), dim, over), to));
  };
  auto convert_before = [=](const Grouping& over) {
    Program p(over);
    return p.finish(p.all_gather(p.convert(p.parameter(from, dims), to), dim, over));
  };
  Case made;
  made.module = forward ? convert_after(groups) : convert_before(groups);
  made.candidates = [=] {
    Modules modules;
    modules.push_back(forward ? convert_before(groups) : convert_after(groups));
    return modules;
  };
  made.faulty = [=] {
    Modules modules;
    auto turned = in_another_order(groups);
    if (turned) modules.push_back(forward ? convert_before(*turned) : convert_after(*turned));
    return modules;
  };
  return made;
}

}  // namespace

std::vector<Space> gather_convert_spaces() {
  std::vector<Space> spaces;
  for (bool forward : {true, false}) {
    Space space;
    space.rule = "gather-convert";
    space.direction = forward ? "forward" : "backward";
    space.make = [=](Choices& choices) { return make(choices, forward); };
    space.sample = 4000;
    space.fault = "members in another order";
    spaces.push_back(std::move(space));
  }
  return spaces;
}

}  // namespace flipsat::rules::testing
