// What became of mutants: how many changed a value, and what the symbolic verifier said.
#pragma once

#include <iostream>
#include <map>
#include <string>

#include "verify/compare.h"

namespace flipsat::verify::testing {

struct MutantCounts {
  struct Row {
    int64_t changing = 0;   // change a value
    int64_t different = 0;  // of which "different"
    int64_t unchecked = 0;  // of which "not checked"
    int64_t missed = 0;     // of which "the same": wrong
    int64_t harmless = 0;   // change no value that numbers show
    int64_t refused = 0;    // of which not "the same"
    int64_t undecided = 0;  // could not be run on numbers
  };
  std::map<std::string, Row> by_kind;
  std::map<std::string, int64_t> why_refused;    // harmless ones, by verdict or reason
  std::map<std::string, int64_t> why_unchecked;  // of those that change a value

  // True where the verifier was wrong. `is_changing`: a result differs; `is_hidden`: only a value
  // on the way does.
  bool add(const std::string& kind, bool is_changing, bool is_hidden, const Result& result) {
    Row& row = by_kind[kind];
    if (is_changing) {
      ++row.changing;
      row.different += result.verdict == Verdict::kDifferent;
      row.unchecked += result.verdict == Verdict::kNotChecked;
      if (result.verdict == Verdict::kNotChecked) ++why_unchecked[reason_of(result)];
      row.missed += result.verdict == Verdict::kSame;
      return result.verdict == Verdict::kSame;
    }
    ++row.harmless;
    if (result.verdict == Verdict::kSame) return false;
    ++row.refused;
    if (is_hidden) {
      ++why_refused["a value differs, and what follows hides it"];
      return false;
    }
    ++why_refused[kind + ", " +
                  (result.verdict == Verdict::kDifferent ? "different" : reason_of(result))];
    return false;
  }

  // Without names, and without which of an instruction's operands it is.
  static std::string reason_of(const Result& result) {
    std::string reason = result.not_checked.at(0).reason;
    if (reason.starts_with("operand ")) reason.erase(0, reason.find(": ") + 2);
    return reason.substr(0, reason.find(" %"));
  }

  Row total() const {
    Row sum;
    for (const auto& [kind, row] : by_kind) {
      sum.changing += row.changing;
      sum.different += row.different;
      sum.unchecked += row.unchecked;
      sum.missed += row.missed;
      sum.harmless += row.harmless;
      sum.refused += row.refused;
      sum.undecided += row.undecided;
    }
    return sum;
  }

  void print(const std::string& of) const {
    auto line = [](const std::string& name, const Row& row) {
      std::cout << "counted:   " << name << ": " << row.changing << " change a value, "
                << row.different << " different, " << row.unchecked << " not checked, "
                << row.missed << " missed; " << row.harmless << " harmless, " << row.refused
                << " of them refused; " << row.undecided << " undecided\n";
    };
    std::cout << "counted: mutants of " << of << "\n";
    for (const auto& [kind, row] : by_kind) line(kind, row);
    line("all", total());
    for (const auto& [reason, count] : why_unchecked) {
      std::cout << "counted:   not checked: " << reason << " " << count << "\n";
    }
    for (const auto& [reason, count] : why_refused) {
      std::cout << "counted:   harmless and refused: " << reason << " " << count << "\n";
    }
  }
};

}  // namespace flipsat::verify::testing
