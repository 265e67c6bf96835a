#include "verify/numbers.h"

#include <cmath>
#include <limits>
#include <map>

#include "verify/evaluator.h"
#include "verify/facts.h"
#include "verify/number_domain.h"
#include "verify/rounding.h"
#include "verify/start_marks.h"

namespace flipsat::verify {

namespace {

constexpr size_t kMostRemembered = size_t{1} << 20;

// The entry's parameters, by number.
class ParameterLeaves : public LeafSource {
 public:
  ParameterLeaves(const hlo::Module& module, Facts& facts)
      : module_(module), facts_(facts), marks_(module) {}

  const Leaf* leaf(hlo::InstructionId instruction, uint32_t part) override {
    const hlo::Instruction& in = module_[instruction];
    if (in.opcode != hlo::Opcode::kParameter || in.computation != module_.entry) return nullptr;
    auto [found, is_new] = leaves_.try_emplace({instruction, part});
    if (is_new) {
      found->second.key = static_cast<uint64_t>(in.parameter_number);
      found->second.equal_on = facts_.equal_on(instruction, part);
      // A lone integer counts or picks something: a loop from a large one would never end.
      bool is_scalar = part_shape(in.shape, part).dims.empty();
      found->second.starts = std::max<int64_t>(marks_.of(instruction, part), is_scalar ? 2 : 0);
    }
    return &found->second;
  }

 private:
  const hlo::Module& module_;
  Facts& facts_;
  StartMarks marks_;
  std::map<std::pair<hlo::InstructionId, uint32_t>, Leaf> leaves_;
};

NumberRun run(const hlo::Module& module, const hlo::DeviceCounts& counts, LeafSource& leaves,
              const NumberOptions& options) {
  NumberRun result;
  NumberDomain numbers(options.seed, options.special_values);
  Domain& domain = options.domain ? *options.domain : numbers;
  WorkMeter work(options.work);
  Evaluator evaluator(module, counts, domain, leaves, work);
  hlo::InstructionId root = module.entry_computation().root;
  int64_t devices = counts.known ? counts.devices() : 1;
  try {
    for (uint32_t part = 0; part < part_count(module[root].shape); ++part) {
      const hlo::Shape& shape = part_shape(module[root].shape, part);
      if (!shape.is_array()) continue;
      if (!shape.is_static()) throw Unmodelled("a dynamic shape");
      // Before memory is asked for: what would run out of work anyway.
      if (shape.element_count() > options.work / devices) throw OutOfWork{};
      result.shapes.push_back(shape);
      auto& by_device = result.values.emplace_back(static_cast<size_t>(devices));
      for (int64_t device = 0; device < devices; ++device) {
        for (int64_t index = 0; index < shape.element_count(); ++index) {
          Place at{root, 0, part, static_cast<uint32_t>(device), index};
          if (evaluator.remembered() > kMostRemembered) evaluator.forget();
          by_device[device].push_back(evaluator.value(at, false));
          work.spend(1);
        }
      }
    }
    result.ran = true;
  } catch (const Unmodelled& error) {
    hlo::InstructionId at = evaluator.unmodelled_at();
    result.reason = (at == hlo::kNoId ? "" : "%" + module[at].name + ": ") + error.what();
  } catch (const OutOfWork&) {
    result.reason = "more work than is allowed";
  }
  return result;
}

double as_double(const Term& term) {
  return term.kind == TermKind::kInteger ? static_cast<double>(term.as_integer()) : term.as_real();
}

double difference(const Term& a, const Term& b) {
  double apart = std::fabs(as_double(a) - as_double(b));
  if (a.kind != TermKind::kComplex) return apart;
  return std::max(apart, std::fabs(a.as_imaginary() - b.as_imaginary()));
}

int64_t distance(const Term& a, const Term& b, hlo::ElementType type) {
  if (a.kind == TermKind::kComplex) {
    hlo::ElementType part = part_type(type);
    return std::max(ulps_between(a.as_real(), b.as_real(), part),
                    ulps_between(a.as_imaginary(), b.as_imaginary(), part));
  }
  if (a.kind == TermKind::kReal) return ulps_between(a.as_real(), b.as_real(), type);
  uint64_t apart = a.as_integer() < b.as_integer() ? b.bits - a.bits : a.bits - b.bits;
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max() - 1;
  return static_cast<int64_t>(std::min(apart, kMost));
}

}  // namespace

NumberOptions number_options(const Options& symbolic) {
  NumberOptions options;
  options.seed = symbolic.seed;
  options.devices = symbolic.devices;
  options.assume_replicated = symbolic.assume_replicated;
  return options;
}

NumberRun run_on_numbers(const hlo::Module& module, const NumberOptions& options) {
  hlo::DeviceCounts counts = hlo::infer_device_counts(module, options.devices);
  Facts facts(module, counts, options.assume_replicated);
  ParameterLeaves leaves(module, facts);
  return run(module, counts, leaves, options);
}

NumberComparison compare_on_numbers(const hlo::Module& before, const hlo::Module& after,
                                    const NumberOptions& options) {
  NumberComparison result;
  const auto& parameters = before.entry_computation().parameters;
  const auto& others = after.entry_computation().parameters;
  if (parameters.size() != others.size()) {
    result.reason = "the number of parameters differs";
    return result;
  }
  hlo::DeviceCounts counts = hlo::infer_device_counts(before, options.devices);
  Facts facts(before, counts, options.assume_replicated);
  ParameterLeaves leaves(before, facts);
  // The other module's parameters are this one's, with what is known of them.
  class SameLeaves : public LeafSource {
   public:
    SameLeaves(const hlo::Module& before, const hlo::Module& after, LeafSource& leaves)
        : before_(before), after_(after), leaves_(leaves) {}
    const Leaf* leaf(hlo::InstructionId instruction, uint32_t part) override {
      const hlo::Instruction& in = after_[instruction];
      if (in.opcode != hlo::Opcode::kParameter || in.computation != after_.entry) return nullptr;
      return leaves_.leaf(before_.entry_computation().parameters[in.parameter_number], part);
    }

   private:
    const hlo::Module& before_;
    const hlo::Module& after_;
    LeafSource& leaves_;
  } same(before, after, leaves);

  NumberRun left = run(before, counts, leaves, options);
  NumberRun right = left.ran ? run(after, counts, same, options) : NumberRun{};
  if (!left.ran || !right.ran) {
    result.reason = left.ran ? right.reason : left.reason;
    return result;
  }
  if (left.shapes.size() != right.shapes.size()) {
    result.reason = "the results' shapes differ";
    return result;
  }
  result.compared = true;
  for (size_t part = 0; part < left.shapes.size(); ++part) {
    if (!left.shapes[part].same_value_shape(right.shapes[part])) {
      result.compared = false;
      result.reason = "the results' shapes differ";
      return result;
    }
    for (size_t device = 0; device < left.values[part].size(); ++device) {
      for (size_t i = 0; i < left.values[part][device].size(); ++i) {
        const Term& a = left.values[part][device][i];
        const Term& b = right.values[part][device][i];
        ++result.elements;
        if (a == b) continue;
        ++result.differing;
        double apart = difference(a, b);
        result.max_abs = std::max(result.max_abs, std::isnan(apart) ? INFINITY : apart);
        int64_t ulps = distance(a, b, left.shapes[part].type);
        if (ulps <= result.max_ulps && result.differing > 1) continue;
        result.max_ulps = ulps;
        result.part = part;
        result.device = static_cast<int64_t>(device);
        result.index = static_cast<int64_t>(i);
        result.before = a;
        result.after = b;
      }
    }
  }
  return result;
}

}  // namespace flipsat::verify
