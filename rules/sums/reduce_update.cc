// reduce-update
//
//   AR(DUS_d(e, x, o)) = AG_d(x)
//
// e is filled with the reduction's identity, and o gives each member of a group another block of d.
// What torch_xla and others emulate a gather by: every member adds its block to nothing.
//
// Exact for integers, and where the identity leaves every value as it is: false, true, the least
// and the largest value, one, -0.0. Added to +0.0 a -0.0 becomes +0.0: reassoc.
#include "hlo/element_type.h"
#include "hlo/literal.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kUpdate{"update"};
constexpr ClassVar kBase{"base"};

enum class Identity : uint8_t { kNone, kExact, kButForZeros };

Identity identity_of_bits(const hlo::Literal& literal, const hlo::Reducer& reducer) {
  const std::optional<uint64_t> bits = literal.bits_at(0);
  if (!bits || literal.shape.type != reducer.type) return Identity::kNone;
  const auto exactly = [&](bool is_identity) {
    return is_identity ? Identity::kExact : Identity::kNone;
  };
  const auto is_value = [&](int64_t value) {
    const hlo::LiteralRef wanted = hlo::exact_scalar(reducer.type, value);
    return wanted && wanted->bits_at(0) == bits;
  };
  const std::optional<hlo::FloatFormat> format = hlo::float_format(reducer.type);
  const int width = hlo::bit_width(reducer.type);
  switch (reducer.kind) {
    case hlo::ReducerKind::kAdd: {
      if (format && format->has_negative_zero && *bits == uint64_t{1} << (width - 1)) {
        return Identity::kExact;
      }
      if (!is_value(0)) return Identity::kNone;
      return format ? Identity::kButForZeros : Identity::kExact;
    }
    case hlo::ReducerKind::kMultiply:
      return exactly(is_value(1));
    case hlo::ReducerKind::kAnd:
      return exactly(is_value(1));
    case hlo::ReducerKind::kOr:
      return exactly(is_value(0));
    case hlo::ReducerKind::kMinimum:
    case hlo::ReducerKind::kMaximum: {
      const bool is_least = reducer.kind == hlo::ReducerKind::kMaximum;
      if (format) {
        if (!format->has_infinity) return Identity::kNone;
        const uint64_t infinity = ((uint64_t{1} << format->exponent_bits) - 1)
                                  << format->mantissa_bits;
        return exactly(*bits == (is_least ? infinity | uint64_t{1} << (width - 1) : infinity));
      }
      if (reducer.type == hlo::ElementType::kPred) return exactly(is_value(is_least ? 0 : 1));
      const bool is_signed = hlo::is_signed_integer(reducer.type);
      const int64_t least = is_signed ? -(int64_t{1} << (width - 1)) : 0;
      const std::optional<int64_t> value = literal.integer_at(0);
      if (is_least) return exactly(value == least);
      // The largest u64 reads as -1.
      if (!is_signed && width == 64) return exactly(value == -1);
      const int64_t largest = is_signed ? -(least + 1) : (int64_t{1} << width) - 1;
      return exactly(value == largest);
    }
  }
  return Identity::kNone;
}

// Is every element of a class an identity of the reduction?
Identity identity_in(const HloGraph& h, ClassId cls, const hlo::Reducer& reducer) {
  for (NodeId node : h.graph().nodes(cls)) {
    const Operator& op = h.op(node);
    if (op.kind == Kind::kBroadcast && h.shape(h.graph().children(node)[0]).rank() == 0) {
      Identity found = identity_in(h, h.graph().children(node)[0], reducer);
      if (found != Identity::kNone) return found;
    }
    if (op.kind == Kind::kConstant && op.shape.rank() == 0) {
      return identity_of_bits(*op.literal, reducer);
    }
  }
  return Identity::kNone;
}

// The dim that is gathered and the groups with members sorted by the block that they update.
struct Blocks {
  int dim = -1;
  hlo::DeviceGroups groups;
};

std::optional<Blocks> blocks_of(const HloGraph& h, const Match& m, int rank, const char** reason) {
  const hlo::Dims& whole = h.dims(m[kBase]);
  const hlo::Dims& part = h.dims(m[kX]);
  const hlo::DeviceGroups& groups = *h.collective(m.node(kReduction)).groups;
  Blocks blocks;
  for (int dim = 0; dim < rank; ++dim) {
    if (part[dim] == whole[dim]) continue;
    if (blocks.dim >= 0 || part[dim] * groups.group_size() != whole[dim]) {
      *reason = "the updates of a group do not fill the array";
      return std::nullopt;
    }
    blocks.dim = dim;
  }
  if (blocks.dim < 0) {
    *reason = "every member updates all of the array";
    return std::nullopt;
  }
  const int64_t block = part[blocks.dim];
  std::vector<int64_t> starts = clamped_starts(h, m[kStarts[blocks.dim]], whole[blocks.dim], block);
  if (starts.empty()) {
    *reason = "where a device updates is not known";
    return std::nullopt;
  }
  for (std::vector<int64_t> group : groups.groups) {
    std::ranges::sort(group, {}, [&](int64_t member) { return starts[member]; });
    for (size_t i = 0; i < group.size(); ++i) {
      if (starts[group[i]] == static_cast<int64_t>(i) * block) continue;
      *reason = "the members of a group do not update a block each";
      return std::nullopt;
    }
    blocks.groups.groups.push_back(std::move(group));
  }
  return blocks;
}

void add_rank(RuleBook& book, int rank) {
  HloGraph& h = book.hlo();
  const hlo::Numerics allowed = book.options().numerics;
  std::vector<Pattern> children{kBase, kX};
  for (int dim = 0; dim < rank; ++dim) children.push_back(kStarts[dim]);
  Pattern update =
      egraph::node(language::kind_number(Kind::kDynamicUpdateSlice), kUpdate, std::move(children));
  book.add(book.rule("rank" + std::to_string(rank), all_reduce(kReduction, std::move(update)))
               .where([&h, rank, allowed](const Match& m) -> Verdict {
                 const hlo::Reducer& reducer = *h.collective(m.node(kReduction)).reducer;
                 switch (identity_in(h, m[kBase], reducer)) {
                   case Identity::kNone:
                     return refuse("what is updated is not known to be the reduction's identity");
                   case Identity::kButForZeros:
                     if (allowed >= hlo::Numerics::kReassoc) break;
                     return refuse("-0.0 added to +0.0 changes its sign (--numerics reassoc)");
                   case Identity::kExact:
                     break;
                 }
                 const char* reason = nullptr;
                 if (!blocks_of(h, m, rank, &reason)) return refuse(reason);
                 return accept();
               })
               .then([&h, rank](EGraph&, const Match& m) -> Outcome {
                 const char* reason = nullptr;
                 const Blocks blocks = *blocks_of(h, m, rank, &reason);
                 const NodeId reduction = m.node(kReduction);
                 auto collective =
                     h.collectives().as_gather(h.op(reduction).collective, blocks.groups);
                 if (!collective) return refuse("a gather cannot have these groups");
                 return h.all_gather(m[kX], blocks.dim, *collective, {reduction});
               })
               .looks_elsewhere());
}

void add(RuleBook& book) {
  for (int rank = 1; rank <= kMaxRank; ++rank) add_rank(book, rank);
}

}  // namespace

Family reduce_update() {
  return {{.name = "reduce-update",
           .family = "collective algebra",
           .equation = "AR(DUS_d(e, x, position * block)) = AG_d(x)",
           .condition = "e is the reduction's identity everywhere, and in every group each member "
                        "updates another block; a float sum over +0.0: reassoc",
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules
