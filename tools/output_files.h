// Files that appear together: whole, or not at all.
//
// Each file is first written beside its place under a temporary name; `commit` then renames them
// all. What was not committed is removed. Standard output ("-") and what is no regular file (a
// device, a pipe) cannot be renamed to and are written at commit, before the renames.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "frontends/compression.h"

namespace flipsat::tools {

class OutputFiles {
 public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles();

  // Compressed as the name says (.gz, .zst) where nothing else is asked for; standard output never.
  // Throws UsageError where the system refuses, or the name asks for a compression of others.
  void add(const std::string& path, const std::string& bytes,
           std::optional<frontends::Compression> compression = std::nullopt);
  void commit();

 private:
  struct Staged {
    std::string path;
    std::string temporary;
  };
  struct Direct {
    std::string path;
    std::string bytes;
  };
  std::vector<Staged> staged_;
  std::vector<Direct> direct_;
};

// Throws UsageError where a file of this name could not be made: asked before long work.
void check_can_write(const std::string& path);

// Where a name leads through links, absolute; need not be there yet. Empty for "" and "-".
std::string place_of(const std::string& name);

// Whether two names are of one place.
bool is_one_place(const std::string& a, const std::string& b);

// Throws UsageError where an output (which may be empty or "-") would replace an input.
void check_are_no_inputs(const std::vector<std::string>& outputs,
                         const std::vector<std::string>& inputs);

// One file, whole or not at all.
void write_output(const std::string& path, const std::string& bytes,
                  std::optional<frontends::Compression> compression = std::nullopt);

// Text for people. Throws UsageError where the stream does not take it (a full disk).
void print(std::FILE* stream, const std::string& text);

}  // namespace flipsat::tools
