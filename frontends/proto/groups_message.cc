#include "frontends/proto/groups_message.h"

#include "frontends/proto/joined.h"
#include "frontends/text/scanner.h"

namespace flipsat::frontends {
namespace {

template <typename Dims, typename Order>
std::string iota_text(const Dims& dims, const Order& order) {
  std::string text = '[' + joined(dims) + ']';
  if (dims.size() > 1) text += "T(" + joined(order) + ')';
  return text;
}

std::string text_of(const hlo_proto::IotaGroups& groups) {
  return '[' + std::to_string(groups.num_replica_groups()) + ',' +
         std::to_string(groups.num_devices_per_group()) +
         "]<=" + iota_text(groups.iota_reshape_dims(), groups.iota_transpose_perm());
}

std::string text_of(const google::protobuf::RepeatedPtrField<hlo_proto::ReplicaGroup>& groups) {
  std::string text = "{";
  for (const hlo_proto::ReplicaGroup& group : groups) {
    if (text.size() > 1) text += ',';
    text += '{' + joined(group.replica_ids()) + '}';
  }
  return text + '}';
}

std::string axis_name(const hlo_proto::MeshGroups& groups, int64_t index) {
  const bool known = index >= 0 && index < groups.mesh().axes_size();
  return '\'' + (known ? groups.mesh().axes(static_cast<int>(index)).name() : "?") + '\'';
}

std::string text_of(const hlo_proto::MeshGroups& groups) {
  std::string text = "mesh[";
  for (const hlo_proto::MeshGroups::Axis& axis : groups.mesh().axes()) {
    if (text.back() != '[') text += ',';
    text += '\'' + axis.name() + "'=" + std::to_string(axis.size());
  }
  text += ']';
  if (groups.mesh().has_iota_transform()) {
    const auto& iota = groups.mesh().iota_transform();
    text += ", device_ids=(" + iota_text(iota.reshape_dims(), iota.transpose_perm()) + ')';
  } else if (groups.mesh().device_ids_size() > 0) {
    text += ", device_ids=(" + joined(groups.mesh().device_ids()) + ')';
  }
  text += " {";
  for (const hlo_proto::MeshGroups::AxisReference& axis : groups.axes()) {
    if (text.back() != '{') text += ',';
    text += axis_name(groups, axis.mesh_axis_index());
    if (!axis.has_sub_axis_info()) continue;
    text += ":(" + std::to_string(axis.sub_axis_info().pre_size()) + ')' +
            std::to_string(axis.sub_axis_info().size());
  }
  return text + '}';
}

// What the text reader has checked: no fault is left to find.
class GroupsText {
 public:
  explicit GroupsText(const std::string& text) : in_(text, "replica_groups") {}

  void set(hlo_proto::Instruction* message) {
    if (in_.peek() == '[') {
      set_iota(message->mutable_iota_collective_device_list());
    } else if (in_.take_word("mesh")) {
      set_mesh(message->mutable_mesh_axes_replica_group_list());
    }
  }

 private:
  template <typename Add>
  void read_list(char open, char close, Add add) {
    in_.expect(open);
    if (in_.take(close)) return;
    do add(in_.integer("a number"));
    while (in_.take(','));
    in_.expect(close);
  }

  template <typename Dims, typename Order>
  void read_iota(Dims* dims, Order* order) {
    read_list('[', ']', [&](int64_t value) { dims->Add(value); });
    if (in_.take('T')) {
      read_list('(', ')', [&](int64_t value) { order->Add(static_cast<int32_t>(value)); });
    } else {
      for (int dim = 0; dim < dims->size(); ++dim) order->Add(dim);
    }
  }

  void set_iota(hlo_proto::IotaGroups* groups) {
    in_.expect('[');
    groups->set_num_replica_groups(in_.integer("a number"));
    in_.expect(',');
    groups->set_num_devices_per_group(in_.integer("a number"));
    in_.expect(']');
    in_.expect("<=");
    read_iota(groups->mutable_iota_reshape_dims(), groups->mutable_iota_transpose_perm());
  }

  std::string read_axis_name() {
    std::string_view quoted = in_.quoted();
    return std::string(quoted.substr(1, quoted.size() - 2));
  }

  void set_mesh(hlo_proto::MeshGroups* groups) {
    auto* mesh = groups->mutable_mesh();
    in_.expect('[');
    do {
      auto* axis = mesh->add_axes();
      axis->set_name(read_axis_name());
      in_.expect('=');
      axis->set_size(in_.integer("a size"));
    } while (in_.take(','));
    in_.expect(']');
    if (in_.take(',')) {
      in_.attribute_name();
      in_.expect('(');
      if (in_.peek() == '[') {
        auto* iota = mesh->mutable_iota_transform();
        read_iota(iota->mutable_reshape_dims(), iota->mutable_transpose_perm());
      } else {
        do mesh->add_device_ids(in_.integer("a device"));
        while (in_.take(','));
      }
      in_.expect(')');
    }
    in_.expect('{');
    if (in_.take('}')) return;
    do set_axis(*mesh, groups->add_axes());
    while (in_.take(','));
    in_.expect('}');
  }

  void set_axis(const hlo_proto::MeshGroups::Mesh& mesh,
                hlo_proto::MeshGroups::AxisReference* axis) {
    const std::string name = read_axis_name();
    for (int i = 0; i < mesh.axes_size(); ++i) {
      if (mesh.axes(i).name() == name) axis->set_mesh_axis_index(i);
    }
    if (!in_.take(':')) return;
    in_.expect('(');
    axis->mutable_sub_axis_info()->set_pre_size(in_.integer("a size"));
    in_.expect(')');
    axis->mutable_sub_axis_info()->set_size(in_.integer("a size"));
  }

  Scanner in_;
};

}  // namespace

std::string groups_text(const hlo_proto::Instruction& message) {
  if (message.has_iota_collective_device_list()) {
    return text_of(message.iota_collective_device_list());
  }
  if (message.has_mesh_axes_replica_group_list()) {
    return text_of(message.mesh_axes_replica_group_list());
  }
  if (message.replica_groups_size() > 0) return text_of(message.replica_groups());
  const hlo_proto::DeviceGroups& groups = message.collective_device_list();
  if (groups.has_iota_replica_group_list()) return text_of(groups.iota_replica_group_list());
  return text_of(groups.replica_groups());
}

void set_groups(const hlo::Attribute& attribute, hlo_proto::Instruction* message) {
  message->clear_replica_groups();
  message->clear_replica_group_list();
  const std::string text(attribute.text);
  GroupsText(text).set(message);
  const auto& groups = std::get<hlo::ReplicaGroupsRef>(attribute.value);
  if (!groups) return;
  for (const std::vector<int64_t>& group : *groups) {
    hlo_proto::ReplicaGroup* ids = message->add_replica_groups();
    for (int64_t id : group) ids->add_replica_ids(id);
  }
}

}  // namespace flipsat::frontends
