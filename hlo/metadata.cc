#include "hlo/metadata.h"

#include <algorithm>

namespace flipsat::hlo {
namespace {

constexpr std::string_view kOpName = "op_name=\"";

// Where a field ends: at a space outside quotes and braces.
size_t end_of_field(std::string_view text, size_t begin) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = begin; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == '{') {
      ++depth;
    } else if (!quoted && text[i] == '}') {
      --depth;
    } else if (!quoted && depth == 0 && (text[i] == ' ' || text[i] == '\n')) {
      return i;
    }
  }
  return text.size();
}

std::string_view op_name(const std::vector<std::string_view>& fields) {
  for (std::string_view field : fields) {
    if (field.starts_with(kOpName))
      return field.substr(kOpName.size(), field.size() - kOpName.size() - 1);
  }
  return {};
}

// The scopes, each with its '/', that both names begin with; `a` whole where they are equal.
std::string_view common_scope(std::string_view a, std::string_view b) {
  if (a == b) return a;
  size_t same = 0;
  while (same < std::min(a.size(), b.size()) && a[same] == b[same]) ++same;
  size_t slash = a.substr(0, same).rfind('/');
  return slash == std::string_view::npos ? std::string_view() : a.substr(0, slash);
}

}  // namespace

std::vector<std::string_view> metadata_fields(std::string_view metadata) {
  std::vector<std::string_view> fields;
  if (metadata.size() < 2 || metadata.front() != '{') return fields;
  metadata = metadata.substr(1, metadata.size() - 2);
  for (size_t begin = 0; begin < metadata.size();) {
    size_t end = end_of_field(metadata, begin);
    if (end > begin) fields.push_back(metadata.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

std::string common_metadata(const std::vector<std::string_view>& all) {
  if (all.empty()) return "";
  std::vector<std::string_view> common = metadata_fields(all.front());
  std::string_view scope = op_name(common);
  for (std::string_view other : all) {
    const std::vector<std::string_view> fields = metadata_fields(other);
    scope = common_scope(scope, op_name(fields));
    std::erase_if(common, [&](std::string_view field) {
      return !field.starts_with(kOpName) &&
             std::find(fields.begin(), fields.end(), field) == fields.end();
    });
  }
  std::string merged;
  for (std::string_view field : common) {
    if (field.starts_with(kOpName) && scope.empty()) continue;
    merged += merged.empty() ? "{" : " ";
    merged += field.starts_with(kOpName) ? std::string(kOpName) + std::string(scope) + '"'
                                         : std::string(field);
  }
  return merged.empty() ? merged : merged + '}';
}

}  // namespace flipsat::hlo
