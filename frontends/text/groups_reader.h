// Replica groups in their three spellings, expanded to lists of ids.
//
//   {{0,1},{2,3}}                                          lists
//   [2,2]<=[2,2]T(1,0)                                     iota, reshaped, transposed, cut in rows
//   mesh['x'=4,'y'=2], device_ids=([2,4]T(1,0)) {'x'}      rows along axes of a mesh
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string_view>

#include "frontends/text/scanner.h"
#include "hlo/attribute.h"

namespace flipsat::frontends {

class GroupsReader {
 public:
  // Devices of one iota or mesh, and ids that all groups of a module may expand to together.
  static constexpr int64_t kMaxDevices = int64_t{1} << 20;
  static constexpr int64_t kMaxIds = int64_t{1} << 25;

  explicit GroupsReader(Scanner& scanner) : in_(scanner) {}

  // Equal spellings share one answer.
  hlo::ReplicaGroupsRef read();

 private:
  // Sizes of a reshaped iota and the order in which its dims are taken.
  struct Iota {
    std::vector<int64_t> dims;
    std::vector<int64_t> order;
  };
  // A named axis, or a part of one: 'x' or 'x':(before)size.
  struct MeshAxis {
    std::string_view name;
    int64_t size = 1;
  };
  struct AxisPart {
    size_t axis = 0;
    int64_t before = 1;
    int64_t size = 1;
  };

  hlo::ReplicaGroupsRef read_lists();
  hlo::ReplicaGroupsRef read_iota();
  hlo::ReplicaGroupsRef read_mesh();
  Iota read_reshape();
  std::vector<int64_t> read_device_ids(int64_t count);
  std::vector<AxisPart> read_axis_parts(const std::vector<MeshAxis>& axes);
  int64_t device_count(const std::vector<int64_t>& dims, size_t begin);
  std::vector<int64_t> read_sizes(char open, char close);
  void claim(int64_t ids, size_t begin);

  Scanner& in_;
  boost::unordered_flat_map<std::string_view, hlo::ReplicaGroupsRef> known_;
  int64_t claimed_ = 0;
};

}  // namespace flipsat::frontends
