#include "tools/rule_file.h"

#include "frontends/file.h"

namespace flipsat::tools {

std::vector<rules::text::TextRuleRef> read_rule_file(const std::string& path) {
  constexpr size_t kMaxBytes = 1 << 20;
  return rules::text::read_rules(frontends::read_bytes(path, kMaxBytes), path);
}

}  // namespace flipsat::tools
