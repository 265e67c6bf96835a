// The lattice in layers: a state stands as far to the right as it has passes behind it, and among
// its layer near those that lead to it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/html.h"
#include "tools/orders_page.h"

namespace flipsat::tools {
namespace {

using laboratory::LatticeEdge;
using laboratory::LatticeState;
using laboratory::Study;

constexpr size_t kMostDrawn = 200;
constexpr size_t kMostLabelled = 60;  // beyond, words would lie on one another
constexpr double kLayer = 150, kRow = 64, kMargin = 58, kRadius = 13;

struct Point {
  double x = 0, y = 0;
};

class Drawing {
 public:
  Drawing(const Study& study, extract::Objective objective) : study_(study), objective_(objective) {
    for (const laboratory::FinalProgram& program : study.programs) {
      if (program.cost)
        best_ = std::min(best_.value_or(program.cost->value(objective)),
                         program.cost->value(objective));
    }
  }

  std::string svg() {
    place();
    std::string inside;
    for (const LatticeEdge& edge : study_.edges) inside += edge_line(edge);
    if (study_.states.size() <= kMostLabelled) {
      for (const LatticeEdge& edge : study_.edges) inside += edge_label(edge);
    }
    for (size_t i = 0; i < study_.states.size(); ++i) inside += node(i);
    return fmt::format(
        "<svg width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
        "aria-label=\"lattice of programs\">\n{2}</svg>\n",
        width_, height_, inside);
  }

 private:
  // Each layer in the order of the middles of those before it.
  void place() {
    at_.resize(study_.states.size());
    int depth = 0;
    size_t widest = 1;
    std::vector<std::vector<size_t>> layers;
    for (size_t i = 0; i < study_.states.size(); ++i) {
      depth = std::max(depth, study_.states[i].depth);
      layers.resize(static_cast<size_t>(depth) + 1);
      layers[static_cast<size_t>(study_.states[i].depth)].push_back(i);
    }
    for (const auto& layer : layers) widest = std::max(widest, layer.size());
    width_ = 2 * kMargin + kLayer * depth + 30;
    height_ = kRow * static_cast<double>(widest) + 24;
    for (size_t d = 0; d < layers.size(); ++d) {
      std::vector<std::pair<double, size_t>> sorted;
      for (size_t state : layers[d]) sorted.emplace_back(middle_before(state), state);
      std::sort(sorted.begin(), sorted.end());
      const double gap = height_ / static_cast<double>(sorted.size());
      for (size_t i = 0; i < sorted.size(); ++i) {
        at_[sorted[i].second] = {kMargin + kLayer * static_cast<double>(d),
                                 gap * (static_cast<double>(i) + 0.5)};
      }
    }
  }

  double middle_before(size_t state) const {
    double sum = 0;
    int count = 0;
    for (const LatticeEdge& edge : study_.edges) {
      if (edge.to != state || study_.states[edge.from].depth >= study_.states[state].depth)
        continue;
      sum += at_[edge.from].y;
      ++count;
    }
    return count == 0 ? 0 : sum / count;
  }

  // Edges that stay in a layer, or lead back, bow out.
  double bow(const LatticeEdge& edge) const {
    const int layers = study_.states[edge.to].depth - study_.states[edge.from].depth;
    if (layers == 1) return 0;
    return layers > 1 ? -24.0 * layers : 60;
  }

  std::string edge_line(const LatticeEdge& edge) const {
    const Point a = at_[edge.from], b = at_[edge.to];
    const double length = std::max(1.0, std::hypot(b.x - a.x, b.y - a.y));
    const Point u{(b.x - a.x) / length, (b.y - a.y) / length};
    const Point from{a.x + u.x * (kRadius + 2), a.y + u.y * (kRadius + 2)};
    const Point to{b.x - u.x * (kRadius + 6), b.y - u.y * (kRadius + 6)};
    const double share =
        static_cast<double>(edge.orders) / static_cast<double>(study_.orders.size());
    return fmt::format(
        "<path d=\"M{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}\" class=\"edge\" "
        "stroke-width=\"{:.1f}\" marker-end=\"url(#tip)\"><title>{}</title></path>\n",
        from.x, from.y, (from.x + to.x) / 2, (from.y + to.y) / 2 + bow(edge), to.x, to.y,
        1 + 4 * share, escaped(fmt::format("{}: {} orders", names(edge), edge.orders)));
  }

  std::string names(const LatticeEdge& edge) const {
    std::string names;
    for (uint32_t step : edge.steps) {
      names += (names.empty() ? "" : " or ") + study_.passes[step];
    }
    return names;
  }

  std::string edge_label(const LatticeEdge& edge) const {
    std::string digits;
    for (uint32_t step : edge.steps) {
      digits += digits.empty() ? "" : ",";
      digits += step < study_.listed ? std::to_string(step + 1) : "rest";
    }
    // Nearer to where it comes from: edges that lead to one state would lie on one another there.
    const Point a = at_[edge.from], b = at_[edge.to];
    return fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" class=\"axis halo\">{}</text>\n",
        a.x + 0.42 * (b.x - a.x), a.y + 0.42 * (b.y - a.y) + bow(edge) / 2 + 4, digits);
  }

  std::string node(size_t i) const {
    const LatticeState& state = study_.states[i];
    const Point at = at_[i];
    std::string shade_name = "wrong";
    std::string cost = "goes wrong";
    if (state.cost) {
      const int64_t best = best_.value_or(*state.cost);
      const double above =
          best == 0 ? 0.0 : static_cast<double>(*state.cost - best) / static_cast<double>(best);
      shade_name = fmt::format("s{}", shade(above));
      cost = readable_cost(*state.cost, objective_);
    }
    std::string told = cost;
    if (i == 0) told = "the input: " + told;
    if (state.ending_orders > 0) told += fmt::format("; {} orders end here", state.ending_orders);
    std::string drawn = fmt::format(
        "<g><title>{}</title><circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"{}\"/>",
        escaped(told), at.x, at.y, kRadius, shade_name);
    if (state.ending_orders > 0) {
      drawn += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"ring\"/>", at.x,
                           at.y, kRadius);
    }
    if (study_.states.size() <= kMostLabelled) {
      drawn += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" class=\"halo\">{}</text>", at.x,
          at.y + kRadius + 14, escaped(i == 0 ? "input " + cost : cost));
      if (state.ending_orders > 0) {
        drawn += fmt::format(
            "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" class=\"halo\">{}</text>", at.x,
            at.y - kRadius - 5, state.ending_orders);
      }
    }
    return drawn + "</g>\n";
  }

  const Study& study_;
  const extract::Objective objective_;
  std::optional<int64_t> best_;
  std::vector<Point> at_;
  double width_ = 0, height_ = 0;
};

}  // namespace

// A page has one, which all its lattices share.
std::string lattice_arrow() {
  return "<svg width=\"0\" height=\"0\" aria-hidden=\"true\"><defs><marker id=\"tip\" "
         "viewBox=\"0 0 6 6\" refX=\"5\" refY=\"3\" markerWidth=\"7\" markerHeight=\"7\" "
         "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0 6 3 0 6z\" "
         "class=\"arrow\"/></marker></defs></svg>\n";
}

std::string lattice_graph(const Study& study, extract::Objective objective) {
  if (study.states.size() > kMostDrawn) {
    return fmt::format("<p>{} programs on the way, too many to draw; --json has them.</p>\n",
                       study.states.size());
  }
  return Drawing(study, objective).svg();
}

}  // namespace flipsat::tools
