#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "tools/html.h"
#include "tools/orders_page.h"

namespace flipsat::tools {
namespace {

using laboratory::Study;

std::string svg(int width, int height, const std::string& what, const std::string& inside) {
  return fmt::format(
      "<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">\n"
      "{3}</svg>\n",
      width, height, escaped(what), inside);
}

std::string text_at(double x, double y, const char* anchor, const std::string& classes,
                    const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n",
                     x, y, anchor, classes, escaped(text));
}

// A cell with a word in it, and what a pointer is told.
std::string cell(double x, double y, double width, double height, const std::string& classes,
                 const std::string& word, const std::string& word_class, const std::string& told) {
  std::string drawn = fmt::format(
      "<g><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "rx=\"2\" class=\"{}\"/>",
      escaped(told), x, y, width - 2, height - 2, classes);
  if (!word.empty()) {
    drawn += text_at(x + (width - 2) / 2, y + height / 2 + 3, "middle", word_class, word);
  }
  return drawn + "</g>\n";
}

std::string percent(double share) {
  if (share == 0) return "0";
  const double value = 100 * share;
  return value < 0.1 ? "<.1" : fmt::format("{:.{}f}", value, value < 10 ? 1 : 0);
}

// What reaches the picture of costs: orders' programs, the e-graph's and the bound; the input only
// where it is not far beyond them.
struct Axis {
  double from, to;
  static constexpr double kLeft = 16, kRight = 664;
  double x(int64_t cost) const {
    return kLeft + (kRight - kLeft) * (static_cast<double>(cost) - from) / (to - from);
  }
};

Axis axis_of(const Study& study, extract::Objective objective) {
  const int64_t output = study.result.output_cost.value(objective);
  int64_t least = std::min(output, study.result.bound.value_or(output));
  int64_t most = output;
  for (const laboratory::FinalProgram& program : study.programs) {
    if (!program.cost) continue;
    least = std::min(least, program.cost->value(objective));
    most = std::max(most, program.cost->value(objective));
  }
  const int64_t input = study.result.input_cost.value(objective);
  if (input <= most + (most - least)) most = std::max(most, input);
  const double margin = std::max(1.0, 0.06 * static_cast<double>(most - least));
  return {static_cast<double>(least) - margin, static_cast<double>(most) + margin};
}

}  // namespace

std::string cost_histogram(const Study& study, extract::Objective objective) {
  constexpr double kBase = 150, kHigh = 96, kBar = 12;
  const Axis axis = axis_of(study, objective);
  std::map<int, int64_t> bars;  // by bin, as wide as a bar
  std::map<int, std::string> costs;
  for (const laboratory::FinalProgram& program : study.programs) {
    if (!program.cost) continue;
    const int64_t cost = program.cost->value(objective);
    const int bin = static_cast<int>(axis.x(cost) / kBar);
    bars[bin] += static_cast<int64_t>(program.orders.size());
    costs.try_emplace(bin, readable_cost(cost, objective));
  }
  int64_t most = 1;
  for (const auto& [bin, orders] : bars) most = std::max(most, orders);
  std::string inside =
      fmt::format("<line x1=\"8\" y1=\"{0}\" x2=\"672\" y2=\"{0}\" class=\"rule\"/>\n", kBase);
  const auto mark = [&](int64_t cost, const char* name, double y, const char* dashes) {
    const double x = axis.x(cost);
    const char* anchor = x > 500 ? "end" : "start";
    inside += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2}\" class=\"mark\"{3}/>\n", x,
        y - 10, kBase, dashes);
    inside += text_at(x > 500 ? x - 5 : x + 5, y, anchor, "mark-text halo",
                      fmt::format("{} {}", name, readable_cost(cost, objective)));
  };
  if (study.result.bound) mark(*study.result.bound, "bound", 14, " stroke-dasharray=\"3 3\"");
  mark(study.result.output_cost.value(objective), "e-graph", 30, "");
  const int64_t input = study.result.input_cost.value(objective);
  if (static_cast<double>(input) <= axis.to) {
    const double x = axis.x(input);
    inside += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" "
        "class=\"edge\"/>\n",
        x, kBase - 70, kBase);
    inside += text_at(x, kBase + 34, x > 600 ? "end" : "middle", "axis", "input");
  }
  double last_count = -100, last_cost = -100;
  for (const auto& [bin, orders] : bars) {
    const double share = static_cast<double>(orders) / static_cast<double>(most);
    const double height = std::max(2.0, kHigh * share);
    const double x = bin * kBar;
    inside += fmt::format(
        "<g><title>{} orders: {}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" "
        "height=\"{:.1f}\" class=\"bar\"/></g>\n",
        orders, escaped(costs[bin]), x, kBase - height, kBar - 2, height);
    // Words where there is room for them.
    if (x - last_count >= 30) {
      last_count = x;
      inside += text_at(x + kBar / 2, kBase - height - 5, "middle", "halo", std::to_string(orders));
    }
    if (x - last_cost >= 56) {
      last_cost = x;
      inside += text_at(x + kBar / 2, kBase + 17, "middle", "axis", costs[bin]);
    }
  }
  return svg(680, 190, "orders by cost", inside);
}

std::string regret_map(const Orders& orders) {
  constexpr size_t kColumns = 60;
  constexpr int kNames = 250, kWidth = 38, kHeight = 22, kTop = 44;
  const laboratory::Learning& learning = orders.learning;
  if (learning.matters_on == 0) return "";
  const std::vector<const OrdersRecord*> studied = orders.studied();
  const size_t columns = std::min(kColumns, learning.classes.size());
  std::string inside = text_at(0, 14, "start", "axis", "orders of the kind");
  inside += text_at(0, 34, "start", "axis", "mean regret in percent");
  for (size_t column = 0; column < columns; ++column) {
    const laboratory::OrderClass& made = learning.classes[column];
    const double x = kNames + static_cast<double>(column) * kWidth + (kWidth - 2) / 2.0;
    inside += text_at(x, 14, "middle", "axis", std::to_string(made.orders.size()));
    inside += text_at(x, 34, "middle", "", percent(made.mean_regret));
  }
  int y = kTop;
  for (size_t module = 0; module < learning.counted.size(); ++module) {
    const auto& first = learning.classes.front().regrets[module];
    const bool matters = std::ranges::any_of(
        learning.classes, [&](const auto& made) { return made.regrets[module] != first; });
    if (!matters) continue;
    const OrdersRecord& record = *studied[learning.counted[module]];
    std::string name = record.relative;
    if (name.size() > 38) name = "..." + name.substr(name.size() - 35);
    inside += text_at(0, y + 15, "start", "", name);
    for (size_t column = 0; column < columns; ++column) {
      const laboratory::OrderClass& made = learning.classes[column];
      const std::optional<double>& regret = made.regrets[module];
      const int depth = regret ? shade(*regret) : 0;
      inside += cell(kNames + static_cast<double>(column) * kWidth, y, kWidth, kHeight,
                     regret ? fmt::format("s{}", depth) : "wrong",
                     !regret       ? "x"
                     : *regret > 0 ? percent(*regret)
                                   : "",
                     fmt::format("t{}", regret ? depth : 5),
                     fmt::format("{}: {} orders like {}: {}", record.relative, made.orders.size(),
                                 order_digits(studied.front()->study->orders[made.orders.front()]),
                                 regret ? readable_share(*regret) : "wrong"));
    }
    y += kHeight;
  }
  return svg(kNames + static_cast<int>(columns) * kWidth, y + 4, "regret of orders on modules",
             inside);
}

std::string swap_matrix(const std::vector<laboratory::Swap>& swaps,
                        const std::vector<std::string>& passes, size_t listed) {
  constexpr int kNames = 210, kWidth = 56, kHeight = 30, kTop = 26;
  std::string inside;
  std::vector<uint32_t> places;  // of equal names the first
  for (uint32_t i = 0; i < listed; ++i) {
    if (std::find(passes.begin(), passes.begin() + i, passes[i]) == passes.begin() + i) {
      places.push_back(i);
    }
  }
  std::map<uint32_t, int> place;
  for (size_t i = 0; i < places.size(); ++i) {
    place[places[i]] = static_cast<int>(i);
    const double middle = kNames + static_cast<double>(i) * kWidth + (kWidth - 2) / 2.0;
    inside += text_at(middle, 15, "middle", "axis", std::to_string(places[i] + 1));
    inside += text_at(0, kTop + static_cast<double>(i) * kHeight + 19, "start", "",
                      fmt::format("{} {}", places[i] + 1, passes[places[i]]));
  }
  for (const laboratory::Swap& swap : swaps) {
    const double share = static_cast<double>(swap.changed) / static_cast<double>(swap.neighbours);
    const int depth = shade(share);
    const std::string told = fmt::format(
        "{} and {}: {} of {} swaps change the program; {} times it is better with {} first, {} "
        "times with {} first",
        passes[swap.first], passes[swap.second], swap.changed, swap.neighbours,
        swap.first_is_better, passes[swap.first], swap.second_is_better, passes[swap.second]);
    for (const auto& [one, other] : {std::pair(place[swap.first], place[swap.second]),
                                     std::pair(place[swap.second], place[swap.first])}) {
      inside += cell(
          kNames + one * kWidth, kTop + other * kHeight, kWidth, kHeight, fmt::format("s{}", depth),
          share > 0 ? fmt::format("{} %", percent(share)) : "0", fmt::format("t{}", depth), told);
    }
  }
  const int size = static_cast<int>(places.size());
  return svg(kNames + size * kWidth, kTop + size * kHeight + 4, "swaps that change the program",
             inside);
}

}  // namespace flipsat::tools
