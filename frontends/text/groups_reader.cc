#include "frontends/text/groups_reader.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace flipsat::frontends {

using hlo::ReplicaGroups;
using hlo::ReplicaGroupsRef;

namespace {

// The ids of a row-major array of these dims, walked in the transposed order.
std::vector<int64_t> transposed_iota(const std::vector<int64_t>& dims,
                                     const std::vector<int64_t>& order) {
  size_t rank = dims.size();
  std::vector<int64_t> strides(rank, 1);
  for (size_t i = rank - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
  std::vector<int64_t> ids{0};
  // Outermost taken dim first: each step replaces every id by its row along the next dim.
  for (int64_t dim : order) {
    std::vector<int64_t> next;
    next.reserve(ids.size() * static_cast<size_t>(dims[dim]));
    for (int64_t id : ids) {
      for (int64_t i = 0; i < dims[dim]; ++i) next.push_back(id + i * strides[dim]);
    }
    ids = std::move(next);
  }
  return ids;
}

ReplicaGroupsRef in_rows(const std::vector<int64_t>& ids, int64_t row_size) {
  auto groups = std::make_shared<ReplicaGroups>();
  groups->reserve(ids.size() / static_cast<size_t>(row_size));
  for (auto row = ids.begin(); row != ids.end(); row += row_size) {
    groups->emplace_back(row, row + row_size);
  }
  return groups;
}

}  // namespace

ReplicaGroupsRef GroupsReader::read() {
  char c = in_.peek();
  if (c == '[') return read_iota();
  if (c == 'm') return read_mesh();
  if (c != '{') in_.fail("expected replica groups");
  size_t begin = in_.offset();
  std::string_view spelling = in_.balanced();
  ReplicaGroupsRef& known = known_[spelling];
  if (known) return known;
  in_.seek(begin);
  return known = read_lists();
}

void GroupsReader::claim(int64_t ids, size_t begin) {
  claimed_ += ids;
  if (claimed_ > kMaxIds) {
    in_.fail_at(begin, "expected replica groups of at most " + std::to_string(kMaxIds) +
                           " ids in the whole module");
  }
}

ReplicaGroupsRef GroupsReader::read_lists() {
  auto groups = std::make_shared<ReplicaGroups>();
  in_.expect('{');
  if (in_.take('}')) return groups;
  do {
    in_.expect('{');
    std::vector<int64_t>& group = groups->emplace_back();
    if (in_.take('}')) continue;
    do group.push_back(in_.non_negative("a device id"));
    while (in_.take(','));
    in_.expect('}');
  } while (in_.take(','));
  in_.expect('}');
  return groups;
}

std::vector<int64_t> GroupsReader::read_sizes(char open, char close) {
  std::vector<int64_t> sizes;
  in_.expect(open);
  do sizes.push_back(in_.non_negative("a size"));
  while (in_.take(','));
  in_.expect(close);
  return sizes;
}

int64_t GroupsReader::device_count(const std::vector<int64_t>& dims, size_t begin) {
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (dim < 1) in_.fail_at(begin, "expected sizes of at least 1");
    if (dim > kMaxDevices || (count *= dim) > kMaxDevices) {
      in_.fail_at(begin, "expected at most " + std::to_string(kMaxDevices) + " devices");
    }
  }
  return count;
}

// `[4,2]` or `[4,2]T(1,0)`; more than one dim needs the T.
GroupsReader::Iota GroupsReader::read_reshape() {
  Iota iota;
  size_t begin = (in_.skip_space(), in_.offset());
  iota.dims = read_sizes('[', ']');
  device_count(iota.dims, begin);
  size_t order_begin = 0;
  if (in_.take('T')) {
    order_begin = in_.offset() - 1;
    iota.order = read_sizes('(', ')');
  } else if (iota.dims.size() > 1) {
    in_.fail("expected T(...) after more than one size");
  } else {
    iota.order = {0};
  }
  std::vector<int64_t> sorted = iota.order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> all(iota.dims.size());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) in_.fail_at(order_begin, "expected T(...) to name every dim once");
  return iota;
}

ReplicaGroupsRef GroupsReader::read_iota() {
  size_t begin = in_.offset();
  std::vector<int64_t> tile = read_sizes('[', ']');
  if (tile.size() != 2) in_.fail_at(begin, "expected two sizes, groups and devices of each");
  int64_t count = device_count(tile, begin);
  in_.expect("<=");
  size_t reshape_begin = (in_.skip_space(), in_.offset());
  Iota iota = read_reshape();
  int64_t found = device_count(iota.dims, reshape_begin);
  if (found != count) {
    in_.fail_at(reshape_begin, "expected sizes whose product is " + std::to_string(count) +
                                   ", found " + std::to_string(found));
  }
  ReplicaGroupsRef& known = known_[in_.text(begin, in_.offset())];
  if (known) return known;
  claim(count, begin);
  return known = in_rows(transposed_iota(iota.dims, iota.order), tile[1]);
}

// `, device_ids=(0,2,1,3)` or `, device_ids=([4,2]T(1,0))`; without it the ids count up.
std::vector<int64_t> GroupsReader::read_device_ids(int64_t count) {
  std::vector<int64_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  if (!in_.take(',')) return ids;
  size_t begin = (in_.skip_space(), in_.offset());
  if (in_.word() != "device_ids") in_.fail_at(begin, "expected device_ids");
  in_.expect('=');
  begin = (in_.skip_space(), in_.offset());
  if (in_.take("([")) {
    in_.seek(begin + 1);
    Iota iota = read_reshape();
    in_.expect(')');
    ids = transposed_iota(iota.dims, iota.order);
  } else {
    ids = read_sizes('(', ')');
  }
  if (ids.size() != static_cast<size_t>(count)) {
    in_.fail_at(begin, "expected " + std::to_string(count) + " device ids, found " +
                           std::to_string(ids.size()));
  }
  return ids;
}

std::vector<GroupsReader::AxisPart> GroupsReader::read_axis_parts(
    const std::vector<MeshAxis>& axes) {
  std::vector<AxisPart> parts;
  in_.expect('{');
  if (in_.take('}')) return parts;
  do {
    constexpr size_t kMostParts = 256;
    if (parts.size() == kMostParts) in_.fail("expected at most 256 axes");
    size_t begin = (in_.skip_space(), in_.offset());
    std::string_view name = in_.quoted();
    auto axis =
        std::find_if(axes.begin(), axes.end(), [&](const MeshAxis& a) { return a.name == name; });
    if (axis == axes.end()) in_.fail_at(begin, "expected an axis of the mesh");
    AxisPart part{static_cast<size_t>(axis - axes.begin()), 1, axis->size};
    if (in_.take(':')) {
      begin = (in_.skip_space(), in_.offset());
      in_.expect('(');
      part.before = in_.non_negative("a size");
      in_.expect(')');
      part.size = in_.non_negative("a size");
      if (part.before < 1 || part.size < 1 || part.before > axis->size || part.size > axis->size ||
          axis->size % (part.before * part.size) != 0) {
        in_.fail_at(begin, "expected a part that divides its axis");
      }
    }
    for (const AxisPart& other : parts) {
      bool apart =
          part.before >= other.before * other.size || other.before >= part.before * part.size;
      if (other.axis == part.axis && !apart) in_.fail_at(begin, "expected each axis once");
    }
    parts.push_back(part);
  } while (in_.take(','));
  in_.expect('}');
  return parts;
}

ReplicaGroupsRef GroupsReader::read_mesh() {
  size_t begin = in_.offset();
  if (in_.word() != "mesh") in_.fail_at(begin, "expected replica groups");
  in_.expect('[');
  std::vector<MeshAxis> axes;
  std::vector<int64_t> sizes;
  if (!in_.take(']')) {
    do {
      if (axes.size() == 64) in_.fail("expected at most 64 mesh axes");
      size_t axis = (in_.skip_space(), in_.offset());
      axes.push_back({in_.quoted()});
      for (size_t i = 0; i + 1 < axes.size(); ++i) {
        if (axes[i].name == axes.back().name) in_.fail_at(axis, "expected each axis once");
      }
      in_.expect('=');
      axes.back().size = in_.non_negative("a size");
      sizes.push_back(axes.back().size);
    } while (in_.take(','));
    in_.expect(']');
  }
  int64_t count = device_count(sizes, begin);
  std::vector<int64_t> devices = read_device_ids(count);
  std::vector<AxisPart> listed = read_axis_parts(axes);
  ReplicaGroupsRef& known = known_[in_.text(begin, in_.offset())];
  if (known) return known;
  claim(count, begin);

  // Cut every axis where a listed part begins or ends; the pieces are the dims of the device array.
  struct Piece {
    AxisPart part;
    int64_t listed_at;
  };
  std::vector<Piece> pieces;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    std::vector<int64_t> cuts{1, axes[axis].size};
    for (const AxisPart& part : listed) {
      if (part.axis == axis) cuts.insert(cuts.end(), {part.before, part.before * part.size});
    }
    std::sort(cuts.begin(), cuts.end());
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i + 1] == cuts[i]) continue;
      if (cuts[i + 1] % cuts[i] != 0) in_.fail_at(begin, "expected parts that divide their axis");
      pieces.push_back({{axis, cuts[i], cuts[i + 1] / cuts[i]}, -1});
    }
  }
  int64_t row_size = 1;
  for (size_t at = 0; at < listed.size(); ++at) {
    row_size *= listed[at].size;
    for (Piece& piece : pieces) {
      if (piece.part.axis == listed[at].axis && piece.part.before >= listed[at].before &&
          piece.part.before < listed[at].before * listed[at].size) {
        piece.listed_at = static_cast<int64_t>(at);
      }
    }
  }
  std::vector<int64_t> dims{1};
  std::vector<int64_t> order{0};
  for (const Piece& piece : pieces) dims.push_back(piece.part.size);
  for (int64_t at = -1; at < static_cast<int64_t>(listed.size()); ++at) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].listed_at == at) order.push_back(static_cast<int64_t>(i) + 1);
    }
  }
  std::vector<int64_t> walked = transposed_iota(dims, order);
  for (int64_t& id : walked) id = devices[static_cast<size_t>(id)];
  return known = in_rows(walked, row_size);
}

}  // namespace flipsat::frontends
