#include "verify/excerpt.h"

#include <algorithm>
#include <set>

#include "verify/border.h"
#include "verify/evaluator.h"
#include "verify/excerpt_module.h"
#include "verify/facts.h"
#include "verify/neighbourhood_key.h"
#include "verify/pairing.h"
#include "verify/region_check.h"
#include "verify/same_operation.h"

namespace flipsat::verify {

using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::kNoId;
using hlo::Module;
using hlo::Opcode;

namespace {

using Values = std::vector<std::pair<InstructionId, InstructionId>>;  // of before, of after

// Equal operands make equal results, and nothing can be said of results otherwise.
bool goes_by_operands(Opcode opcode) {
  switch (opcode) {
    case Opcode::kTuple:
    case Opcode::kCall:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kFusion:
    case Opcode::kCustomCall:
    case Opcode::kOptBarrier:
    case Opcode::kOutfeed:
    case Opcode::kSend:
    case Opcode::kAsyncStart:
      return true;
    default:
      return hlo::synchronous(opcode) != opcode;
  }
}

bool all_arrays(const hlo::Shape& shape) {
  if (!shape.is_tuple()) return shape.is_array() && shape.is_static();
  return std::ranges::all_of(*shape.parts, all_arrays);
}

std::vector<FedArray> fed_arrays(Facts& facts, const Module& module, InstructionId id) {
  std::vector<FedArray> arrays(hlo::leaf_count(module[id].shape));
  for (size_t part = 0; part < arrays.size(); ++part) {
    const hlo::DevicePartition* equal = facts.equal_on(id, static_cast<uint32_t>(part));
    if (equal && !equal->is_all_distinct()) arrays[part].blocks = equal->blocks();
  }
  if (const auto* numbers = facts.on_devices(id)) arrays[0].numbers = *numbers;
  return arrays;
}

class Cutter {
 public:
  Cutter(const Module& before, const Module& after, const ExcerptOptions& options)
      : before_(before),
        after_(after),
        options_(options),
        counts_(hlo::infer_device_counts(before, options.devices)),
        facts_(before, counts_, options.assume_replicated),
        pairing_(before, after),
        operations_(before, after),
        borders_(before, after, pairing_) {}

  Excerpts cut() {
    if (!counts_.known) return std::move(cut_);
    std::vector<ComputationId> regions = regions_of(after_);
    std::erase_if(regions,
                  [&](ComputationId id) { return pairing_.before_of_computation(id) == kNoId; });
    for (ComputationId id : regions) {
      operations_.take_as_same(pairing_.before_of_computation(id), id, true);
    }
    for (ComputationId id : regions) cut_region(id);
    return std::move(cut_);
  }

 private:
  // One excerpt in the making.
  struct Draft {
    Draft(const Cutter& cutter)
        : before(cutter.before_, cutter.counts_), after(cutter.after_, cutter.counts_) {}
    ExcerptModule before;
    ExcerptModule after;
    std::map<InstructionId, std::pair<InstructionId, InstructionId>> border;  // by id of `before`
    Excerpt excerpt;
    int64_t bytes = 0;
    size_t values = 0;
  };

  void cut_region(ComputationId after) {
    std::optional<Draft> draft;
    auto close = [&] {
      if (!draft) return;
      draft->excerpt.computation = after_.computations[after].name;
      draft->excerpt.before = draft->before.finish();
      draft->excerpt.after = draft->after.finish();
      cut_.excerpts.push_back(std::move(draft->excerpt));
      draft.reset();
    };
    for (auto [b, a] : changed_values(after)) {
      const Neighbourhood around = borders_.around(b, a);
      const int64_t bytes = bytes_around(a, around);
      const std::string refused = why_refused(a, around, bytes);
      if (!refused.empty()) {
        cut_.left_out.push_back({after_[a].name, refused});
        continue;
      }
      if (!keys_.insert(key_of(before_, after_, around, pairing_, fed_by(around.border))).second) {
        ++cut_.alike;
        continue;
      }
      if (draft &&
          (draft->bytes + bytes > options_.max_bytes || draft->values == options_.max_values)) {
        close();
      }
      if (!draft) draft.emplace(*this);
      draft->bytes += bytes;
      add(*draft, b, a, around);
    }
    close();
  }

  std::string why_refused(InstructionId after, const Neighbourhood& around, int64_t bytes) const {
    if (!around.refused.empty()) return around.refused;
    if (!all_arrays(after_[after].shape)) return "it is no array";
    for (InstructionId id : around.border) {
      if (!all_arrays(before_[id].shape)) return "it needs %" + before_[id].name + ", no array";
    }
    if (bytes <= options_.max_bytes) return {};
    return "it is too large: " + std::to_string(bytes >> 20) + " MiB on all devices";
  }

  int64_t bytes_around(InstructionId after, const Neighbourhood& around) const {
    int64_t bytes = after_[after].shape.byte_size();
    for (InstructionId id : around.border) bytes += before_[id].shape.byte_size();
    return bytes * counts_.devices();
  }

  std::vector<FedArray> fed_by(const std::vector<InstructionId>& values) {
    std::vector<FedArray> fed;
    for (InstructionId id : values) {
      for (FedArray& array : fed_arrays(facts_, before_, id)) fed.push_back(std::move(array));
    }
    return fed;
  }

  // Pairs whose equality says that the region computes the same.
  Values changed_values(ComputationId after) {
    Values values;
    std::set<std::pair<InstructionId, InstructionId>> seen;
    auto take = [&](InstructionId b, InstructionId a) {
      bool same_shape = before_[b].shape.same_value_shape(after_[a].shape);
      if (same_shape && seen.insert({b, a}).second) values.push_back({b, a});
    };
    auto look_at = [&](InstructionId b, InstructionId a) {
      const auto& left = before_[b].operands;
      const auto& right = after_[a].operands;
      bool same_operation = left.size() == right.size() && operations_.same_operation(b, a);
      if (!same_operation || !goes_by_operands(after_[a].opcode)) {
        auto paired = [&](InstructionId one, InstructionId other) {
          return pairing_.before_of(other) == one;
        };
        if (!same_operation || !std::ranges::equal(left, right, paired)) take(b, a);
        return;
      }
      for (size_t i = 0; i < left.size(); ++i) {
        if (pairing_.before_of(right[i]) != left[i]) take(left[i], right[i]);
      }
    };
    for (InstructionId a : after_.computations[after].instructions) {
      InstructionId b = pairing_.before_of(a);
      if (b != kNoId && !pairing_.is_guess(a)) look_at(b, a);
    }
    InstructionId root = after_.computations[after].root;
    InstructionId before_root = before_.computations[pairing_.before_of_computation(after)].root;
    if (pairing_.before_of(root) != before_root) look_at(before_root, root);
    return values;
  }

  void add(Draft& draft, InstructionId b, InstructionId a, const Neighbourhood& around) {
    std::map<InstructionId, InstructionId> left;
    std::map<InstructionId, InstructionId> right;
    for (InstructionId id : around.border) {
      InstructionId pair = pairing_.after_of(id);
      auto [found, is_new] = draft.border.try_emplace(id);
      if (is_new) {
        found->second = {draft.before.add_parameter(before_[id].name, before_[id].shape),
                         draft.after.add_parameter(before_[id].name, after_[pair].shape)};
        for (FedArray& array : fed_by({id})) draft.excerpt.parameters.push_back(std::move(array));
      }
      left[id] = found->second.first;
      right[pair] = found->second.second;
    }
    draft.before.add_lines(around.before, left);
    draft.after.add_lines(around.after, right);
    draft.before.add_result(left.at(b));
    draft.after.add_result(right.at(a));
    draft.excerpt.values.insert(draft.excerpt.values.end(), hlo::leaf_count(after_[a].shape),
                                after_[a].name);
    ++draft.values;
  }

  const Module& before_;
  const Module& after_;
  const ExcerptOptions& options_;
  hlo::DeviceCounts counts_;
  Facts facts_;
  Pairing pairing_;
  OperationComparer operations_;
  BorderFinder borders_;
  std::set<std::string> keys_;
  Excerpts cut_;
};

}  // namespace

Excerpts cut_excerpts(const Module& before, const Module& after, const ExcerptOptions& options) {
  return Cutter(before, after, options).cut();
}

std::vector<FedArray> entry_arrays(const Module& module, const ExcerptOptions& options) {
  std::vector<FedArray> arrays;
  Facts facts(module, hlo::infer_device_counts(module, options.devices), options.assume_replicated);
  for (InstructionId id : module.entry_computation().parameters) {
    for (FedArray& array : fed_arrays(facts, module, id)) arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace flipsat::verify
