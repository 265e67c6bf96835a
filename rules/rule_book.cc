#include "rules/rule_book.h"

#include "rules/families.h"

namespace flipsat::rules {
namespace {

bool is_enabled(const RuleInfo& info, const RuleOptions& options) {
  if (!options.only.empty() && !options.only.count(info.name)) return false;
  if (options.disable.count(info.name)) return false;
  if (options.bitwise && info.order_open) return false;
  return info.numerics <= options.numerics;
}

}  // namespace

std::vector<Family> all_families() {
  return {gather_convert(),
          gather_reshape(),
          gather_elementwise(),
          gather_dynamic_slice(),
          reduce_convert(),
          scatter_transpose(),
          gather_transpose(),
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
          reduce_reduce_dims(),
          reduce_own_shard(),
          gather_own_shard(),
          collective_of_one(),
          convert_convert(),
          reshape_reshape(),
          transpose_transpose(),
          slice_slice(),
          broadcast_broadcast(),
          reverse_reverse(),
          pad_nothing(),
          whole_slice(),
          tuple_element()};
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

std::vector<RuleInfo> catalogue() {
  std::vector<RuleInfo> infos;
  for (const Family& family : all_families()) infos.push_back(family.info);
  return infos;
}

}  // namespace flipsat::rules
