#include "laboratory/learning.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace flipsat::laboratory {
namespace {

double share_above(int64_t cost, int64_t least) {
  if (cost == least) return 0;
  if (least == 0) return 1;
  return static_cast<double>(cost - least) / static_cast<double>(least);
}

// By program of a study; nullopt: wrong.
using Regrets = std::vector<std::optional<double>>;

bool is_right(const FinalProgram& program) {
  return program.cost && program.correctness.correct != Correct::kNo;
}

Regrets regrets_of(const Study& study, extract::Objective objective) {
  std::optional<int64_t> best;
  for (const FinalProgram& program : study.programs) {
    if (!is_right(program)) continue;
    const int64_t cost = program.cost->value(objective);
    best = best ? std::min(*best, cost) : cost;
  }
  Regrets regrets(study.programs.size());
  for (size_t i = 0; i < regrets.size(); ++i) {
    const FinalProgram& program = study.programs[i];
    if (is_right(program)) regrets[i] = share_above(program.cost->value(objective), *best);
  }
  return regrets;
}

// How an order stands on modules, one of which may be left out. Summed up in the order of modules,
// so that equal ones are equal to the last bit.
struct Standing {
  int64_t wrong = 0;
  int64_t right = 0;
  double sum = 0;
  double worst = 0;
  double mean() const { return right == 0 ? 0 : sum / static_cast<double>(right); }
};

Standing standing(const OrderClass& orders, std::optional<size_t> left_out) {
  Standing standing;
  for (size_t module = 0; module < orders.regrets.size(); ++module) {
    if (module == left_out) continue;
    const std::optional<double>& regret = orders.regrets[module];
    if (!regret) {
      ++standing.wrong;
      continue;
    }
    ++standing.right;
    standing.sum += *regret;
    standing.worst = std::max(standing.worst, *regret);
  }
  return standing;
}

auto rank(const OrderClass& orders, std::optional<size_t> left_out = std::nullopt) {
  const Standing at = standing(orders, left_out);
  return std::tuple(at.wrong, at.mean(), orders.orders.front());
}

std::vector<OrderClass> classes_of(const std::vector<const Study*>& studies,
                                   const Learning& learning, extract::Objective objective) {
  std::vector<Regrets> regrets;
  for (size_t at : learning.counted) regrets.push_back(regrets_of(*studies[at], objective));
  std::map<std::vector<uint32_t>, size_t> class_of;
  std::vector<OrderClass> classes;
  const size_t order_count = studies[learning.counted.front()]->orders.size();
  for (uint32_t order = 0; order < order_count; ++order) {
    std::vector<uint32_t> programs;
    for (size_t at : learning.counted) programs.push_back(studies[at]->program_of[order]);
    const auto [known, is_new] = class_of.try_emplace(programs, classes.size());
    if (is_new) {
      OrderClass& made = classes.emplace_back();
      for (size_t i = 0; i < programs.size(); ++i) {
        const Study& study = *studies[learning.counted[i]];
        const int64_t output = study.result.output_cost.value(objective);
        const auto& cost = study.programs[programs[i]].cost;
        made.regrets.push_back(regrets[i][programs[i]]);
        if (made.regrets.back()) made.above_output += share_above(cost->value(objective), output);
      }
    }
    classes[known->second].orders.push_back(order);
  }
  return classes;
}

void settle(OrderClass& orders) {
  const Standing at = standing(orders, std::nullopt);
  orders.mean_regret = at.mean();
  orders.worst_regret = at.worst;
  orders.wrong_on = at.wrong;
  orders.best_on = std::count(orders.regrets.begin(), orders.regrets.end(), 0.0);
  if (at.right > 0) orders.above_output /= static_cast<double>(at.right);
}

void leave_each_out(Learning& learning) {
  double sum = 0;
  int64_t right = 0;
  for (size_t module = 0; module < learning.counted.size(); ++module) {
    const auto best = std::min_element(
        learning.classes.begin(), learning.classes.end(),
        [&](const auto& a, const auto& b) { return rank(a, module) < rank(b, module); });
    learning.left_out.push_back({best->orders.front(), best->regrets[module]});
    if (!best->regrets[module]) continue;
    sum += *best->regrets[module];
    ++right;
  }
  if (right > 0) learning.left_out_regret = sum / static_cast<double>(right);
}

}  // namespace

uint32_t Learning::class_of(uint32_t order) const {
  for (uint32_t i = 0; i < classes.size(); ++i) {
    if (std::ranges::binary_search(classes[i].orders, order)) return i;
  }
  return 0;
}

Learning learn(const std::vector<const Study*>& studies, extract::Objective objective) {
  Learning learning;
  for (size_t at = 0; at < studies.size(); ++at) {
    if (std::ranges::any_of(studies[at]->programs, is_right)) learning.counted.push_back(at);
  }
  if (learning.counted.empty()) return learning;
  learning.classes = classes_of(studies, learning, objective);
  std::sort(learning.classes.begin(), learning.classes.end(),
            [](const auto& a, const auto& b) { return rank(a) < rank(b); });
  double sum = 0;
  size_t orders = 0;
  for (OrderClass& made : learning.classes) {
    settle(made);
    sum += made.mean_regret * static_cast<double>(made.orders.size());
    orders += made.orders.size();
  }
  learning.mean_regret = sum / static_cast<double>(orders);
  for (size_t module = 0; module < learning.counted.size(); ++module) {
    learning.matters_on += std::ranges::any_of(learning.classes, [&](const OrderClass& made) {
      return made.regrets[module] != learning.classes.front().regrets[module];
    });
  }
  if (learning.counted.size() > 1) leave_each_out(learning);
  return learning;
}

}  // namespace flipsat::laboratory
