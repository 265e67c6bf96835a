#include "solvers/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace flipsat::solvers {
namespace {

using egraph::dag::Number;
using egraph::dag::SolverFailed;

template <class Value>
void append(std::string& text, Value value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  text += ' ';
  text.append(buffer, end);
}

// Takes lines from the front of a text, each of them `name` and values.
class Lines {
 public:
  explicit Lines(const std::string& text) : rest_(text) {}

  // The values of the next line.
  std::string_view next(std::string_view name) {
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!line.starts_with(name)) refuse();
    line.remove_prefix(name.size());
    if (!line.empty() && line.front() != ' ') refuse();
    return line;
  }
  bool is_at_end() const { return rest_.empty(); }
  [[noreturn]] static void refuse() { throw SolverFailed("what it wrote is no answer"); }

 private:
  std::string_view rest_;
};

// The next value of a line.
template <class Value>
Value take(std::string_view& line) {
  Value value{};
  if (line.empty()) Lines::refuse();
  const auto [end, error] = std::from_chars(line.data() + 1, line.data() + line.size(), value);
  if (error != std::errc()) Lines::refuse();
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  if (!line.empty() && line.front() != ' ') Lines::refuse();
  return value;
}

template <class Value>
Value only(std::string_view line) {
  const Value value = take<Value>(line);
  if (!line.empty()) Lines::refuse();
  return value;
}

}  // namespace

std::string task_text(const egraph::dag::SolverTask& task) {
  const egraph::dag::Problem& problem = task.problem;
  std::string text = "flipsat-extraction 1\nlimit";
  append(text, task.limit);
  text += "\nbound";
  append(text, task.bound);
  text += "\nroots";
  for (const Number root : problem.roots) append(text, root);
  text += "\nstart";
  const std::vector<bool> is_used = classes_in_use(problem, task.start);
  for (Number cls = 0; cls < problem.class_count(); ++cls) {
    if (is_used[cls]) append(text, task.start[cls]);
  }
  for (Number node = 0; node < problem.node_count(); ++node) {
    text += "\nnode";
    append(text, problem.owner[node]);
    append(text, problem.cost[node]);
    for (const Number need : problem.needs(node)) append(text, need);
  }
  return text += "\nend\n";
}

egraph::dag::SolverAnswer read_answer(const std::string& text) {
  Lines lines(text);
  egraph::dag::SolverAnswer answer;
  if (only<int>(lines.next("flipsat-answer")) != 1) Lines::refuse();
  answer.cost = only<egraph::Cost>(lines.next("cost"));
  answer.bound = only<egraph::Cost>(lines.next("bound"));
  answer.spent = only<double>(lines.next("spent"));
  if (!std::isfinite(answer.spent)) Lines::refuse();
  std::string_view nodes = lines.next("nodes");
  while (!nodes.empty()) answer.nodes.push_back(take<Number>(nodes));
  if (!lines.next("end").empty() || !lines.is_at_end()) Lines::refuse();
  return answer;
}

}  // namespace flipsat::solvers
