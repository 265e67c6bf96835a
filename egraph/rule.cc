#include "egraph/rule.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace flipsat::egraph {

Rule::Rule(std::string name, Pattern pattern) : name_(std::move(name)) {
  patterns_.push_back(std::move(pattern));
}

Rule& Rule::also(Pattern pattern) {
  patterns_.push_back(std::move(pattern));
  return *this;
}

Rule& Rule::follow(std::vector<ClassVar> variables, Matcher matcher) {
  follow_variables_ = std::move(variables);
  matcher_ = std::move(matcher);
  return *this;
}

Rule& Rule::where(Guard guard) {
  guards_.push_back({std::move(guard), false, {}});
  return *this;
}

Rule& Rule::where(std::vector<Name> wants, Guard guard) {
  GuardAt& added = guards_.emplace_back(GuardAt{std::move(guard), true, {}});
  for (const Name& name : wants) added.wants.push_back(name.text);
  return *this;
}

bool Rule::is_asked_early(size_t guard) const {
  const auto is_followed = [&](std::string_view name) {
    return std::ranges::find(follow_variables_, name, &ClassVar::name) != follow_variables_.end();
  };
  return guards_[guard].is_early && std::ranges::none_of(guards_[guard].wants, is_followed);
}

Rule& Rule::to(Pattern pattern) {
  term_.push_back(std::move(pattern));
  return *this;
}

Rule& Rule::then(Apply apply) {
  apply_ = std::move(apply);
  return *this;
}

Rule& Rule::looks_elsewhere() {
  in_full_ = true;
  return *this;
}

uint32_t RuleSet::add(Rule rule) {
  if (index_of(rule.name()) != kNoId) throw std::logic_error("two rules named " + rule.name());
  const size_t ways = rule.term().size() + (rule.code() ? 1 : 0);
  if (ways != 1) {
    throw std::logic_error("rule " + rule.name() + " needs one right-hand side, as term or code");
  }
  index_.emplace(rule.name(), size());
  rules_.push_back(std::move(rule));
  return size() - 1;
}

uint32_t RuleSet::index_of(std::string_view name) const {
  const auto it = index_.find(std::string(name));
  return it == index_.end() ? kNoId : it->second;
}

}  // namespace flipsat::egraph
