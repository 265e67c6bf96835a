#include "frontends/text/header_reader.h"

#include <algorithm>
#include <array>

#include "frontends/text/raw_syntax.h"

namespace flipsat::frontends {

using hlo::Module;

namespace {

// `{(shape, ...)->shape}`
void skip_entry_layout(Scanner& in, ShapeReader& shapes) {
  in.expect('{');
  if (in.peek() != '(') in.fail("expected '('");
  shapes.read();
  in.expect("->");
  shapes.read();
  in.expect('}');
}

int64_t positive(Scanner& in) {
  size_t begin = (in.skip_space(), in.offset());
  int64_t value = in.integer("a number");
  if (value < 1) in.fail_at(begin, "expected a number of at least 1");
  return value;
}

void read_header_value(Scanner& in, ShapeReader& shapes, Module& module, std::string_view name,
                       size_t name_at) {
  if (name == "is_scheduled") {
    module.is_scheduled = in.boolean();
  } else if (name == "replica_count") {
    module.replica_count = positive(in);
  } else if (name == "num_partitions") {
    module.num_partitions = positive(in);
  } else if (name == "input_output_alias") {
    skip_aliasing(in, true);
  } else if (name == "buffer_donor") {
    skip_buffer_donors(in);
  } else if (name == "alias_passthrough_params") {
    in.boolean();
  } else if (name == "entry_computation_layout") {
    skip_entry_layout(in, shapes);
  } else if (name == "frontend_attributes") {
    skip_frontend_attributes(in);
  } else if (name == "allow_spmd_sharding_propagation_to_parameters" ||
             name == "allow_spmd_sharding_propagation_to_output") {
    skip_booleans(in);
  } else if (name == "origin_recovery_table" || name == "debug_attributes") {
    if (in.peek() != '{') in.fail("expected '{'");
    in.balanced();
  } else {
    in.fail_at(name_at, "expected an attribute of the module, found '" +
                            std::string(name.substr(0, 60)) + "'");
  }
}

// `{file_name_id=1 line=2}`: integers by name.
void skip_table_entry(Scanner& in, std::initializer_list<std::string_view> allowed) {
  in.expect('{');
  while (!in.take('}')) {
    size_t begin = (in.skip_space(), in.offset());
    std::string_view name = in.attribute_name();
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      in.fail_at(begin, "expected a field of this table");
    }
    in.non_negative("a number");
    in.take(',');
  }
}

void skip_stack_frame_tables(Scanner& in) {
  if (!in.take_word("FileNames")) return;
  auto skip_strings = [&] {
    while (in.starts_integer()) {
      in.non_negative("a number");
      in.quoted();
    }
  };
  auto expect_table = [&](std::string_view name) {
    if (!in.take_word(name)) in.fail("expected the table " + std::string(name));
  };
  skip_strings();
  expect_table("FunctionNames");
  skip_strings();
  expect_table("FileLocations");
  while (in.starts_integer()) {
    in.non_negative("a number");
    skip_table_entry(
        in, {"file_name_id", "function_name_id", "line", "end_line", "column", "end_column"});
  }
  expect_table("StackFrames");
  while (in.starts_integer()) {
    in.non_negative("a number");
    skip_table_entry(in, {"file_location_id", "parent_frame_id"});
  }
}

}  // namespace

void read_header(Scanner& in, ShapeReader& shapes, Module& module) {
  read_header_line(in, shapes, module);
  skip_stack_frame_tables(in);
}

void read_header_line(Scanner& in, ShapeReader& shapes, Module& module) {
  module.name = in.name("a module name");
  while (in.take(',')) {
    size_t name_at = (in.skip_space(), in.offset());
    std::string_view name = in.attribute_name();
    for (const hlo::HeaderAttribute& other : module.header) {
      if (other.name == name) in.fail_at(name_at, "expected each attribute once");
    }
    size_t begin = (in.skip_space(), in.offset());
    read_header_value(in, shapes, module, name, name_at);
    module.header.push_back({std::string(name), in.text(begin, in.offset())});
  }
}

}  // namespace flipsat::frontends
