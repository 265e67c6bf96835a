#include "optimizer/harness/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "hlo/devices.h"
#include "hlo/reducer.h"
#include "verify/evaluator.h"
#include "verify/facts.h"
#include "verify/rounding.h"
#include "verify/start_marks.h"

namespace flipsat::optimizer {

using hlo::ElementType;
using hlo::Opcode;
using verify::Term;

namespace {

enum : size_t { kNumbers, kExactly, kMagnitude };

// Entry parameters, equal on the devices that the program says hold equal values.
class Parameters : public verify::LeafSource {
 public:
  Parameters(const hlo::Module& module, const hlo::DeviceCounts& counts)
      : module_(module), facts_(module, counts, {}), marks_(module) {}

  const verify::Leaf* leaf(hlo::InstructionId id, uint32_t part) override {
    const hlo::Instruction& in = module_[id];
    if (in.opcode != Opcode::kParameter || in.computation != module_.entry) return nullptr;
    auto [it, is_new] = leaves_.try_emplace({id, part});
    if (is_new) {
      it->second.key = static_cast<uint64_t>(in.parameter_number);
      it->second.starts = marks_.of(id, part);
      if (in.has(hlo::AttributeKey::kSharding) ||
          in.has(hlo::AttributeKey::kParameterReplication)) {
        it->second.equal_on = facts_.equal_on(id, part);
      }
    }
    return &it->second;
  }

 private:
  const hlo::Module& module_;
  verify::Facts facts_;
  verify::StartMarks marks_;
  std::map<std::pair<hlo::InstructionId, uint32_t>, verify::Leaf> leaves_;
};

hlo::DeviceCounts counts_of(const hlo::Module& module) {
  return hlo::infer_device_counts(module, {});
}

// The unit of the roundest float type that a program computes in, 0 where there is none.
double rounding_unit(const hlo::Module& module) {
  double unit = 0;
  for (hlo::InstructionId id : module.entry_computation().instructions) {
    auto format = hlo::float_format(module[id].shape.type);
    if (format) unit = std::max(unit, std::ldexp(1.0, -format->mantissa_bits));
  }
  return unit;
}

// Does every reduction compute in a type with as many bits and as much range as any before?
bool reduces_as_wide(const hlo::Module& before, const hlo::Module& after) {
  hlo::FloatFormat least{.exponent_bits = 64, .mantissa_bits = 64};
  for (const hlo::Module* module : {&before, &after}) {
    for (hlo::InstructionId id : module->entry_computation().instructions) {
      const hlo::Instruction& in = (*module)[id];
      if (in.opcode != Opcode::kAllReduce && in.opcode != Opcode::kReduceScatter) continue;
      std::optional<hlo::FloatFormat> format = hlo::float_format(in.shape.type);
      if (!format) continue;
      if (module == &after && (format->mantissa_bits < least.mantissa_bits ||
                               format->exponent_bits < least.exponent_bits)) {
        return false;
      }
      least.mantissa_bits = std::min(least.mantissa_bits, format->mantissa_bits);
      least.exponent_bits = std::min(least.exponent_bits, format->exponent_bits);
    }
    if (module == &before && least.mantissa_bits == 64) return true;
  }
  return true;
}

// Roundings that one element may go through on its way.
double roundings(const hlo::Module& module, int64_t devices) {
  const auto& list = module.entry_computation().instructions;
  return static_cast<double>(list.size()) * static_cast<double>(devices);
}

std::string as_text(const Term& term) {
  if (term.kind == verify::TermKind::kReal) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", term.as_real());
    return text;
  }
  return std::to_string(term.as_integer());
}

// How far a value may be off: not a bit, but for the sign of a zero, or by an error.
enum class Slack : uint8_t { kNone, kZeroSign, kError };

}  // namespace

struct Judge::Sample {
  Data data;
  uint64_t seed;
  Slack slack;
};

struct Judge::Run {
  std::string reason;              // why it did not run
  std::vector<Term> values;        // of all parts, devices, elements in order
  std::vector<ElementType> types;  // of each
};

// One program over one domain, to be run on many samples.
struct Judge::Side {
  Side(const hlo::Module& module, std::unique_ptr<SampleDomain> numbers)
      : module(module),
        counts(counts_of(module)),
        domain(std::move(numbers)),
        leaves(module, counts),
        evaluator(module, counts, *domain, leaves, work) {}

  Run run(Data data, uint64_t seed) {
    domain->set(data, seed);
    evaluator.forget();
    Run result;
    hlo::InstructionId root = module.entry_computation().root;
    try {
      for (uint32_t part = 0; part < verify::part_count(module[root].shape); ++part) {
        const hlo::Shape& shape = verify::part_shape(module[root].shape, part);
        for (int64_t device = 0; device < counts.devices(); ++device) {
          for (int64_t index = 0; index < shape.element_count(); ++index) {
            verify::Place at{root, 0, part, static_cast<uint32_t>(device), index};
            result.values.push_back(evaluator.value(at, false));
            result.types.push_back(shape.type);
          }
        }
      }
    } catch (const verify::Unmodelled& error) {
      result.reason = error.what();
    } catch (const verify::OutOfWork&) {
      result.reason = "more work than is allowed";
    }
    return result;
  }

  const hlo::Module& module;
  hlo::DeviceCounts counts;
  std::unique_ptr<SampleDomain> domain;
  Parameters leaves;
  verify::WorkMeter work{100'000'000};
  verify::Evaluator evaluator;
};

Judge::Judge(const hlo::Module& original) : original_(original) {
  for (hlo::ComputationId id = 0; id < original.computations.size(); ++id) {
    auto reducer = hlo::recognise_reducer(original, id);
    has_product_ |= reducer && reducer->kind == hlo::ReducerKind::kMultiply;
  }
  for (hlo::InstructionId id : original.entry_computation().instructions) {
    has_quotient_ |= original[id].opcode == Opcode::kDivide;
    has_dot_ |= original[id].opcode == Opcode::kDot;
  }
}

Judge::~Judge() = default;

const Judge::Run& Judge::original_run(size_t domain, Data data, uint64_t seed) {
  auto [it, is_new] = runs_.try_emplace({domain, data, seed});
  if (!is_new) return it->second;
  if (!sides_[domain]) {
    std::unique_ptr<SampleDomain> numbers;
    if (domain == kNumbers) numbers = std::make_unique<SampleDomain>();
    if (domain == kExactly) numbers = std::make_unique<ExactDomain>();
    if (domain == kMagnitude) numbers = std::make_unique<MagnitudeDomain>();
    sides_[domain] = std::make_unique<Side>(original_, std::move(numbers));
  }
  return it->second = sides_[domain]->run(data, seed);
}

namespace {

bool is_close(double a, double b, double error) {
  if (std::isnan(a) && std::isnan(b)) return true;
  if (a == b) return true;  // zeros of either sign, infinities
  return std::isfinite(a) && std::fabs(a - b) <= error;
}

double smallest_value(ElementType type) {
  hlo::FloatFormat format = *hlo::float_format(type);
  return std::ldexp(1.0, 1 - format.bias - format.mantissa_bits);
}

}  // namespace

bool Judge::is_right(size_t element, const Term& after, ElementType type, const Sample& sample,
                     Promise promise, double roundings, double unit) {
  if (promise == Promise::kBits || after.kind != verify::TermKind::kReal) return false;
  double before = original_run(kNumbers, sample.data, sample.seed).values[element].as_real();
  double size = original_run(kMagnitude, sample.data, sample.seed).values[element].as_real();
  Slack slack = sample.slack;
  // Sums of so many integers that the type rounds them.
  if (sample.data == Data::kCounting && size * unit > 2) slack = Slack::kError;
  if (promise == Promise::kFinite) slack = Slack::kZeroSign;
  if (slack == Slack::kNone) return false;
  if (slack == Slack::kZeroSign) return is_close(before, after.as_real(), 0);
  if (promise == Promise::kPrecise) {
    // Held against the sum itself, by the type that it is computed in now.
    double exact = original_run(kExactly, sample.data, sample.seed).values[element].as_real();
    // Where the wider type overflows, so did the narrow one.
    if (std::isfinite(exact) && !std::isfinite(after.as_real())) return !std::isfinite(before);
    double wide_unit = std::ldexp(1.0, -hlo::float_format(type)->mantissa_bits);
    return is_close(exact, after.as_real(), size * roundings * wide_unit + smallest_value(type));
  }
  return is_close(before, after.as_real(), 2 * size * roundings * unit + smallest_value(type));
}

Judgement Judge::of(const hlo::Module& rewritten, Promise promise) {
  const hlo::Shape& old_shape = original_[original_.entry_computation().root].shape;
  const hlo::Shape& new_shape = rewritten[rewritten.entry_computation().root].shape;
  if (!old_shape.same_value_shape(new_shape)) {
    return {Judgement::kWrong, to_string(old_shape) + " became " + to_string(new_shape)};
  }
  if (promise == Promise::kPrecise && !reduces_as_wide(original_, rewritten)) {
    return {Judgement::kWrong, "a sum is made in a narrower type"};
  }
  Side side(rewritten, std::make_unique<SampleDomain>());

  bool bits = promise == Promise::kBits;
  Data counting = Data::kCounting, ordinary = Data::kRandom, special = Data::kSpecial;
  if (!bits) special = Data::kNoOverflow;
  if ((has_product_ || has_dot_) && !bits) {
    counting = Data::kSigns;
    ordinary = Data::kModerate;
    special = Data::kExtremes;
    // Sums of products are regrouped over the reals, where there is nothing infinite.
    if (has_dot_ && promise == Promise::kReassoc) special = Data::kModerate;
  }
  if (promise == Promise::kFinite) ordinary = special = Data::kFinite;
  Slack slack = bits ? Slack::kNone : Slack::kError;
  Slack of_integers = slack;
  if (promise == Promise::kOrderOpen) of_integers = Slack::kNone;
  // Quotients of integers are rounded.
  if (promise == Promise::kReassoc && !has_quotient_) of_integers = Slack::kZeroSign;
  std::vector<Sample> samples = {{counting, 1, of_integers},
                                 {counting, 2, of_integers},
                                 {ordinary, 3, slack},
                                 {special, 4, slack},
                                 {special, 5, slack}};
  if (promise == Promise::kPrecise) samples.push_back({Data::kSpecial, 6, slack});
  // Two values tell little apart: more of them.
  for (uint64_t seed = 7; new_shape.type == ElementType::kPred && seed < 37; ++seed) {
    samples.push_back({Data::kCounting, seed, slack});
  }
  double unit = std::max(rounding_unit(original_), rounding_unit(rewritten));
  double steps = roundings(rewritten, side.counts.devices());
  for (const Sample& sample : samples) {
    const Run& before = original_run(kNumbers, sample.data, sample.seed);
    if (!before.reason.empty()) return {Judgement::kNotRun, before.reason};
    Run after = side.run(sample.data, sample.seed);
    if (!after.reason.empty()) return {Judgement::kNotRun, after.reason};
    for (size_t i = 0; i < before.values.size(); ++i) {
      if (before.values[i] == after.values[i]) continue;
      if (is_right(i, after.values[i], before.types[i], sample, promise, steps, unit)) continue;
      size_t per_device = before.values.size() / static_cast<size_t>(side.counts.devices());
      return {Judgement::kWrong, "element " + std::to_string(i % per_device) + " on device " +
                                     std::to_string(i / per_device) + ": " +
                                     as_text(before.values[i]) + " became " +
                                     as_text(after.values[i])};
    }
  }
  return {};
}

}  // namespace flipsat::optimizer
