// Why a rule did not fire at a value of the input, or what became of it where it did.
#pragma once

#include <string>
#include <vector>

#include "optimizer/inspection.h"

namespace flipsat::optimizer {

struct WhyNot {
  enum class Answer : uint8_t {
    kNotLookedAt,  // the value is not in the e-graph, or nothing can look into it
    kNoMatch,      // the value, or what stands below it, is not what the rule looks for
    kRefused,      // it matches, and the rule's condition does not hold
    kNothingNew,   // it matches, and what it would make was there already
    kNotReached,   // it matches, and the search was stopped before its turn
    kNotChosen,    // it fired, and its form is not in the output
    kChosen,       // it fired, and its form is in the output
  };
  Answer answer = Answer::kNoMatch;
  std::string why;                  // in words
  std::vector<std::string> beside;  // what else was refused there
  // kNotChosen, where it is known: what the whole program would take more with it.
  std::optional<extract::Picoseconds> more_time;
};

// "no-match", "refused", ...
std::string to_string(WhyNot::Answer answer);

// Why the options leave the rule out, and which would let it in: "--numerics exact leaves it out;
// it is of class reassoc". Empty where it is switched on.
std::string why_switched_off(const rules::RuleInfo& rule, const Options& options);

// `rule`: the name of a rule that is switched on.
WhyNot why_not(const Inspection& inspection, const std::string& rule, hlo::InstructionId at);

// Is the value of the kind that the rule begins at, in one of its directions? Not of copies and
// what is not in the e-graph.
bool is_kind_of_root(const Inspection& inspection, const std::string& rule, hlo::InstructionId at);

// What the rule begins at: "a convert or an all-gather".
std::string roots_in_words(const Inspection& inspection, const std::string& rule);

}  // namespace flipsat::optimizer
