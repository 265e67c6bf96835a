#include "verify/prover.h"

#include <algorithm>

namespace flipsat::verify {

using hlo::InstructionId;

namespace {

constexpr int kMostRounds = 64;
constexpr size_t kAllElements = size_t{1} << 22;
constexpr size_t kMostRemembered = size_t{1} << 20;
// A value that is costly to look at counts as sampled after so many elements on every device.
constexpr size_t kFewElements = 12;
constexpr size_t kLeastElements = 4;
constexpr int64_t kForFewest = 8;  // times the work, where even the fewest elements take more
constexpr const char* kTooMuchWork = "more work than is allowed";
constexpr size_t kFirstElements = 256;  // by which the work for all is guessed
constexpr size_t kOnAllDevices = 2;
constexpr int64_t kMostDevices = 4096;
constexpr uint64_t kInEachWindow = 3;
constexpr int kLeastTrials = 4;

SymbolDomain::Options domain_options(const ProverOptions& options) {
  return {options.seed, options.numerics, options.assume_finite};
}

std::string name_of(const hlo::Module& module, InstructionId id) {
  return std::string("%").append(module[id].name);
}

}  // namespace

Prover::Prover(const hlo::Module& before, const hlo::Module& after, const hlo::DeviceCounts& counts,
               Cuts& cuts, const ProverOptions& options)
    : before_(before),
      after_(after),
      counts_(counts),
      cuts_(cuts),
      options_(options),
      domain_(domain_options(options)),
      work_(options.work),
      before_side_(before, counts, domain_, cuts.before_leaves(), work_),
      after_side_(after, counts, domain_, cuts.after_leaves(), work_),
      likeness_(before, after),
      borders_(counts.devices()) {
  bool precise = options.numerics >= hlo::Numerics::kPrecise;
  if (precise) after_side_.set_wider_sites(&options_.precise_sites, options_.precise_sites.empty());
  int64_t devices = counts.known ? std::min(counts.devices(), kMostDevices) : 1;
  for (int64_t device = 0; device < devices; ++device) all_devices_.push_back(device);
  set_surroundings(Borders(counts.devices()), {});
}

void Prover::set_surroundings(Borders borders, std::vector<hlo::DeviceGroupsRef> groups) {
  borders_ = std::move(borders);
  devices_ = options_.every_element
                 ? all_devices_
                 : sample_devices(counts_.known ? counts_.devices() : 1, groups, options_.seed);
}

void Prover::restart(uint64_t seed) {
  before_side_.forget();
  after_side_.forget();
  domain_.restart(seed, integers_);
}

std::vector<Prover::Sample> Prover::samples_of(const hlo::Shape& shape, size_t most) const {
  require_moderate(shape);
  std::vector<Sample> samples;
  for (uint32_t part = 0; part < part_count(shape); ++part) {
    const hlo::Shape& array = part_shape(shape, part);
    if (most >= kAllElements && array.is_array() &&
        array.element_count() > static_cast<int64_t>(most)) {
      throw OutOfWork{};
    }
    // A token is one element, which stands for what has to happen before.
    samples.push_back({part, sample_elements(array.dims, borders_, most, options_.seed)});
  }
  return samples;
}

std::string Prover::describe(const hlo::Module& module, const Place& place) const {
  const hlo::Shape& shape = part_shape(module[place.instruction].shape, place.part);
  std::string text = name_of(module, place.instruction);
  if (part_count(module[place.instruction].shape) > 1) text += "#" + std::to_string(place.part);
  hlo::Dims strides = hlo::row_major_strides(shape.dims);
  std::vector<int64_t> at(shape.dims.size());
  coordinates(place.index, strides, shape.dims, at.data());
  text += "[";
  for (size_t i = 0; i < at.size(); ++i) text += (i ? "," : "") + std::to_string(at[i]);
  return text + "] of device " + std::to_string(place.device);
}

bool Prover::element_agrees(InstructionId before, InstructionId after, bool open,
                            const std::vector<int64_t>& devices, uint32_t part, int64_t index,
                            uint64_t seed, Proof& proof) {
  for (int64_t device : devices) {
    size_t remembered =
        before_side_.remembered() + after_side_.remembered() + domain_.remembered() / 4;
    if (remembered > kMostRemembered) {
      drew_integers_ = drew_integers_ || domain_.drew_integers();
      met_unknowns_ = met_unknowns_ || domain_.met_unknowns();
      restart(seed);
    }
    Place left_at{before, 0, part, static_cast<uint32_t>(device), index};
    Place right_at{after, 0, part, static_cast<uint32_t>(device), index};
    domain_.set_side(side_ = Side::kBefore);
    Term left = before_side_.value(left_at, open);
    domain_.set_side(side_ = Side::kAfter);
    Term right = after_side_.value(right_at, open);
    ++elements_;
    if (domain_.same(left, right)) continue;
    proof.part = part;
    proof.device = device;
    proof.index = index;
    proof.reason = describe(before_, before_side_.origin(left_at, open)) + " became " +
                   describe(after_, after_side_.origin(right_at, open));
    return false;
  }
  return true;
}

bool Prover::agree(InstructionId before, InstructionId after, bool open,
                   const std::vector<Sample>& samples, uint64_t seed, Proof& proof) {
  restart(seed);
  drew_integers_ = false;
  met_unknowns_ = false;
  size_t most = 0;
  for (const Sample& sample : samples) most = std::max(most, sample.elements.size());
  int64_t start = work_.spent();
  for (size_t i = 0; i < most; ++i) {
    // Elements that cost much are alike; but a few have to be seen.
    int64_t spent = work_.spent() - start;
    bool enough = (spent > options_.work_each / 4 && i >= kFewElements) ||
                  (spent > options_.work_each / 2 && i >= kLeastElements);
    if (enough && !options_.every_element) break;
    // Better none than a part of what takes too long.
    double all = static_cast<double>(spent) * static_cast<double>(most) / kFirstElements;
    if (options_.every_element && i == kFirstElements && all > work_.limit() - start) {
      throw OutOfWork{};
    }
    for (const Sample& sample : samples) {
      if (i >= sample.elements.size()) continue;
      if (!element_agrees(before, after, open, devices_, sample.part, sample.elements[i], seed,
                          proof)) {
        return false;
      }
    }
  }
  // A wrong group is wrong on its own devices only.
  for (size_t i = 0; i < kOnAllDevices && devices_.size() < all_devices_.size(); ++i) {
    if (work_.spent() - start > options_.work_each / 2) break;
    for (const Sample& sample : samples) {
      if (i >= sample.elements.size()) continue;
      if (!element_agrees(before, after, open, all_devices_, sample.part, sample.elements[i], seed,
                          proof)) {
        return false;
      }
    }
  }
  // Updates cover little of an array, and where they fall is not known before.
  std::vector<Evaluator::Window> windows = before_side_.windows();
  windows.insert(windows.end(), after_side_.windows().begin(), after_side_.windows().end());
  for (const Evaluator::Window& window : windows) {
    for (const Sample& sample : samples) {
      const hlo::Dims& dims = part_shape(before_[before].shape, sample.part).dims;
      if (sample.elements.empty()) continue;
      for (uint64_t k = 0; k < kInEachWindow; ++k) {
        int64_t index =
            sample_in_window(dims, window.whole, window.from, window.size, combine(seed, k));
        if (!element_agrees(before, after, open, devices_, sample.part, index, seed, proof))
          return false;
      }
    }
  }
  return true;
}

bool Prover::all_trials_agree(InstructionId before, InstructionId after, bool open, Proof& proof) {
  bool beyond = counts_.known && counts_.devices() > kMostDevices;
  if (options_.every_element && beyond) throw OutOfWork{};
  size_t most = options_.every_element ? kAllElements : options_.elements;
  const hlo::Shape& shape = before_[before].shape;
  if (!agree(before, after, open, samples_of(shape, most), options_.seed, proof)) return false;
  if (!domain_.drew_integers() && !drew_integers_) return true;
  std::vector<Sample> samples = samples_of(shape, options_.trial_elements);
  for (int trial = 1; trial <= options_.integer_trials; ++trial) {
    int64_t start = work_.spent();
    uint64_t seed = combine(options_.seed, static_cast<uint64_t>(trial));
    if (!agree(before, after, open, samples, seed, proof)) return false;
    int64_t left = work_.limit() - work_.spent();
    if (trial >= kLeastTrials && left < 2 * (work_.spent() - start)) break;
  }
  return true;
}

void Prover::look_for_example(InstructionId before, InstructionId after, bool open, Proof& proof) {
  std::vector<Sample> samples = samples_of(before_[before].shape, options_.trial_elements);
  for (Sample& sample : samples) {
    if (sample.part == proof.part) sample.elements.insert(sample.elements.begin(), proof.index);
  }
  integers_ = Integers::kConcrete;
  bool found = false;
  try {
    for (int trial = 0; trial < options_.integer_trials && !found; ++trial) {
      uint64_t seed = combine(options_.seed, 0xe9a3 + static_cast<uint64_t>(trial));
      restart(seed);
      uint32_t part = proof.part;
      found =
          !element_agrees(before, after, open, {proof.device}, part, proof.index, seed, proof) ||
          !agree(before, after, open, samples, seed, proof);
    }
  } catch (const Unmodelled&) {
    // Then there is no example.
  } catch (const OutOfWork&) {
  }
  integers_ = Integers::kOpen;
  if (found) return;
  proof.outcome = Proof::Outcome::kUnknown;
  proof.undecided = true;
  proof.reason = "not decided for unknown integers or pred values: " + proof.reason;
}

bool Prover::rests_on_opaque(Proof& proof) const {
  bool on_before = before_side_.opaque_met() != hlo::kNoId;
  InstructionId at = on_before ? before_side_.opaque_met() : after_side_.opaque_met();
  if (at == hlo::kNoId) return false;
  const hlo::Module& module = on_before ? before_ : after_;
  proof.outcome = Proof::Outcome::kUnknown;
  proof.reason = name_of(module, at) + ": " + std::string(hlo::to_string(module[at].opcode)) +
                 " is known only by name; " + proof.reason;
  return true;
}

// A class includes those before it, but in the field some of their laws are lost. Most values that
// are equal in one of them are so without a look behind cuts, which costs most.
Proof Prover::prove(InstructionId before, InstructionId after, bool open, int64_t doubt) {
  using hlo::Numerics;
  if (options_.numerics < Numerics::kReassoc) {
    return prove_in(options_.numerics, before, after, open, doubt, true);
  }
  Proof proof;
  for (bool may_open_cuts : {false, true}) {
    for (Numerics numerics : {Numerics::kPrecise, options_.numerics}) {
      proof = prove_in(numerics, before, after, open, doubt, may_open_cuts);
      if (proof.outcome == Proof::Outcome::kEqual) return proof;
    }
  }
  return proof;
}

Proof Prover::prove_in(hlo::Numerics numerics, InstructionId before, InstructionId after, bool open,
                       int64_t doubt, bool may_open_cuts) {
  domain_.set_numerics(numerics);
  Proof proof;
  if (!before_[before].shape.same_value_shape(after_[after].shape)) {
    // Inside of a program a pair of other shapes may be no pair: a loop's state that has grown.
    const bool is_result = after == after_.entry_computation().root;
    proof.outcome = is_result ? Proof::Outcome::kDifferent : Proof::Outcome::kUnknown;
    proof.reason = "its shape was " + hlo::to_string_without_layout(before_[before].shape) +
                   ", is " + hlo::to_string_without_layout(after_[after].shape);
    return proof;
  }
  cuts_.reset();
  // In looser classes some operations are known by name.
  std::optional<Likeness::Signature> signature;
  if (options_.numerics == hlo::Numerics::kExact) {
    signature = likeness_.of(before, cuts_.before_leaves(), after, cuts_.after_leaves(), open);
    if (signature && likeness_.is_proved(*signature)) return proof;
    if (signature && likeness_.is_too_much(*signature)) {
      proof.outcome = Proof::Outcome::kUnknown;
      proof.reason = kTooMuchWork;
      return proof;
    }
    cuts_.reset();
  }
  before_side_.forget_opaque();
  after_side_.forget_opaque();
  domain_.forget_not_finite();
  int64_t all = work_.limit();
  // One proof is enough for all values that are alike; where likeness is not looked for, each pays.
  const int64_t most = options_.every_element ? 64 : signature ? kForFewest : 1;
  work_.set_limit(std::min(all, work_.spent() + options_.work_each * most));
  bool takes_rows = true;
  const auto take_rows = [&](bool allowed) {
    takes_rows = allowed;
    before_side_.take_rows(allowed);
    after_side_.take_rows(allowed);
  };
  take_rows(true);
  for (int round = 0; round < kMostRounds; ++round) {
    try {
      if (all_trials_agree(before, after, open, proof)) {
        proof.outcome = Proof::Outcome::kEqual;
        proof.reason.clear();
        // With all cuts shut, that is.
        if (round == 0 && signature) likeness_.note_proved(std::move(*signature));
        break;
      }
      if (takes_rows && (before_side_.took_rows() || after_side_.took_rows())) {
        take_rows(false);
        --round;
        continue;
      }
      if (proof.outcome != Proof::Outcome::kDifferent && !options_.every_element) {
        work_.set_limit(std::min(work_.limit(), work_.spent() + doubt));
      }
      proof.outcome = Proof::Outcome::kDifferent;
      if (!may_open_cuts || cuts_.open_met() == 0) break;
    } catch (const Unmodelled& error) {
      // What cannot be looked into stays a leaf if it is known to be equal on both sides.
      bool on_before = side_ == Side::kBefore;
      InstructionId at = (on_before ? before_side_ : after_side_).unmodelled_at();
      if (at == hlo::kNoId) at = on_before ? before : after;
      proof.outcome = Proof::Outcome::kUnknown;
      if (at != (on_before ? before : after) && cuts_.close(at, on_before)) {
        proof.reason = kTooMuchWork;  // unless a later round decides
        continue;
      }
      proof.reason = name_of(on_before ? before_ : after_, at) + ": " + error.what();
      break;
    } catch (const OutOfWork&) {
      bool differed = proof.outcome == Proof::Outcome::kDifferent;
      proof.reason = differed ? "not shown within the work allowed; at first sight " + proof.reason
                              : kTooMuchWork;
      if (!differed && round == 0 && signature) likeness_.note_too_much(std::move(*signature));
      proof.outcome = Proof::Outcome::kUnknown;
      break;
    }
  }
  work_.set_limit(std::min(all, work_.spent() + options_.work_each));
  bool in_doubt = met_unknowns_ || domain_.met_unknowns();
  bool differs = proof.outcome == Proof::Outcome::kDifferent;
  if (differs && domain_.met_not_finite()) {
    proof.outcome = Proof::Outcome::kUnknown;
    proof.reason = "0 times what is not finite, which is assumed not to be; " + proof.reason;
  } else if (may_open_cuts && differs && !rests_on_opaque(proof) && in_doubt) {
    look_for_example(before, after, open, proof);
  }
  work_.set_limit(all);
  return proof;
}

}  // namespace flipsat::verify
