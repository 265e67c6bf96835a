#include "tools/orders_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/suggest.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

laboratory::Mode mode_option(const std::string& spelling) {
  if (spelling == "literal") return laboratory::Mode::kLiteral;
  if (spelling == "extended") return laboratory::Mode::kExtended;
  return laboratory::Mode::kSound;
}

}  // namespace

void add_orders_options(CLI::App& parser, OrdersArguments& arguments) {
  parser
      .add_option("--mode", arguments.mode,
                  "The passes as the compiler has them (literal), where they are right (sound), "
                  "or with all other rules (extended)")
      ->check(CLI::IsMember({"literal", "sound", "extended"}))
      ->capture_default_str()
      ->type_name("");
  parser
      .add_option("--passes", arguments.passes,
                  "The passes to put in order (default: the six); NAME* is one to its fix-point")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PASS,..");
  parser
      .add_option("--sweeps", arguments.sweeps,
                  "Run an order once, or again and again until it changes nothing")
      ->check(CLI::IsMember({"once", "fix-point"}))
      ->capture_default_str()
      ->type_name("");
  add_optimizer_options(parser, arguments.optimizer);
}

// `*` on its own is the whole list again and again.
laboratory::StudyOptions study_options(const OrdersArguments& arguments) {
  laboratory::StudyOptions options;
  options.optimizer = optimizer_options(arguments.optimizer);
  options.mode = mode_option(arguments.mode);
  options.passes = arguments.passes;
  const bool repeats = std::erase(options.passes, "*") > 0;
  if (repeats || arguments.sweeps == "fix-point") options.sweeps = passes::Sweeps::kFixPoint;
  if (options.passes.size() > passes::OrderSearch::kMaxPasses) {
    throw UsageError(fmt::format("--passes: all orders of more than {} passes are too many",
                                 passes::OrderSearch::kMaxPasses));
  }
  const std::vector<std::string> known = laboratory::pass_names(options.mode, options.optimizer);
  for (const std::string& pass : options.passes) {
    const std::string name = laboratory::plain_name(pass);
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::vector<std::string> extended =
        laboratory::pass_names(laboratory::Mode::kExtended, options.optimizer);
    if (std::ranges::find(extended, name) != extended.end()) {
      throw UsageError(fmt::format(
          "--passes: '{}' is a family of rules, which only --mode extended takes as a pass", pass));
    }
    throw UsageError(
        fmt::format("--passes: there is no pass '{}'{}", pass, did_you_mean(name, known)));
  }
  return options;
}

}  // namespace flipsat::tools
