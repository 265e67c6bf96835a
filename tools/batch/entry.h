// What is kept of a module that was optimised: enough to write its output and its part of the
// report without doing the work again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "frontends/compression.h"
#include "optimizer/options.h"

namespace flipsat::tools {

// For the table: of the input, the greedy order and the output.
struct Figures {
  std::array<int64_t, 3> time{};  // picoseconds
  std::array<int64_t, 3> launches{};
  std::array<int64_t, 3> wire_bytes{};
  int64_t changes = 0;
  bool is_improved = false;  // by the objective

  template <class Archive>
  void serialize(Archive& archive) {
    archive(time, launches, wire_bytes, changes, is_improved);
  }
};

struct Entry {
  std::string error;             // where there is one, nothing below is set
  bool error_has_place = false;  // ":line:column: error: ...", behind the name of the file
  // May the answer be given again? Not where a clock or the machine had a part in it.
  bool is_lasting = true;
  Figures figures;
  std::string record;     // the record of the report behind "input", as json_fields writes it
  bool is_input = false;  // the output is the input's file, to the byte
  std::string output;     // else what the output's file holds, not compressed
  frontends::Compression compression = frontends::Compression::kNone;
  std::string output_digest;  // of the file as it is written

  template <class Archive>
  void serialize(Archive& archive) {
    archive(error, error_has_place, is_lasting, figures, record, is_input, output, compression,
            output_digest);
  }
};

// With a checksum.
std::string encode(const Entry& entry);
// Nullopt where the bytes are no entry, damaged, or of another version of this form.
std::optional<Entry> decode(std::string_view bytes);

// Optimises what a file holds. What is wrong with the module is an answer; std::bad_alloc is
// thrown. `shown` stands for the file in messages.
Entry solve(const std::string& bytes, const std::string& shown, const optimizer::Options& options);

// What the output's file holds. `input`: the bytes that the entry is of.
std::string output_file(const Entry& entry, const std::string& input);

// The message for a file of this name.
std::string error_of(const Entry& entry, const std::string& path);

}  // namespace flipsat::tools
