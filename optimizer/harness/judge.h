// Is a rewritten program right? Both are run on numbers, on all devices, and held to a promise.
//
//   Judge judge(original);
//   Judgement j = judge.of(rewritten, Promise::kBits);
//   if (j.verdict == Judgement::kWrong) ... j.text
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "hlo/module.h"
#include "optimizer/harness/samples.h"

namespace flipsat::optimizer {

enum class Promise : uint8_t {
  kBits,       // exact: equal bits, NaN is NaN
  kOrderOpen,  // exact, but a sum may be made in another order: equal bits on integers whose sums
               // are exact; else within the error that any order may have
  kPrecise,    // within the error of the type that it computes in, no larger than the original's
  kReassoc,    // equal over the reals: within the error of the type, zeros of any sign
  kFinite,     // on numbers that are finite: equal bits, but for the sign of a zero
};

struct Judgement {
  enum Verdict : uint8_t { kRight, kWrong, kNotRun };
  Verdict verdict = kRight;
  std::string text;  // where they differ, or why they could not be run
};

class Judge {
 public:
  // Keeps a reference to the module, whose device counts must be known.
  explicit Judge(const hlo::Module& original);
  ~Judge();

  Judgement of(const hlo::Module& rewritten, Promise promise);

 private:
  struct Run;
  struct Side;
  struct Sample;
  // Of an element whose bits differ. `unit` is that of the roundest type in either program.
  bool is_right(size_t element, const verify::Term& after, hlo::ElementType type,
                const Sample& sample, Promise promise, double roundings, double unit);
  const Run& original_run(size_t domain, Data data, uint64_t seed);

  const hlo::Module& original_;
  std::map<std::tuple<size_t, Data, uint64_t>, Run> runs_;
  std::unique_ptr<Side> sides_[3];  // on numbers, exactly, in magnitude
  bool has_product_ = false;        // of devices
  bool has_quotient_ = false;
  bool has_dot_ = false;
};

}  // namespace flipsat::optimizer
