#include "tools/viewer/picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/html.h"
#include "tools/viewer/layout.h"

namespace flipsat::tools {
namespace {

constexpr double kRow = 22;
constexpr double kHead = 24;
constexpr double kLetter = 7.25;  // of 12px monospace, on the wide side
constexpr double kPad = 9;
constexpr size_t kMostLetters = 64;

// By letters, not bytes; what is cut is told by dots.
std::string cut(const std::string& text, size_t most) {
  size_t letters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) continue;
    if (letters++ == most) return text.substr(0, i) + "...";
  }
  return text;
}

double width_of(const std::string& text) {
  return kLetter * static_cast<double>(std::min(text.size(), kMostLetters + 3));
}

Box size_of(const ViewClass& cls) {
  Box box;
  box.width = width_of(cls.name) + width_of(cls.shape) + 3 * kPad;
  for (const ViewForm& form : cls.forms) {
    const double cost = width_of(cost_words(form)) + 2 * kPad;
    box.width = std::max(box.width, width_of(form.text) + cost + 2 * kPad);
  }
  box.height = kHead + kRow * static_cast<double>(cls.forms.size()) + 3;
  return box;
}

std::string form_class(const ViewForm& form) {
  std::string name = "form";
  if (!form.written.empty()) name += " in";
  if (form.is_output) name += " out";
  if (!form.is_instruction) name += " none";
  return name;
}

std::string row(const ViewForm& form, size_t number, const Box& box, double y) {
  std::string text = fmt::format(
      "<g class=\"{}\" data-form=\"{}\" tabindex=\"0\" role=\"button\"><title>{}</title>"
      "<rect class=\"row\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\"/>"
      "<rect class=\"bar\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"4\" height=\"{:.0f}\"/>"
      "<text class=\"term\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>",
      form_class(form), number, escaped(cut(form.text + ": " + cost_words(form), 400)), box.x + 1,
      y, box.width - 2, kRow, box.x + 1, y, kRow, box.x + kPad, y + 15,
      escaped(cut(form.text, kMostLetters)));
  text +=
      fmt::format("<text class=\"cost\" x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\">{}</text>",
                  box.x + box.width - kPad, y + 15, escaped(cost_words(form)));
  return text + "</g>\n";
}

std::string edge_class(const ViewForm& form) {
  if (form.is_output) return "edge out";
  return form.written.empty() ? "edge" : "edge in";
}

// From below the operand to the side of the row that reads it, whichever is nearer.
std::string edge(const ViewForm& form, size_t number, const Box& from, const Box& to, double y) {
  const double start_x = from.x + from.width / 2;
  const double start_y = from.y + from.height;
  const bool is_left = start_x <= to.x + to.width / 2;
  const double end_x = is_left ? to.x : to.x + to.width;
  const double out = is_left ? -22 : 22;
  return fmt::format(
      "<path class=\"{}\" data-form=\"{}\" d=\"M{:.0f} {:.0f} C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} "
      "{:.0f}\"/>\n",
      edge_class(form), number, start_x, start_y, start_x, start_y + 34, end_x + out,
      std::max(y - 20, to.y - 26), end_x, y);
}

}  // namespace

std::string site_picture(const ViewSite& site, size_t first_form) {
  std::vector<Box> sizes;
  for (const ViewClass& cls : site.classes) sizes.push_back(size_of(cls));
  const Layout layout = lay_out(site, std::move(sizes));
  std::string boxes, edges;
  size_t number = first_form;
  for (size_t i = 0; i < site.classes.size(); ++i) {
    const ViewClass& cls = site.classes[i];
    const Box& box = layout.boxes[i];
    boxes += fmt::format(
        "<g{}><title>{}</title><rect class=\"box\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" "
        "height=\"{:.0f}\" rx=\"5\"/><text class=\"name\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>"
        "<text class=\"shape\" x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\">{}</text></g>\n",
        cls.is_around ? " class=\"around\"" : "",
        escaped(cut(cls.name + (cls.source.empty() ? "" : "; " + cls.source), 400)), box.x, box.y,
        box.width, box.height, box.x + kPad, box.y + 16, escaped(cut(cls.name, kMostLetters)),
        box.x + box.width - kPad, box.y + 16, escaped(cut(cls.shape, kMostLetters)));
    double y = box.y + kHead;
    if (cls.is_around) boxes += "<g class=\"around\">";
    for (const ViewForm& form : cls.forms) {
      boxes += row(form, number, box, y);
      for (size_t operand : form.operands) {
        edges += edge(form, number, layout.boxes[operand], box, y + kRow / 2);
      }
      y += kRow;
      ++number;
    }
    if (cls.is_around) boxes += "</g>";
    for (const ViewEdge& may : cls.edges) {
      const Box& to = layout.boxes[may.to];
      edges += fmt::format(
          "<path class=\"edge may\" d=\"M{:.0f} {:.0f} L{:.0f} {:.0f}\"><title>{}</title></path>\n",
          box.x + box.width, box.y + kHead / 2, to.x + to.width / 2, to.y,
          escaped("may be replaced, more precise: " + may.rule));
    }
  }
  return fmt::format(
      "<svg width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "aria-label=\"e-graph of site {}\">\n{}{}</svg>\n",
      layout.width, layout.height, layout.width, layout.height, site.number, edges, boxes);
}

}  // namespace flipsat::tools
