#include "verify/sampling.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "verify/term.h"

namespace flipsat::verify {

namespace {

constexpr int64_t kAllDevices = 16;
constexpr size_t kMostDevices = 64;
constexpr size_t kRandomDevices = 8;
constexpr size_t kMostBorders = 256;
constexpr int kMostCornerDims = 5;

}  // namespace

Borders::Borders(int64_t devices) {
  for (int64_t d = 2; d <= devices && divisors_.size() < 16; ++d) {
    if (devices % d == 0) divisors_.push_back(d);
  }
}

void Borders::note(int64_t value) {
  if (value <= 0 || values_.size() >= kMostBorders) return;
  if (std::find(values_.begin(), values_.end(), value) == values_.end()) values_.push_back(value);
}

void Borders::add(const hlo::Module& module, const hlo::Instruction& in) {
  for (const hlo::Attribute& attribute : in.attributes) {
    if (const auto* slices = std::get_if<hlo::SliceDims>(&attribute.value)) {
      for (const hlo::SliceDim& dim : *slices) {
        note(dim.start);
        note(dim.limit);
      }
    } else if (const auto* padding = std::get_if<hlo::PaddingDims>(&attribute.value)) {
      for (const hlo::PaddingDim& dim : *padding) {
        note(dim.low);
        note(dim.high);
      }
    }
  }
  for (hlo::InstructionId operand : in.operands) {
    for (int64_t dim : module[operand].shape.dims) note(dim);
  }
  for (int64_t dim : in.shape.dims) note(dim);
  if (in.opcode != hlo::Opcode::kConcatenate) return;
  int64_t at = 0;
  for (hlo::InstructionId operand : in.operands) {
    at += module[operand].shape.dims[in.dimensions()[0]];
    note(at);
  }
}

std::vector<int64_t> Borders::in_dim(int64_t size) const {
  std::vector<int64_t> list;
  auto add = [&](int64_t coordinate) {
    bool is_new = std::find(list.begin(), list.end(), coordinate) == list.end();
    if (coordinate >= 0 && coordinate < size && is_new) list.push_back(coordinate);
  };
  add(0);
  add(size - 1);
  auto border = [&](int64_t at) {
    add(at);
    add(at - 1);
  };
  for (int64_t divisor : divisors_) {
    if (size % divisor != 0) continue;
    border(size / divisor);
    border(size / divisor * (divisor - 1));
  }
  for (int64_t value : values_) {
    border(value);
    border(size - value);
  }
  return list;
}

std::vector<int64_t> sample_elements(const hlo::Dims& dims, const Borders& borders, size_t most,
                                     uint64_t seed) {
  int64_t count = hlo::product(dims);
  std::vector<int64_t> list;
  if (count <= static_cast<int64_t>(most)) {
    list.resize(static_cast<size_t>(std::max<int64_t>(count, 0)));
    std::iota(list.begin(), list.end(), 0);
    return list;
  }
  hlo::Dims strides = hlo::row_major_strides(dims);
  std::set<int64_t> seen;
  auto add = [&](int64_t index) {
    if (list.size() < most && seen.insert(index).second) list.push_back(index);
  };
  auto random = [&](uint64_t k) { return static_cast<int64_t>(combine(seed, k) >> 1) % count; };
  add(0);
  add(count - 1);
  for (uint64_t k = 0; k < 6; ++k) add(random(k));
  std::vector<size_t> wide;  // dims with more than one place
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] > 1) wide.push_back(i);
  }
  size_t corner_dims = std::min<size_t>(wide.size(), kMostCornerDims);
  for (uint64_t corner = 0; corner < uint64_t{1} << corner_dims; ++corner) {
    int64_t index = 0;
    for (size_t i = 0; i < corner_dims; ++i) {
      if (corner >> i & 1) index += (dims[wide[i]] - 1) * strides[wide[i]];
    }
    add(index);
  }
  // Each border of each dim in turn, at random places of the other dims.
  std::vector<std::vector<int64_t>> at(dims.size());
  size_t longest = 0;
  for (size_t i : wide) {
    at[i] = borders.in_dim(dims[i]);
    longest = std::max(longest, at[i].size());
  }
  uint64_t k = 100;
  for (size_t step = 0; step < longest; ++step) {
    for (size_t i : wide) {
      if (step >= at[i].size()) continue;
      int64_t index = random(++k);
      int64_t own = index / strides[i] % dims[i];
      // Leave room for random ones.
      if (list.size() < most * 3 / 4) add(index + (at[i][step] - own) * strides[i]);
    }
  }
  for (size_t tries = 0; list.size() < most && tries < 4 * most; ++tries) add(random(++k));
  return list;
}

int64_t sample_in_window(const hlo::Dims& dims, const hlo::Dims& whole, const hlo::Dims& from,
                         const hlo::Dims& size, uint64_t seed) {
  std::vector<bool> used(whole.size(), false);
  int64_t index = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    // The dim of the same place if that fits, else the first that does.
    size_t match = i;
    if (match >= whole.size() || whole[match] != dims[i] || used[match]) {
      match = 0;
      while (match < whole.size() && (whole[match] != dims[i] || used[match])) ++match;
    }
    int64_t random = static_cast<int64_t>(combine(seed, i) >> 1);
    int64_t at = random % dims[i];
    if (match < whole.size() && size[match] > 0) {
      used[match] = true;
      at = from[match] + random % size[match];
    }
    index = index * dims[i] + at;
  }
  return index;
}

std::vector<int64_t> sample_devices(int64_t devices,
                                    const std::vector<hlo::DeviceGroupsRef>& groups,
                                    uint64_t seed) {
  std::vector<int64_t> list;
  if (devices <= kAllDevices) {
    list.resize(static_cast<size_t>(devices));
    std::iota(list.begin(), list.end(), 0);
    return list;
  }
  auto add = [&](int64_t device) {
    bool is_new = std::find(list.begin(), list.end(), device) == list.end();
    if (is_new && list.size() < kMostDevices) list.push_back(device);
  };
  add(0);
  add(devices - 1);
  for (size_t k = 0; k < kRandomDevices; ++k)
    add(static_cast<int64_t>(combine(seed, k) >> 1) % devices);
  for (const hlo::DeviceGroupsRef& grouping : groups) {
    for (const auto* group : {&grouping->groups.front(), &grouping->groups.back()}) {
      add(group->front());
      add(group->back());
    }
  }
  if (!groups.empty()) {
    for (int64_t member : groups.front()->groups.front()) add(member);
  }
  return list;
}

}  // namespace flipsat::verify
