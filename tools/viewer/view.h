// What `flipsat show` shows, as data: the page, the picture for Graphviz and the JSON are made of
// it. All text is as it stands in the module: who writes it escapes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "optimizer/reasons.h"
#include "optimizer/sites.h"
#include "tools/json_text.h"

namespace flipsat::tools {

struct ViewForm {
  std::string text;                  // "convert(%w)": the operands are the names of classes
  std::string operation;             // without operands, with its type
  std::vector<std::string> written;  // instructions of the input that are this form
  std::vector<size_t> operands;  // classes of the site by place; those that are not here left out
  bool is_output = false;
  bool is_instruction = true;  // false: rules look at it, no program can hold it
  optimizer::Inspection::Cost cost;
  std::string rule;                         // that made it; empty for the input's
  std::optional<optimizer::Reason> reason;  // why it is equal to the first form of its class
};

struct ViewEdge {  // "may be replaced by": more precise
  size_t to = 0;   // a class of the site, by place
  std::string rule;
};

struct ViewClass {
  std::string name;
  std::string shape;
  std::string source;
  bool is_around = false;
  std::vector<ViewForm> forms;
  std::vector<ViewEdge> edges;
};

struct ViewSite {
  size_t number = 0;
  std::string title;  // "%convert.5"
  std::string computation;
  std::string source;
  std::vector<std::string> changed;  // values
  extract::Picoseconds time_before = 0, time_after = 0;
  int64_t bytes_before = 0, bytes_after = 0;
  std::vector<ViewClass> classes;  // empty: only listed
  size_t left_out = 0;
  std::vector<size_t> alike;  // numbers of further sites of the same kind, not drawn
};

struct View {
  std::vector<ViewSite> sites;
  size_t without_change = 0;  // sites that are not listed: there are forms, and the input's stay
};

struct ViewOptions {
  size_t most_classes = 200;             // of one site
  size_t most_sites = 40;                // drawn
  std::optional<size_t> site;            // only this one
  std::optional<hlo::InstructionId> at;  // only the site of this value
};

// Throws UsageError for a site that there is not.
View view_of(const optimizer::Inspection& inspection, const ViewOptions& options);

struct ViewTitle {
  std::string input;
  std::string headline;
  std::vector<std::string> notes;
};

std::string view_page(const ViewTitle& title, const View& view);
std::string view_dot(const ViewTitle& title, const View& view);
Json view_json(const ViewTitle& title, const View& view);

// "6.5 us, 896 B", for one line.
std::string cost_words(const ViewForm& form);

}  // namespace flipsat::tools
