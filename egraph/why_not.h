// Why did a rule not fire at a class? The attempt that got farthest, and where it failed.
//
//   const Miss miss = why_not(graph, rules[i], cls);
//   miss.what == Miss::What::kNoOperator;   // at miss.cls, which the pattern reaches by miss.path
//   to_string(miss);                        // "class 7 (child 1 of the root) has no node of the
//                                           //  operator that the pattern wants there"
//
// A plain search of its own, for one class and for people: it backtracks over the nodes of classes
// and may take long where a full search would.
#pragma once

#include <string>
#include <vector>

#include "egraph/egraph.h"
#include "egraph/rule.h"

namespace flipsat::egraph {

struct Miss {
  enum class What : uint8_t {
    kMatches,     // the rule matches here: it has fired, or will in the next iteration
    kNoOperator,  // the class has no node of the kind, operator and number of children wanted
    kOtherClass,  // a variable that stands twice stands for two classes
    kGuard,       // a guard refused; `reason` is what it said
    kMatcher,     // the rule's own matcher found no way to go on
  };

  What what = What::kNoOperator;
  uint32_t pattern = 0;             // which of the rule's patterns
  std::vector<uint32_t> path;       // child positions from that pattern's root
  ClassId cls = kNoId;              // the class at that place; kNoId where any class was tried
  const Pattern* wanted = nullptr;  // the part of the pattern there: good as long as the rule
  const char* reason = nullptr;     // a guard's, literal
};

// On a rebuilt graph.
Miss why_not(const EGraph& graph, const Rule& rule, ClassId root);

std::string to_string(const Miss& miss);

}  // namespace flipsat::egraph
