// A folder of entries by what they are the answers to: the bytes of a module, the options, and the
// version of flipsat. Several batches may share one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/batch/entry.h"
#include "tools/options.h"

namespace flipsat::tools {

// All of the options that can change a result, and the contents of the files that they name; with
// the version and the source of flipsat. Throws hlo::InputError for a file that cannot be read.
std::string identity_of(const OptimizerArguments& arguments, const optimizer::Options& options);

// What an entry is kept under.
std::string key_of(const std::string& identity, std::string_view module_bytes);

class Cache {
 public:
  // Throws UsageError where the folder cannot be made.
  explicit Cache(std::string folder);

  // Nullopt where there is none, or it is damaged.
  std::optional<Entry> find(const std::string& key) const;
  // Whole or not at all. Throws UsageError where the system refuses.
  void keep(const std::string& key, const std::string& encoded) const;

 private:
  std::string path_of(const std::string& key) const;

  std::string folder_;
};

}  // namespace flipsat::tools
