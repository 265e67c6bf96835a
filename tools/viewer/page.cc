// The page: a list of sites, then each as a picture with a panel that says why its forms are equal.
// It needs nothing else and fetches nothing; its policy says so to the browser.
#include <fmt/format.h>

#include <map>

#include "tools/html.h"
#include "tools/units.h"
#include "tools/viewer/page_parts.h"
#include "tools/viewer/picture.h"
#include "tools/viewer/view.h"

namespace flipsat::tools {
namespace {

std::string two(int64_t before, int64_t after, std::string (*readable)(int64_t, int)) {
  const std::vector<std::string> texts = told_apart({before, after}, readable);
  return before == after ? texts[0] : texts[0] + " → " + texts[1];
}

std::string list_of_sites(const View& view) {
  std::string rows;
  for (const ViewSite& site : view.sites) {
    rows += fmt::format(
        "<tr><td>{}</td><td class=\"mono\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td class=\"source\">{}</td></tr>\n",
        site.classes.empty() ? std::to_string(site.number)
                             : fmt::format("<a href=\"#site{0}\">{0}</a>", site.number),
        escaped(site.title), site.changed.size(), 1 + site.alike.size(),
        escaped(two(site.time_before, site.time_after, readable_time)),
        escaped(two(site.bytes_before, site.bytes_after, readable_bytes)), escaped(site.source));
  }
  return "<div class=\"wide\"><table><tr><th>site</th><th>value</th><th>changes</th><th>alike</th>"
         "<th>time, alone</th><th>wire, alone</th><th>source</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string alike_words(const ViewSite& site) {
  if (site.alike.empty()) return "";
  std::string numbers;
  for (size_t i = 0; i < std::min<size_t>(site.alike.size(), 12); ++i) {
    numbers += (i > 0 ? ", " : "") + std::to_string(site.alike[i]);
  }
  return fmt::format(
      " {} like it: {}{}.",
      counted(static_cast<int64_t>(site.alike.size()), "more site is", "more sites are"), numbers,
      site.alike.size() > 12 ? ", ..." : "");
}

std::string site_part(const ViewSite& site, size_t first_form) {
  std::string words =
      fmt::format("{} in {}.", site.source.empty() ? "" : site.source + ",", site.computation);
  if (site.source.empty()) words = fmt::format("In {}.", site.computation);
  if (!site.changed.empty()) {
    words += fmt::format(" Its {} alone: {}, {} on the wire.",
                         counted(static_cast<int64_t>(site.changed.size()), "change"),
                         two(site.time_before, site.time_after, readable_time),
                         two(site.bytes_before, site.bytes_after, readable_bytes));
  } else {
    words += " Nothing is changed here: the input's forms are the cheapest.";
  }
  words += alike_words(site);
  if (site.left_out > 0) {
    words += fmt::format(" {} connected with these are not drawn.",
                         counted(static_cast<int64_t>(site.left_out), "more value"));
  }
  return fmt::format(
      "<h2 id=\"site{0}\">Site {0}: <span class=\"mono\">{1}</span></h2>\n<p class=\"quiet\">{2}"
      "</p>\n<div class=\"pane\" tabindex=\"0\" role=\"region\" aria-label=\"picture of site {0}\">"
      "{3}</div>\n<div class=\"panel\" id=\"panel{0}\" aria-live=\"polite\">Pick a form to see "
      "what "
      "it costs and why it is equal to the others of its value; then another, to compare "
      "both.</div>\n",
      site.number, escaped(site.title), escaped(words), site_picture(site, first_form));
}

Json reason_record(const optimizer::Reason& reason, std::map<std::string, Json>& rules) {
  Json steps = Json::array();
  for (const optimizer::ReasonStep& step : reason.steps) {
    Json record = {{"term", step.after}, {"rule", step.rule}};
    if (step.rule.empty()) {
      record["words"] = sentence(step.why);
    } else {
      rules[step.rule] = {{"equation", step.equation},
                          {"condition", step.condition},
                          {"words", sentence(step.why)}};
    }
    steps.push_back(record);
  }
  return {{"from", reason.before}, {"steps", steps}, {"facts", reason.facts}};
}

// The form that says most: of the first value that changed, what the output has.
std::optional<size_t> telling_form(const ViewSite& site, size_t first_form) {
  size_t number = first_form;
  std::optional<size_t> found;
  for (const ViewClass& cls : site.classes) {
    for (const ViewForm& form : cls.forms) {
      if (!found && form.is_output && form.reason && !form.reason->steps.empty()) found = number;
      ++number;
    }
  }
  return found;
}

Json page_data(const View& view) {
  Json data = {{"forms", Json::array()}, {"shown", Json::array()}, {"rules", Json::object()}};
  std::map<std::string, Json> rules;
  for (const ViewSite& site : view.sites) {
    if (const auto form = telling_form(site, data["forms"].size())) data["shown"].push_back(*form);
    for (size_t cls = 0; cls < site.classes.size(); ++cls) {
      for (const ViewForm& form : site.classes[cls].forms) {
        data["forms"].push_back(
            {{"site", site.number},
             {"cls", cls},
             {"text", form.text},
             {"input", form.written},
             {"output", form.is_output},
             {"rule", form.rule},
             {"cost", cost_words(form)},
             {"together", form.cost.launched_together},
             {"why", form.reason ? reason_record(*form.reason, rules) : Json(nullptr)}});
      }
    }
  }
  for (auto& [name, rule] : rules) data["rules"][name] = std::move(rule);
  return data;
}

// JSON that may stand in a script element: no '<' ends it, or opens a comment.
std::string in_script(const Json& data) {
  const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  for (char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

constexpr const char* kLegend =
    "<ul class=\"legend\"><li><i class=\"out\"></i>in the output</li><li><i class=\"in\"></i>in "
    "the "
    "input</li><li><i></i>another form that rules found</li><li><i class=\"around\"></i>stands "
    "around the site</li><li>a box is a value; its rows are equal forms of it, each with what it "
    "costs alone; lines lead from operands down to who reads them</li></ul>\n";

}  // namespace

std::string view_page(const ViewTitle& title, const View& view) {
  std::string body =
      fmt::format("<h1>{}</h1>\n<p>{}</p>\n", escaped(title.input), escaped(title.headline));
  for (const std::string& note : title.notes) {
    body += fmt::format("<p class=\"quiet\">{}</p>\n", escaped(note));
  }
  if (view.sites.empty()) body += "<p>No rule found another form of anything.</p>\n";
  if (view.sites.size() > 1) body += list_of_sites(view);
  if (view.without_change > 0) {
    body += fmt::format(
        "<p class=\"quiet\">At {} rules found other forms, and the input's are the cheapest: "
        "flipsat show --site N, or --at %instruction, shows one.</p>\n",
        counted(static_cast<int64_t>(view.without_change), "further site"));
  }
  if (!view.sites.empty()) body += kLegend;
  size_t form = 0;
  size_t listed = 0;
  for (const ViewSite& site : view.sites) {
    if (site.classes.empty()) {
      ++listed;
      continue;
    }
    body += site_part(site, form);
    for (const ViewClass& cls : site.classes) form += cls.forms.size();
  }
  if (listed > 0) {
    body += fmt::format("<p class=\"quiet\">{} only listed above; --site N draws one.</p>\n",
                        counted(static_cast<int64_t>(listed), "site is", "sites are"));
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}: e-graph</title>\n<style>{}</style>\n</head>\n<body>\n{}"
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n"
      "</body>\n</html>\n",
      escaped(title.input), viewer_style(), body, in_script(page_data(view)), viewer_script());
}

}  // namespace flipsat::tools
