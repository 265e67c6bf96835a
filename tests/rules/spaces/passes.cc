// The six passes: programs of their patterns, with what they ask for around them.
#include <algorithm>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

Space renamed(Space space, const std::string& pass) {
  space.rule = pass;
  space.direction.clear();
  return space;
}

// f(AG(a), AG(b)), with one channel id for both, one each, or none.
std::optional<Case> two_gathers(Choices& choices) {
  Grouping groups = some_grouping(choices);
  Dims dims = some_dims(choices, 1, 3, {2, 3, 1, 4});
  int64_t d = choices.below(static_cast<int64_t>(dims.size()));
  ElementType type = choices.of<ElementType>({ElementType::kS32, ElementType::kF32});
  Opcode opcode = choices.of<Opcode>({Opcode::kAdd, Opcode::kSubtract, Opcode::kDivide,
                                      Opcode::kMultiply, Opcode::kMaximum, Opcode::kPower});
  bool share_channel = choices.below(4) != 3;
  Case made;
  Program p(groups);
  Value a = p.all_gather(p.parameter(type, dims), d, groups);
  Value b = p.all_gather(p.parameter(type, dims), d, groups);
  made.module = p.finish(p.elementwise(opcode, {a, b}));
  if (share_channel && made.module[a].channel_id()) {
    made.module[b].set(hlo::AttributeKey::kChannelId, *made.module[a].channel_id());
  }
  made.candidates = [=] {
    Program q(groups);
    Value x = q.parameter(type, dims);
    Value y = q.parameter(type, dims);
    Modules modules;
    modules.push_back(q.finish(q.all_gather(q.elementwise(opcode, {x, y}), d, groups)));
    return modules;
  };
  return made;
}

const std::vector<ElementType> kWideAndNarrow = {ElementType::kBF16, ElementType::kF32,
                                                 ElementType::kF16,  ElementType::kF64,
                                                 ElementType::kS32,  ElementType::kS8};

struct Accumulated {
  Grouping groups;
  Dims dims;
  ElementType from, to;
  ReducerKind kind;
  bool scatters;

  Value reduce(Program& p, Value x) const {
    return scatters ? p.reduce_scatter(x, 0, kind, groups) : p.all_reduce(x, kind, groups);
  }
  hlo::Module built(bool convert_first) const {
    Program p(groups);
    Value x = p.parameter(from, dims);
    Value sum = convert_first ? reduce(p, p.convert(x, to)) : p.convert(reduce(p, x), to);
    Value old = p.part_of_parameter(to, p.dims(sum));
    return p.finish(p.elementwise(Opcode::kAdd, {sum, old}));
  }
};

std::optional<Case> accumulation(Choices& choices) {
  Accumulated a;
  a.groups = some_grouping(choices);
  a.from = choices.of(kWideAndNarrow);
  a.to = choices.of(kWideAndNarrow);
  if (a.from == a.to) return std::nullopt;
  a.kind =
      choices.of<ReducerKind>({ReducerKind::kAdd, ReducerKind::kMaximum, ReducerKind::kMultiply});
  a.scatters = choices.flag();
  a.dims = {choices.between(1, 2) * a.groups.size(), choices.of<int64_t>({1, 2, 12})};
  Case made;
  made.module = a.built(false);
  made.candidates = [=] {
    Modules modules;
    modules.push_back(a.built(true));
    return modules;
  };
  return made;
}

struct Scattered {
  Grouping groups;
  Dims dims;
  int64_t d, o;
  std::vector<int64_t> permutation;
  ElementType from, to;
  ReducerKind kind;
  int producer;

  Value produced(Program& p) const {
    Value x = p.parameter(from, dims);
    if (producer == 2) return x;
    if (producer == 1) return p.elementwise(Opcode::kAdd, {p.part_of_parameter(from, dims), x});
    Dims stacked = dims;
    stacked.insert(stacked.begin(), 1);
    std::vector<Value> starts(stacked.size(), p.integer(0));
    Value update = p.parameter(from, stacked);
    return p.reshape(p.dynamic_update_slice(p.reshape(x, stacked), update, starts), dims);
  }
  hlo::Module transpose_after() const {
    Program p(groups);
    Value sum = p.reduce_scatter(produced(p), d, kind, groups);
    if (from != to) sum = p.convert(sum, to);
    return p.finish(p.transpose(sum, permutation));
  }
  hlo::Module transpose_before() const {
    Program p(groups);
    Value x = produced(p);
    if (from != to) x = p.convert(x, to);
    return p.finish(p.reduce_scatter(p.transpose(x, permutation), o, kind, groups));
  }
};

std::optional<Case> scatter(Choices& choices) {
  Scattered s;
  s.groups = some_grouping(choices);
  s.dims = some_dims(choices, 1, 3, {1, 2, 3});
  auto rank = static_cast<int64_t>(s.dims.size());
  s.permutation = some_permutation(choices, static_cast<int>(rank));
  s.d = choices.below(rank);
  s.o = std::find(s.permutation.begin(), s.permutation.end(), s.d) - s.permutation.begin();
  s.dims[s.d] *= s.groups.size();
  s.from = choices.of(kWideAndNarrow);
  s.to = choices.flag() ? choices.of(kWideAndNarrow) : s.from;
  s.kind = choices.of<ReducerKind>({ReducerKind::kAdd, ReducerKind::kMaximum});
  s.producer = static_cast<int>(choices.below(3));
  Case made;
  made.module = s.transpose_after();
  made.candidates = [=] {
    Modules modules;
    modules.push_back(s.transpose_before());
    return modules;
  };
  return made;
}

Space space_of(const std::string& pass, std::optional<Case> (*make)(Choices&)) {
  Space space;
  space.rule = pass;
  space.make = make;
  space.sample = 4000;
  return space;
}

}  // namespace

std::vector<Space> pass_spaces() {
  return {
      renamed(gather_dynamic_slice_spaces()[0], "aws_neuron_flip_all_gather_dynamic_slice"),
      renamed(gather_convert_spaces()[0], "aws_neuron_flip_all_gather_convert"),
      renamed(gather_reshape_spaces()[0], "aws_neuron_flip_all_gather_reshape"),
      space_of("aws_neuron_flip_all_gathers_binary", two_gathers),
      space_of("aws_neuron_flip_reduce_convert_add", accumulation),
      space_of("aws_neuron_flip_reduce_scatter_transpose", scatter),
  };
}

}  // namespace flipsat::rules::testing
