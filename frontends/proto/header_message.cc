#include "frontends/proto/header_message.h"

#include "frontends/proto/metadata_message.h"
#include "frontends/proto/shape_message.h"
#include "frontends/text/header_reader.h"
#include "frontends/text/raw_syntax.h"
#include "frontends/text/scanner.h"
#include "frontends/text/shape_reader.h"

namespace flipsat::frontends {

using hlo::Module;

namespace {

hlo::Shape with_default_layouts(hlo::Shape shape) {
  if (shape.layout && shape.layout->element_bits > 0) {  // packed stays packed
    hlo::Layout layout;
    for (int dim = shape.rank() - 1; dim >= 0; --dim) layout.minor_to_major.push_back(dim);
    layout.element_bits = shape.layout->element_bits;
    layout.extras = "E(" + std::to_string(layout.element_bits) + ')';
    shape.layout = std::make_shared<const hlo::Layout>(std::move(layout));
  } else {
    shape.layout = nullptr;
  }
  if (!shape.parts) return shape;
  std::vector<hlo::Shape> parts;
  for (const hlo::Shape& part : *shape.parts) parts.push_back(with_default_layouts(part));
  shape.parts = std::make_shared<const std::vector<hlo::Shape>>(std::move(parts));
  return shape;
}

void set_aliases(const std::string& text, hlo_proto::Module* message) {
  Scanner in(text, "input_output_alias");
  in.expect('{');
  if (in.take('}')) return;
  constexpr int kMay = 1, kMust = 2;
  do {
    auto* entry = message->mutable_input_output_alias()->add_entries();
    for (int64_t i : read_braced_integers(in)) entry->add_output_shape_index(i);
    in.expect(':');
    in.expect('(');
    entry->set_parameter_number(in.integer("a parameter"));
    in.expect(',');
    for (int64_t i : read_braced_integers(in)) entry->add_parameter_shape_index(i);
    entry->set_kind(in.take(',') && in.word() == "must-alias" ? kMust : kMay);
    in.expect(')');
  } while (in.take(','));
}

void set_donors(const std::string& text, hlo_proto::Module* message) {
  Scanner in(text, "buffer_donor");
  in.expect('{');
  if (in.take('}')) return;
  do {
    auto* entry = message->mutable_buffer_donor()->add_entries();
    in.expect('(');
    entry->set_parameter_number(in.integer("a parameter"));
    in.expect(',');
    for (int64_t i : read_braced_integers(in)) entry->add_parameter_shape_index(i);
    in.expect(')');
  } while (in.take(','));
}

void set_entry_layout(const std::string& text, hlo_proto::ProgramShape* message) {
  Scanner in(text, "entry_computation_layout");
  ShapeReader shapes(in);
  in.expect('{');
  const hlo::Shape parameters = shapes.read();
  in.expect("->");
  message->clear_parameters();
  for (const hlo::Shape& shape : *parameters.parts) set_shape(shape, message->add_parameters());
  message->clear_result();
  set_shape(shapes.read(), message->mutable_result());
}

// XLA takes the entry's layouts for the default ones where the header does not give them.
void drop_layouts(hlo_proto::Shape* message) {
  hlo::Shape shape = shape_from(*message);
  message->Clear();
  set_shape(with_default_layouts(shape), message);
}

void set_device_counts(const Module& module, hlo_proto::Module* message) {
  if (!module.replica_count && !module.num_partitions) return;
  const int64_t replicas = module.replica_count.value_or(1);
  const int64_t partitions = module.num_partitions.value_or(1);
  constexpr int64_t kMostDevices = 1 << 20;
  if (replicas > kMostDevices || partitions > kMostDevices / replicas) return;
  auto* devices = message->mutable_device_assignment();
  devices->set_replica_count(static_cast<int32_t>(replicas));
  devices->set_computation_count(static_cast<int32_t>(partitions));
  for (int64_t partition = 0; partition < partitions; ++partition) {
    auto* ids = devices->add_computation_devices();
    for (int64_t replica = 0; replica < replicas; ++replica) {
      ids->add_replica_device_ids(replica * partitions + partition);
    }
  }
}

// `1 {file_name_id=1 line=2}`: calls `set` with each name and number.
template <typename Set>
void read_entry(Scanner& in, Set set) {
  in.integer("a number");
  in.expect('{');
  while (!in.take('}')) {
    const std::string_view name = in.attribute_name();
    set(name, static_cast<int32_t>(in.integer("a number")));
    in.take(',');
  }
}

// The text reader steps over these tables; here they are looked into.
void set_stack_frames(const Module& module, hlo_proto::Module* message) {
  if (!module.source || !module.has_header) return;
  Scanner in(*module.source, module.file);
  if (!in.take_word("HloModule")) return;
  ShapeReader shapes(in);
  Module ignored;
  read_header_line(in, shapes, ignored);
  if (!in.take_word("FileNames")) return;
  hlo_proto::StackFrames* frames = message->mutable_stack_frame_index();
  while (in.starts_integer()) {
    in.integer("a number");
    frames->add_file_names(unescape(in.quoted()));
  }
  in.take_word("FunctionNames");
  while (in.starts_integer()) {
    in.integer("a number");
    frames->add_function_names(unescape(in.quoted()));
  }
  in.take_word("FileLocations");
  while (in.starts_integer()) {
    auto* location = frames->add_file_locations();
    read_entry(in, [&](std::string_view name, int32_t value) {
      const auto* field = location->GetDescriptor()->FindFieldByName(std::string(name));
      location->GetReflection()->SetInt32(location, field, value);
    });
  }
  in.take_word("StackFrames");
  while (in.starts_integer()) {
    auto* frame = frames->add_stack_frames();
    read_entry(in, [&](std::string_view name, int32_t value) {
      if (name == "file_location_id") frame->set_file_location_id(value);
      if (name == "parent_frame_id") frame->set_parent_frame_id(value - 1);
    });
  }
}

}  // namespace

void set_program_shape(const Module& module, const hlo::Computation& computation,
                       hlo_proto::ProgramShape* message) {
  message->Clear();
  for (hlo::InstructionId parameter : computation.parameters) {
    set_shape(module[parameter].shape, message->add_parameters());
    message->add_parameter_names(module[parameter].name);
  }
  set_shape(module[computation.root].shape, message->mutable_result());
}

void set_header(const Module& module, hlo_proto::Module* message) {
  message->set_name(module.name);
  set_program_shape(module, module.entry_computation(), message->mutable_host_program_shape());
  for (hlo_proto::Shape& shape : *message->mutable_host_program_shape()->mutable_parameters()) {
    drop_layouts(&shape);
  }
  drop_layouts(message->mutable_host_program_shape()->mutable_result());
  for (const hlo::HeaderAttribute& attribute : module.header) {
    const std::string text(attribute.text);
    if (attribute.name == "input_output_alias") set_aliases(text, message);
    if (attribute.name == "buffer_donor") set_donors(text, message);
    if (attribute.name == "entry_computation_layout") {
      set_entry_layout(text, message->mutable_host_program_shape());
    }
    if (attribute.name == "frontend_attributes") {
      set_frontend_attributes(text, message->mutable_frontend_attributes());
    }
  }
  set_device_counts(module, message);
  set_stack_frames(module, message);
}

}  // namespace flipsat::frontends
