// The places of a module where rules found something: parts of the e-graph small enough to be
// looked at.
//
// A class is worth a look if it has several forms, if rules made it, or if a directed edge leads
// from it. A site is a connected part of such classes, with what they read and what reads them
// around it. Constants and the arithmetic of indices connect nothing: half the module would be one
// site. A part that is too large is looked at around each of its changes, as far as fits.
#pragma once

#include <string>
#include <vector>

#include "optimizer/inspection.h"

namespace flipsat::optimizer {

struct SiteClass {
  language::ClassId cls = egraph::kNoId;
  // Read by the site or reading it, and not a part of it: its own forms are not looked at.
  bool is_around = false;
  std::vector<language::NodeId> forms;  // the input's first, then the output's, then as they came
};

struct Site {
  size_t number = 0;                      // from 1, in the order of the module
  hlo::InstructionId first = hlo::kNoId;  // of the input, in text order
  std::vector<SiteClass> classes;         // operands before users, as far as there is such an order
  std::vector<size_t> changes;            // of the result, by place
  // Classes of the same connected part that are not here; they may be in another site.
  size_t left_out = 0;
  // Equal for sites that differ in names and sizes alone.
  std::string likeness;

  extract::Picoseconds time_before = 0, time_after = 0;  // of its changes, each alone
  int64_t bytes_before = 0, bytes_after = 0;
};

// `most_classes`: of one site, not counting what is around it.
std::vector<Site> find_sites(const Inspection& inspection, size_t most_classes);

}  // namespace flipsat::optimizer
