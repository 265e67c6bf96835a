#include "rules/rule_book.h"

#include <iterator>
#include <utility>

#include "rules/families.h"

namespace flipsat::rules {
namespace {

bool is_enabled(const RuleInfo& info, const RuleOptions& options) {
  if (!options.only.empty() && !options.only.count(info.name)) return false;
  if (options.disable.count(info.name)) return false;
  if (options.bitwise && info.order_open) return false;
  if (info.needs_finite && !options.assume_finite) return false;
  return info.numerics <= options.numerics;
}

}  // namespace

std::vector<Family> all_families() {
  std::vector<Family> all;
  auto add = [&](std::vector<Family> families) {
    std::move(families.begin(), families.end(), std::back_inserter(all));
  };
  add({gather_convert(), gather_reshape(), gather_elementwise(), gather_dynamic_slice(),
       reduce_convert(), scatter_transpose()});
  add({reduce_own_shard(), gather_own_shard(), reduce_scatter_gather(), reduce_reduce(),
       scatter_reduce(), scatter_scatter(), gather_gather(), gather_reduce(), collective_of_one(),
       collective_of_uniform(), reduce_update()});
  add({gather_transpose(),
       gather_slice(),
       gather_broadcast(),
       gather_reverse(),
       gather_pad(),
       gather_concatenate(),
       gather_dynamic_update_slice(),
       gather_reduce_dims(),
       gather_reduce_own_dim(),
       reduce_transpose(),
       reduce_reshape(),
       reduce_slice(),
       reduce_dynamic_slice(),
       reduce_broadcast(),
       reduce_reverse(),
       reduce_pad(),
       reduce_concatenate(),
       reduce_dynamic_update_slice(),
       reduce_select(),
       reduce_reduce_dims()});
  add({reduce_sum(), reduce_scale()});
  add(permute_operations());
  add({permute_permute(), permute_of_uniform(), permute_sum()});
  add(all_to_all_operations());
  add({all_to_all_inverse(), all_to_all_of_uniform()});
  add({gather_dot(), gather_dot_contracted(), reduce_dot(), dot_transpose()});
  add({convert_convert(), reshape_reshape(), transpose_transpose(), slice_slice(),
       broadcast_broadcast(), reverse_reverse(), pad_nothing(), whole_slice(), tuple_element(),
       zero_times()});
  return all;
}

RuleBook::RuleBook(language::HloGraph& hlo, const RuleOptions& options)
    : RuleBook(hlo, options, all_families()) {}

RuleBook::RuleBook(language::HloGraph& hlo, const RuleOptions& options,
                   const std::vector<Family>& families)
    : hlo_(hlo), options_(options) {
  for (const Family& family : families) {
    if (!is_enabled(family.info, options)) continue;
    infos_.push_back(family.info);
    family.add(*this);
  }
}

egraph::Rule RuleBook::rule(const std::string& direction, egraph::Pattern pattern) const {
  return egraph::Rule(infos_.back().name + "/" + direction, std::move(pattern));
}

void RuleBook::add(egraph::Rule rule) {
  set_.add(std::move(rule));
  family_of_.push_back(infos_.size() - 1);
}

void RuleBook::before_all(std::function<void(language::HloGraph&)> prepare) {
  prepare_.push_back(std::move(prepare));
}

void RuleBook::prepare() {
  for (const auto& prepare : std::exchange(prepare_, {})) prepare(hlo_);
  if (!hlo_.graph().is_rebuilt()) hlo_.graph().rebuild();
}

std::vector<RuleInfo> catalogue() {
  std::vector<RuleInfo> infos;
  for (const Family& family : all_families()) infos.push_back(family.info);
  return infos;
}

}  // namespace flipsat::rules
