// For Graphviz: a class is a box around its forms, as in egraph/io/graphviz.h.
#include <fmt/format.h>

#include "tools/viewer/view.h"

namespace flipsat::tools {
namespace {

// Inside quotes; dot reads \n, \l and the like in labels, so that a backslash is doubled.
std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string form_name(const ViewSite& site, size_t cls, size_t form) {
  return fmt::format("s{}_c{}_{}", site.number, cls, form);
}

std::string form_line(const ViewSite& site, size_t cls, size_t index) {
  const ViewForm& form = site.classes[cls].forms[index];
  std::string style = form.written.empty() ? "rounded" : "rounded,filled";
  if (form.is_output) style += ",bold";
  return fmt::format("      {} [label={}, tooltip={}, style=\"{}\", color=\"{}\"{}];\n",
                     form_name(site, cls, index), dot_text(form.text), dot_text(cost_words(form)),
                     style, form.is_output ? "#b4410e" : "#888888",
                     form.is_instruction ? "" : ", fontcolor=\"#888888\"");
}

std::string site_text(const ViewSite& site) {
  std::string text = fmt::format(
      "  subgraph {} {{\n    label={};\n", dot_text(fmt::format("cluster_s{}", site.number)),
      dot_text(fmt::format(
          "site {}: {}{}", site.number, site.title,
          site.left_out == 0 ? "" : fmt::format(" ({} more values not shown)", site.left_out))));
  for (size_t cls = 0; cls < site.classes.size(); ++cls) {
    const ViewClass& one = site.classes[cls];
    text += fmt::format("    subgraph {} {{\n      label={};\n      style=\"{}\";\n",
                        dot_text(fmt::format("cluster_s{}_c{}", site.number, cls)),
                        dot_text(one.name + "  " + one.shape),
                        one.is_around ? "rounded,dotted" : "rounded");
    for (size_t i = 0; i < one.forms.size(); ++i) text += form_line(site, cls, i);
    text += "    }\n";
  }
  for (size_t cls = 0; cls < site.classes.size(); ++cls) {
    const ViewClass& one = site.classes[cls];
    for (size_t i = 0; i < one.forms.size(); ++i) {
      for (size_t operand : one.forms[i].operands) {
        if (site.classes[operand].forms.empty()) continue;
        text += fmt::format("    {} -> {} [ltail=\"cluster_s{}_c{}\", color=\"{}\"];\n",
                            form_name(site, operand, 0), form_name(site, cls, i), site.number,
                            operand, one.forms[i].is_output ? "#b4410e" : "#888888");
      }
    }
    for (const ViewEdge& edge : one.edges) {
      text += fmt::format(
          "    {} -> {} [ltail=\"cluster_s{}_c{}\", lhead=\"cluster_s{}_c{}\", style=dashed, "
          "label={}];\n",
          form_name(site, cls, 0), form_name(site, edge.to, 0), site.number, cls, site.number,
          edge.to, dot_text("may be replaced: " + edge.rule));
    }
  }
  return text + "  }\n";
}

}  // namespace

std::string view_dot(const ViewTitle& title, const View& view) {
  std::string text = fmt::format(
      "digraph flipsat {{\n  compound=true;\n  label={};\n  fontname=\"sans-serif\";\n"
      "  node [shape=box, fontname=\"monospace\", fontsize=10, fillcolor=\"#edf1f5\"];\n"
      "  edge [arrowsize=0.6, fontsize=9];\n",
      dot_text(title.input + ": " + title.headline));
  for (const ViewSite& site : view.sites) text += site_text(site);
  return text + "}\n";
}

}  // namespace flipsat::tools
