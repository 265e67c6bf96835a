#include "tools/output_form.h"

#include <fmt/format.h>

#include <filesystem>

namespace flipsat::tools {
namespace {

using frontends::FileKind;

bool is_same_file(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return false;
  std::error_code unknown;
  return std::filesystem::equivalent(a, b, unknown);
}

const char* words_of(FileKind kind) { return kind == FileKind::kProto ? "a proto" : "text"; }

}  // namespace

Form output_form(const std::string& output, const std::string& input, const Form& input_form) {
  if (is_same_file(output, input)) return input_form;
  return {frontends::kind_of_name(output).value_or(input_form.kind),
          frontends::compression_of_name(output)};
}

std::string form_note(const std::string& output, const std::string& input, const Form& input_form) {
  const auto named = frontends::kind_of_name(input);
  if (!named || *named == input_form.kind) return "";
  const FileKind written = output_form(output, input, input_form).kind;
  const std::string is = fmt::format("{} is {}, though its name says {}", input,
                                     words_of(input_form.kind), words_of(*named));
  if (is_same_file(output, input)) return is + "; it stays so";
  if (written == input_form.kind) return "";
  return fmt::format("{}; {} is {}, as its name says", is, output, words_of(written));
}

}  // namespace flipsat::tools
