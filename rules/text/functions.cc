#include "rules/text/functions.h"

#include <algorithm>

#include "hlo/data_movement.h"
#include "hlo/device_partition.h"

namespace flipsat::rules::text {
namespace {

using Arguments = std::span<const Value>;

constexpr int64_t kMaxRange = 64;

int64_t integer(const Value& value) { return std::get<int64_t>(value); }
const List& list(const Value& value) { return std::get<List>(value); }
const Groups& groups(const Value& value) { return std::get<Groups>(value); }
hlo::ElementType element(const Value& value) { return std::get<Type>(value).element; }

bool is_index(int64_t at, const List& of) {
  return at >= 0 && at < static_cast<int64_t>(of.size());
}

List dims_of(const Known& known, const Value& operand) {
  hlo::Shape shape = known.shape(std::get<Operand>(operand));
  return {shape.dims.begin(), shape.dims.end()};
}

hlo::Dims as_dims(const Value& value) { return {list(value).begin(), list(value).end()}; }

template <class Operation>
Value checked(Operation overflows, Arguments a) {
  int64_t result = 0;
  if (overflows(integer(a[0]), integer(a[1]), &result)) return {};
  return result;
}
Value plus(const Known&, Arguments a) {
  return checked([](int64_t x, int64_t y, int64_t* z) { return __builtin_add_overflow(x, y, z); },
                 a);
}
Value minus(const Known&, Arguments a) {
  return checked([](int64_t x, int64_t y, int64_t* z) { return __builtin_sub_overflow(x, y, z); },
                 a);
}
Value times(const Known&, Arguments a) {
  return checked([](int64_t x, int64_t y, int64_t* z) { return __builtin_mul_overflow(x, y, z); },
                 a);
}
// Division without a rest.
Value over(const Known&, Arguments a) {
  if (integer(a[0]) < 0 || integer(a[1]) <= 0 || integer(a[0]) % integer(a[1]) != 0) return {};
  return integer(a[0]) / integer(a[1]);
}
Value rest(const Known&, Arguments a) {
  if (integer(a[0]) < 0 || integer(a[1]) <= 0) return {};
  return integer(a[0]) % integer(a[1]);
}

Value entry(const Known&, Arguments a) {
  if (!is_index(integer(a[1]), list(a[0]))) return {};
  return list(a[0])[integer(a[1])];
}
Value make_list(const Known&, Arguments a) {
  List result;
  for (const Value& value : a) result.push_back(integer(value));
  return result;
}
Value range(const Known&, Arguments a) {
  if (integer(a[1]) < integer(a[0]) || integer(a[1]) > kMaxRange || integer(a[0]) < 0) return {};
  List result;
  for (int64_t i = integer(a[0]); i < integer(a[1]); ++i) result.push_back(i);
  return result;
}
Value set(const Known&, Arguments a) {
  List result = list(a[0]);
  if (!is_index(integer(a[1]), result)) return {};
  result[integer(a[1])] = integer(a[2]);
  return result;
}
Value insert(const Known&, Arguments a) {
  List result = list(a[0]);
  if (integer(a[1]) != static_cast<int64_t>(result.size()) && !is_index(integer(a[1]), result)) {
    return {};
  }
  result.insert(result.begin() + integer(a[1]), integer(a[2]));
  return result;
}
Value remove(const Known&, Arguments a) {
  List result = list(a[0]);
  if (!is_index(integer(a[1]), result)) return {};
  result.erase(result.begin() + integer(a[1]));
  return result;
}
Value take(const Known&, Arguments a) {
  if (integer(a[1]) < 0 || integer(a[1]) > static_cast<int64_t>(list(a[0]).size())) return {};
  return List(list(a[0]).begin(), list(a[0]).begin() + integer(a[1]));
}
Value drop(const Known&, Arguments a) {
  if (integer(a[1]) < 0 || integer(a[1]) > static_cast<int64_t>(list(a[0]).size())) return {};
  return List(list(a[0]).begin() + integer(a[1]), list(a[0]).end());
}
Value product(const Known&, Arguments a) { return hlo::product(as_dims(a[0])); }
Value length(const Known&, Arguments a) { return static_cast<int64_t>(list(a[0]).size()); }

// Where a number stands in a list that has it once.
Value position(const Known&, Arguments a) {
  const List& in = list(a[1]);
  if (std::count(in.begin(), in.end(), integer(a[0])) != 1) return {};
  return static_cast<int64_t>(std::find(in.begin(), in.end(), integer(a[0])) - in.begin());
}
// s[p[0]], s[p[1]], ..
Value permute(const Known&, Arguments a) {
  List result;
  for (int64_t from : list(a[1])) {
    if (!is_index(from, list(a[0]))) return {};
    result.push_back(list(a[0])[from]);
  }
  return result;
}
Value inverse(const Known&, Arguments a) {
  const List& p = list(a[0]);
  List result(p.size(), -1);
  for (size_t i = 0; i < p.size(); ++i) {
    if (!is_index(p[i], p) || result[p[i]] != -1) return {};
    result[p[i]] = static_cast<int64_t>(i);
  }
  return result;
}
// Without the entries that stand in the other list.
Value except(const Known&, Arguments a) {
  List result = list(a[0]);
  std::erase_if(result, [&](int64_t entry) {
    return std::find(list(a[1]).begin(), list(a[1]).end(), entry) != list(a[1]).end();
  });
  return result;
}
// The one place where two lists of one length differ.
Value differs_at(const Known&, Arguments a) {
  const List &s = list(a[0]), &t = list(a[1]);
  if (s.size() != t.size()) return {};
  Value at;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == t[i]) continue;
    if (is_known(at)) return {};
    at = static_cast<int64_t>(i);
  }
  return at;
}
Value gather_dim(const Known&, Arguments a) {
  if (!is_index(integer(a[1]), list(a[0])) || integer(a[3]) < 1) return {};
  auto dim = hlo::gather_dim_after_reshape(as_dims(a[0]), static_cast<int>(integer(a[1])),
                                           as_dims(a[2]), integer(a[3]));
  return dim ? Value(int64_t{*dim}) : Value();
}

Value dims(const Known& known, Arguments a) { return dims_of(known, a[0]); }
Value rank(const Known& known, Arguments a) {
  return static_cast<int64_t>(dims_of(known, a[0]).size());
}
Value type(const Known& known, Arguments a) {
  return type_of(known.shape(std::get<Operand>(a[0])));
}
Value size(const Known&, Arguments a) { return groups(a[0]).members->group_size(); }
Value sorted(const Known&, Arguments a) {
  return groups(a[0]).with_members(groups(a[0]).members->without_order());
}

Value equal(const Known&, Arguments a) { return a[0] == a[1]; }
Value unequal(const Known&, Arguments a) { return a[0] != a[1]; }
Value less(const Known&, Arguments a) { return integer(a[0]) < integer(a[1]); }
Value at_most(const Known&, Arguments a) { return integer(a[0]) <= integer(a[1]); }
Value one_of(const Known&, Arguments a) {
  return std::find(a.begin() + 1, a.end(), a[0]) != a.end();
}
Value none_of(const Known&, Arguments a) {
  return std::find(a.begin() + 1, a.end(), a[0]) == a.end();
}
Value member(const Known&, Arguments a) {
  return std::find(list(a[1]).begin(), list(a[1]).end(), integer(a[0])) != list(a[1]).end();
}
Value no_member(const Known&, Arguments a) {
  return std::find(list(a[1]).begin(), list(a[1]).end(), integer(a[0])) == list(a[1]).end();
}
Value divides(const Known&, Arguments a) {
  return integer(a[0]) > 0 && integer(a[1]) % integer(a[0]) == 0;
}
Value is_integer(const Known&, Arguments a) { return hlo::is_integer(element(a[0])); }
Value is_float(const Known&, Arguments a) { return hlo::is_float(element(a[0])); }
Value keeps_values(const Known&, Arguments a) {
  return hlo::convert_preserves_values(element(a[0]), element(a[1]));
}
Value idempotent(const Known&, Arguments a) {
  return hlo::is_idempotent(std::get<hlo::ReducerKind>(a[0]));
}
Value uniform(const Known& known, Arguments a) {
  return known.uniform(std::get<Operand>(a[0]), *groups(a[1]).members);
}
Value equals(const Known& known, Arguments a) {
  const List* values = known.values(std::get<Operand>(a[0]));
  return values && std::all_of(values->begin(), values->end(),
                               [&](int64_t value) { return value == integer(a[1]); });
}

const Pairs& pairs(const Value& value) { return std::get<Pairs>(value); }

// What both permutes do, one after the other. Who receives nothing holds zeros, and so do those it
// sends to.
Value then(const Known&, Arguments a) {
  Pairs result = pairs(a[0]);
  result.pairs.clear();
  for (const auto& [source, middle] : pairs(a[0]).pairs) {
    for (const auto& [from, target] : pairs(a[1]).pairs) {
      if (from == middle) result.pairs.emplace_back(source, target);
    }
  }
  return result;
}
Value covers_all(const Known& known, Arguments a) {
  return static_cast<int64_t>(pairs(a[0]).pairs.size()) == known.devices();
}
// The same on each source and its target.
Value uniform_across(const Known& known, Arguments a) {
  for (const auto& [source, target] : pairs(a[1]).pairs) {
    if (!known.uniform(std::get<Operand>(a[0]), {{{source, target}}})) return false;
  }
  return true;
}

// Start indices as they act on an array of dims `whole`, cut to `sizes`.
struct Cut {
  const std::vector<Operand>& starts;
  const List& whole;
  const List& sizes;

  bool is_sound() const {
    if (starts.size() != whole.size() || starts.size() != sizes.size()) return false;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] < 0 || sizes[i] > whole[i]) return false;
    }
    return true;
  }
  // By device, clamped; empty where not known.
  List at(const Known& known, size_t dim) const {
    const List* values = known.values(starts[dim]);
    if (!values) return {};
    List clamped = *values;
    for (int64_t& value : clamped) value = std::clamp<int64_t>(value, 0, whole[dim] - sizes[dim]);
    return clamped;
  }
};

Cut cut_of(const Value& starts, const Value& whole, const Value& sizes) {
  return {std::get<std::vector<Operand>>(starts), list(whole), list(sizes)};
}

// Every start index.
Value uniform_starts(const Known& known, Arguments a) {
  for (Operand start : std::get<std::vector<Operand>>(a[0])) {
    if (!known.uniform(start, *groups(a[1]).members)) return false;
  }
  return true;
}
// Those of the dims that are cut, after clamping.
Value uniform_cut(const Known& known, Arguments a) {
  Cut cut = cut_of(a[0], a[2], a[3]);
  if (!cut.is_sound()) return {};
  for (size_t i = 0; i < cut.starts.size(); ++i) {
    if (cut.sizes[i] == cut.whole[i] || known.uniform(cut.starts[i], *groups(a[1]).members)) {
      continue;
    }
    List values = cut.at(known, i);
    if (values.empty() ||
        !hlo::DevicePartition::of_values(values).uniform_within(*groups(a[1]).members)) {
      return false;
    }
  }
  return true;
}

// The members of each group sorted by the shard of `dim` that they keep, if each keeps another one
// and together they keep all of it; no other dim is cut.
Value by_shard(const Known& known, Arguments a) {
  Cut cut = cut_of(a[0], a[3], a[4]);
  int64_t dim = integer(a[1]);
  if (!cut.is_sound() || !is_index(dim, cut.whole)) return {};
  for (int64_t i = 0; i < static_cast<int64_t>(cut.whole.size()); ++i) {
    if (i != dim && cut.sizes[i] != cut.whole[i]) return {};
  }
  List starts = cut.at(known, dim);
  hlo::DeviceGroups ordered = *groups(a[2]).members;
  int64_t size = cut.sizes[dim];
  if (starts.empty() || size == 0 || cut.whole[dim] % size != 0) return {};
  if (cut.whole[dim] / size != ordered.group_size()) return {};
  for (List& group : ordered.groups) {
    std::sort(group.begin(), group.end(),
              [&](int64_t x, int64_t y) { return starts[x] < starts[y]; });
    for (size_t i = 0; i < group.size(); ++i) {
      if (starts[group[i]] != static_cast<int64_t>(i) * size) return {};
    }
  }
  return groups(a[2]).with_members(std::move(ordered));
}
// Each member keeps the shard of its place in the group.
Value own_shard(const Known& known, Arguments a) {
  Value ordered = by_shard(known, a);
  return is_known(ordered) && *groups(ordered).members == *groups(a[2]).members;
}

}  // namespace

std::span<const FunctionRow> function_table() {
  using enum Sort;
  static const std::vector<FunctionRow> kTable = {
      {"+", {kInteger, kInteger}, kInteger, plus},
      {"-", {kInteger, kInteger}, kInteger, minus},
      {"*", {kInteger, kInteger}, kInteger, times},
      {"/", {kInteger, kInteger}, kInteger, over},
      {"%", {kInteger, kInteger}, kInteger, rest},
      {"[]", {kList, kInteger}, kInteger, entry},
      {"list", {kInteger}, kList, make_list, true},
      {"range", {kInteger, kInteger}, kList, range},
      {"set", {kList, kInteger, kInteger}, kList, set},
      {"insert", {kList, kInteger, kInteger}, kList, insert},
      {"remove", {kList, kInteger}, kList, remove},
      {"take", {kList, kInteger}, kList, take},
      {"drop", {kList, kInteger}, kList, drop},
      {"product", {kList}, kInteger, product},
      {"length", {kList}, kInteger, length},
      {"position", {kInteger, kList}, kInteger, position},
      {"permute", {kList, kList}, kList, permute},
      {"inverse", {kList}, kList, inverse},
      {"except", {kList, kList}, kList, except},
      {"differs-at", {kList, kList}, kInteger, differs_at},
      {"gather-dim", {kList, kInteger, kList, kInteger}, kInteger, gather_dim},
      {"dims", {kOperand}, kList, dims},
      {"rank", {kOperand}, kInteger, rank},
      {"type", {kOperand}, kType, type},
      {"size", {kGroups}, kInteger, size},
      {"sorted", {kGroups}, kGroups, sorted},
      {"by-shard", {kOperands, kInteger, kGroups, kList, kList}, kGroups, by_shard},
      {"then", {kPairs, kPairs}, kPairs, then},
      {"covers-all", {kPairs}, kTruth, covers_all},
      {"==", {kAny, kAny}, kTruth, equal},
      {"!=", {kAny, kAny}, kTruth, unequal},
      {"<", {kInteger, kInteger}, kTruth, less},
      {"<=", {kInteger, kInteger}, kTruth, at_most},
      {"in", {kInteger, kList}, kTruth, member},
      {"in", {kAny, kAny}, kTruth, one_of, true},
      {"not in", {kInteger, kList}, kTruth, no_member},
      {"not in", {kAny, kAny}, kTruth, none_of, true},
      {"divides", {kInteger, kInteger}, kTruth, divides},
      {"integer", {kType}, kTruth, is_integer},
      {"float", {kType}, kTruth, is_float},
      {"keeps-values", {kType, kType}, kTruth, keeps_values},
      {"idempotent", {kReducer}, kTruth, idempotent},
      {"uniform", {kOperand, kGroups}, kTruth, uniform},
      {"uniform", {kOperand, kPairs}, kTruth, uniform_across},
      {"uniform", {kOperands, kGroups}, kTruth, uniform_starts},
      {"uniform", {kOperands, kGroups, kList, kList}, kTruth, uniform_cut},
      {"equals", {kOperand, kInteger}, kTruth, equals},
      {"own-shard", {kOperands, kInteger, kGroups, kList, kList}, kTruth, own_shard},
  };
  return kTable;
}

}  // namespace flipsat::rules::text
