// What `flipsat verify` found, for people and for programs.
#pragma once

#include <optional>
#include <string>

#include "hlo/module.h"
#include "tools/json_text.h"
#include "tools/xla_run.h"
#include "verify/compare.h"
#include "verify/numbers.h"

namespace flipsat::tools {

// The answer of one or both ways. The symbolic one decides where there is one: it speaks of all
// inputs. Numbers speak of one random input: there a difference is a proof, and none is a sign.
struct VerifyAnswer {
  std::string before;  // file names
  std::string after;
  std::string numerics;
  std::optional<verify::Result> symbolic;
  std::optional<verify::NumberComparison> numbers;
  std::optional<XlaAnswer> xla;  // alone
  bool same_signature = true;    // parameters and results have the same shapes

  verify::Verdict verdict() const;
};

// Do the entries take and give values of the same shapes, but for layout?
bool have_same_signature(const hlo::Module& before, const hlo::Module& after);

Json verify_report(const VerifyAnswer& answer);
std::string verify_text(const VerifyAnswer& answer);

}  // namespace flipsat::tools
