#include <stdexcept>
#include <utility>

#include "passes/literal/flip_all_gather_convert.h"
#include "passes/literal/flip_all_gather_dynamic_slice.h"
#include "passes/literal/flip_all_gather_reshape.h"
#include "passes/literal/flip_all_gathers_binary.h"
#include "passes/literal/flip_reduce_convert_add.h"
#include "passes/literal/flip_reduce_scatter_transpose.h"
#include "passes/pass.h"
#include "passes/sound/flip_all_gather_convert.h"
#include "passes/sound/flip_all_gather_dynamic_slice.h"
#include "passes/sound/flip_all_gather_reshape.h"
#include "passes/sound/flip_all_gathers_binary.h"
#include "passes/sound/flip_reduce_convert_add.h"
#include "passes/sound/flip_reduce_scatter_transpose.h"

namespace flipsat::passes {
namespace {

struct Row {
  std::string name;
  std::unique_ptr<Pass> (*sound)();
  std::unique_ptr<Pass> (*literal)();
};

// In registry order: numbers 92, 96, 97, 98, 102, 104.
const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {"aws_neuron_flip_all_gather_dynamic_slice", sound_flip_all_gather_dynamic_slice,
       literal_flip_all_gather_dynamic_slice},
      {"aws_neuron_flip_all_gather_convert", sound_flip_all_gather_convert,
       literal_flip_all_gather_convert},
      {"aws_neuron_flip_all_gather_reshape", sound_flip_all_gather_reshape,
       literal_flip_all_gather_reshape},
      {"aws_neuron_flip_all_gathers_binary", sound_flip_all_gathers_binary,
       literal_flip_all_gathers_binary},
      {"aws_neuron_flip_reduce_convert_add", sound_flip_reduce_convert_add,
       literal_flip_reduce_convert_add},
      {"aws_neuron_flip_reduce_scatter_transpose", sound_flip_reduce_scatter_transpose,
       literal_flip_reduce_scatter_transpose},
  };
  return table;
}

}  // namespace

const std::vector<std::string>& registry_order() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Row& row : rows()) all.push_back(row.name);
    return all;
  }();
  return names;
}

std::string short_name(const std::string& name) {
  constexpr std::string_view kAll = "aws_neuron_flip_";
  return name.starts_with(kAll) ? name.substr(kAll.size()) : name;
}

std::unique_ptr<Pass> make_pass(const std::string& name, Mode mode) {
  for (const Row& row : rows()) {
    if (row.name != name) continue;
    switch (mode) {
      case Mode::kSound:
        return row.sound();
      case Mode::kLiteral:
        return row.literal();
    }
  }
  throw std::invalid_argument("no pass is called \"" + name + "\"");
}

}  // namespace flipsat::passes
