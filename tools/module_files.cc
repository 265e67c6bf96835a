#include "tools/module_files.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include "frontends/file.h"
#include "frontends/proto/proto.h"
#include "hlo/input_error.h"

namespace flipsat::tools {
namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [mismatch, _] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return mismatch == folder.end();
}

std::string_view without_compression(std::string_view path) {
  for (std::string_view ending : {".gz", ".zst"}) {
    if (frontends::has_ending(path, ending)) return path.substr(0, path.size() - ending.size());
  }
  return path;
}

std::string_view skip_space_and_comments(std::string_view text) {
  for (;;) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
      text.remove_prefix(1);
    }
    std::string_view end;
    if (text.starts_with("//")) {
      end = "\n";
    } else if (text.starts_with("/*")) {
      end = "*/";
    } else {
      return text;
    }
    const size_t found = text.find(end, 2);
    if (found == std::string_view::npos) return {};
    text.remove_prefix(found + end.size());
  }
}

// "name {" or "%name (", the start of a computation.
bool starts_computation(std::string_view text) {
  if (text.starts_with('%')) text.remove_prefix(1);
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  };
  size_t length = 0;
  while (length < text.size() && is_name(text[length])) ++length;
  if (length == 0) return false;
  std::string_view rest = skip_space_and_comments(text.substr(length));
  if (rest.starts_with('(')) {
    const size_t arrow = rest.find("->");
    return arrow != std::string_view::npos && arrow < rest.find('{');
  }
  if (!rest.starts_with('{')) return false;
  rest = skip_space_and_comments(rest.substr(1));
  return rest.substr(0, rest.find('\n')).find('=') != std::string_view::npos;
}

}  // namespace

std::vector<ModuleFile> files_below(const std::string& folder, const std::string& except) try {
  const fs::path excluded = except.empty() ? fs::path() : fs::weakly_canonical(except);
  std::vector<ModuleFile> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    std::error_code unknown;
    const bool is_file = entry.is_regular_file(unknown);
    // A link that leads nowhere is told when it is read, if it has the name of a module.
    const bool leads_nowhere = entry.is_symlink(unknown) && !entry.exists(unknown);
    if (!is_file && !(leads_nowhere && has_module_name(entry.path().string()))) continue;
    const fs::path relative = entry.path().lexically_relative(folder);
    if (std::any_of(relative.begin(), relative.end(),
                    [](const fs::path& part) { return part == kBatchFolder; })) {
      continue;
    }
    const fs::path place = fs::weakly_canonical(entry.path(), unknown);
    if (!except.empty() && !unknown && is_below(place, excluded)) continue;
    files.push_back({entry.path().string(), relative.string()});
  }
  return files;
} catch (const fs::filesystem_error& error) {
  throw hlo::InputError({error.path1().string(), 1, 1}, "cannot read: " + error.code().message());
}

bool has_module_name(std::string_view path) {
  const std::string_view name = without_compression(path);
  return frontends::has_ending(name, ".hlo") || frontends::has_ending(name, ".hlo_module.pb") ||
         frontends::has_ending(name, ".hlo.pb");
}

bool is_module_file(const std::string& path) {
  if (has_module_name(path)) return true;
  try {
    return looks_like_module(frontends::read_bytes(path));
  } catch (const std::runtime_error&) {
    return false;  // a damaged file that never claimed to be a module
  }
}

bool looks_like_module(std::string_view text) {
  if (frontends::holds_module(text)) return true;
  const std::string_view start = skip_space_and_comments(text);
  const auto begins_with_word = [&](std::string_view word) {
    return start.starts_with(word) && start.size() > word.size() &&
           std::isspace(static_cast<unsigned char>(start[word.size()])) != 0;
  };
  return begins_with_word("HloModule") || begins_with_word("ENTRY") || starts_computation(start);
}

}  // namespace flipsat::tools
