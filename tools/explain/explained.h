// What `flipsat explain` has to say of a module, as data: the text and the JSON are made of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "optimizer/inspection.h"
#include "optimizer/reasons.h"
#include "optimizer/why_not.h"
#include "tools/json_text.h"

namespace flipsat::tools {

// A change of the output. Changes that differ in names and sizes alone have one reason told.
struct ExplainedChange {
  optimizer::Change change;
  std::vector<std::string> was, now;  // instructions, as people read them
  std::optional<optimizer::Reason> reason;
  std::optional<size_t> like;  // the change whose reason is told for it
};

// What a rule refused, at how many values of the module, and some of them.
struct Refused {
  std::string rule;
  std::string reason;
  bool is_tidying = false;  // a rule of the family see-through
  size_t count = 0;
  std::vector<std::string> at;
};

struct Explained {
  std::vector<ExplainedChange> changes;
  std::vector<optimizer::Kept> kept;
  std::vector<Refused> refused;
  bool is_saturated = true;
  bool is_about_one = false;
  // What is known of the one value that was asked for, where no change is about it.
  std::string about_value;
};

// `at`: one instruction of the input; all where there is none. `each`: every change has its own
// reason, none is told to be like another.
Explained explained(const optimizer::Inspection& inspection, std::optional<hlo::InstructionId> at,
                    bool each);

std::string explained_text(const std::string& input, const optimizer::Options& options,
                           const optimizer::Result& result, const Explained& explained);
Json explained_report(const std::string& input, const optimizer::Options& options,
                      const optimizer::Result& result, const Explained& explained);

// ---- --why-not ----

struct WhyNotAnswer {
  std::string rule;
  struct Place {
    std::string at;
    std::string source;
    optimizer::WhyNot why;
  };
  std::vector<Place> places;
  std::string note;  // of the rule as a whole: where it is off, or nothing is there for it
  bool is_about_one = false;
  bool is_saturated = true;
  size_t left_out = 0;  // places that were too many to be looked at
};

WhyNotAnswer why_not_answer(const optimizer::Inspection& inspection, const rules::RuleInfo& rule,
                            std::optional<hlo::InstructionId> at);

std::string why_not_text(const WhyNotAnswer& answer, const rules::RuleInfo& rule);
Json why_not_report(const std::string& input, const optimizer::Options& options,
                    const WhyNotAnswer& answer);

}  // namespace flipsat::tools
