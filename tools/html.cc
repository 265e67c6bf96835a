#include "tools/html.h"

#include <fmt/format.h>

#include <array>

namespace flipsat::tools {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --page: #fcfcfb; --text: #1c1c1a; --quiet: #62625c;
  --line: #dcdcd6; --accent: #b4410e; --bar: #2f6fb3;
  --s0: #edf1f5; --s1: #cfe0f1; --s2: #a5c6e6; --s3: #6fa3d4; --s4: #3a78b5; --s5: #174a80;
  --on-dark: #ffffff; --on-light: #1c1c1a; }
@media (prefers-color-scheme: dark) {
  :root { --page: #191918; --text: #ecece6; --quiet: #a3a39b; --line: #3a3a37; --accent: #ff9d66;
    --bar: #6ea8e0; --s0: #252a30; --s1: #22374d; --s2: #265078; --s3: #2f6fa8; --s4: #5a9bd5;
    --s5: #a9d1f5; --on-dark: #11161c; --on-light: #ecece6; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--page);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .4rem; }
p { margin: .4rem 0 .8rem; max-width: 46rem; }
.quiet, figcaption, .axis { color: var(--quiet); }
figure { margin: .6rem 0 1.2rem; } figcaption { font-size: .88rem; max-width: 46rem; }
.wide { overflow-x: auto; }
.tiles { display: flex; flex-wrap: wrap; gap: .7rem 2.2rem; margin: 1.1rem 0; padding: 0; }
.tiles div { min-width: 7rem; } .tiles b { display: block; font-size: 1.45rem; line-height: 1.2; }
.tiles span { color: var(--quiet); font-size: .88rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--quiet); vertical-align: bottom; }
th, td { padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; white-space: nowrap; }
ol.passes { padding-left: 1.4rem; columns: 2 16rem; margin: .4rem 0; }
code, .mono { font-family: ui-monospace, monospace; font-size: .88em; }
td .mono { white-space: nowrap; }
details { border-top: 1px solid var(--line); padding: .5rem 0; }
summary { cursor: pointer; } summary b { overflow-wrap: anywhere; }
.bad { color: var(--accent); font-weight: 600; }
svg { display: block; max-width: none; } svg text { font: 12px system-ui, sans-serif;
  fill: var(--text); } svg .axis { fill: var(--quiet); }
.rule { stroke: var(--line); } .bar { fill: var(--bar); } .mark { stroke: var(--accent);
  stroke-width: 2; } text.mark-text { fill: var(--accent); }
.edge { fill: none; stroke: var(--quiet); } .ring { fill: none; stroke: var(--text);
  stroke-width: 2; } .arrow { fill: var(--quiet); }
.halo { paint-order: stroke; stroke: var(--page); stroke-width: 4px; }
.s0 { fill: var(--s0); background: var(--s0); } .s1 { fill: var(--s1); background: var(--s1); }
.s2 { fill: var(--s2); background: var(--s2); } .s3 { fill: var(--s3); background: var(--s3); }
.s4 { fill: var(--s4); background: var(--s4); } .s5 { fill: var(--s5); background: var(--s5); }
.wrong { fill: var(--accent); background: var(--accent); }
svg text.t0, svg text.t1, svg text.t2 { fill: var(--on-light); }
svg text.t3, svg text.t4, svg text.t5 { fill: var(--on-dark); }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1rem; font-size: .85rem; color: var(--quiet); }
.legend i { display: inline-block; width: .9rem; height: .9rem; margin-right: .35rem;
  vertical-align: -2px; border: 1px solid var(--line); }
)";

// Shares from which a shade holds, after 0.
constexpr std::array<double, 4> kSteps = {0.001, 0.01, 0.03, 0.1};

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escaped(title), kStyle, body);
}

int shade(double share) {
  if (share <= 0) return 0;
  int shade = 1;
  for (double step : kSteps) shade += share >= step;
  return shade;
}

std::string scale_legend() {
  constexpr std::array<const char*, 6> kWords = {"the best",  "below 0.1 %", "below 1 %",
                                                 "below 3 %", "below 10 %",  "10 % and more"};
  std::string legend = "<div class=\"legend\"><span>dearer than the best order:</span>";
  for (size_t i = 0; i < kWords.size(); ++i) {
    legend += fmt::format("<span><i class=\"s{}\"></i>{}</span>", i, kWords[i]);
  }
  return legend + "<span><i class=\"wrong\"></i>wrong</span></div>\n";
}

}  // namespace flipsat::tools
