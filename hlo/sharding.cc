#include "hlo/sharding.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string>

#include "hlo/shape.h"

namespace flipsat::hlo {
namespace {

// Reads from the front of a spelling; every read skips blanks first.
class Spelling {
 public:
  explicit Spelling(std::string_view text) : rest_(text) {}

  bool accept(std::string_view token) {
    skip_blanks();
    if (rest_.substr(0, token.size()) != token) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  std::optional<int64_t> number() {
    skip_blanks();
    int64_t value = 0;
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(end - rest_.data());
    return value;
  }

  // Comma-separated numbers, as many as there are.
  std::vector<int64_t> numbers() {
    std::vector<int64_t> values;
    do {
      std::optional<int64_t> value = number();
      if (!value) break;
      values.push_back(*value);
    } while (accept(","));
    return values;
  }

  std::optional<std::vector<int64_t>> numbers_in(std::string_view open, std::string_view close) {
    if (!accept(open)) return std::nullopt;
    std::vector<int64_t> values = numbers();
    if (!accept(close)) return std::nullopt;
    return values;
  }

  // A name in quotes.
  std::optional<std::string_view> quoted() {
    for (std::string_view quote : {"'", "\""}) {
      if (!accept(quote)) continue;
      size_t end = rest_.find(quote);
      if (end == std::string_view::npos) return std::nullopt;
      std::string_view name = rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      return name;
    }
    return std::nullopt;
  }

  // `{...}` with everything inside, braces balanced.
  std::optional<std::string_view> braced() {
    skip_blanks();
    if (rest_.empty() || rest_[0] != '{') return std::nullopt;
    int depth = 0;
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '{') ++depth;
      if (rest_[i] == '}' && --depth == 0) {
        std::string_view text = rest_.substr(0, i + 1);
        rest_.remove_prefix(i + 1);
        return text;
      }
    }
    return std::nullopt;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty()) {
      if (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\n' || rest_[0] == '\r') {
        rest_.remove_prefix(1);
      } else if (rest_.substr(0, 2) == "/*") {
        size_t end = rest_.find("*/");
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
      } else {
        return;
      }
    }
  }

  std::string_view rest_;
};

int64_t product_of(const std::vector<int64_t>& values) {
  return product(Dims(values.begin(), values.end()));
}

// The values 0.. reshaped to `dims`, transposed by `permutation` and flattened.
std::optional<std::vector<int64_t>> transposed_iota(const std::vector<int64_t>& dims,
                                                    std::vector<int64_t> permutation,
                                                    int64_t count) {
  if (product_of(dims) != count) return std::nullopt;
  size_t rank = dims.size();
  if (permutation.empty()) {
    permutation.resize(rank);
    std::iota(permutation.begin(), permutation.end(), 0);
  }
  std::vector<int64_t> sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) return std::nullopt;
  }
  if (permutation.size() != rank) return std::nullopt;
  Dims strides = row_major_strides(Dims(dims.begin(), dims.end()));
  std::vector<int64_t> values(count);
  for (int64_t flat = 0; flat < count; ++flat) {
    int64_t rest = flat;
    for (size_t i = rank; i-- > 0;) {
      int64_t size = dims[permutation[i]];
      values[flat] += rest % size * strides[permutation[i]];
      rest /= size;
    }
  }
  return values;
}

// `<=[r0,r1]T(p0,p1)`, after the arrow.
std::optional<std::vector<int64_t>> read_iota(Spelling& spelling, int64_t count) {
  auto dims = spelling.numbers_in("[", "]");
  if (!dims) return std::nullopt;
  std::vector<int64_t> permutation;
  if (spelling.accept("T")) {
    auto read = spelling.numbers_in("(", ")");
    if (!read) return std::nullopt;
    permutation = std::move(*read);
  }
  return transposed_iota(*dims, std::move(permutation), count);
}

// Tile k of the result is on device devices[k]; `same` numbers the tiles that hold the same data.
std::optional<DevicePartition> by_tile(const std::vector<int64_t>& devices,
                                       const std::vector<int64_t>& same) {
  std::vector<int64_t> tile_of(devices.size(), -1);
  for (size_t k = 0; k < devices.size(); ++k) {
    bool in_range = devices[k] >= 0 && devices[k] < static_cast<int64_t>(devices.size());
    if (!in_range || tile_of[devices[k]] >= 0) return std::nullopt;
    tile_of[devices[k]] = same[k];
  }
  return DevicePartition::of_values(tile_of);
}

// After `devices=`: tile dims, the devices in order, and which trailing dims are subgroups.
std::optional<DevicePartition> read_tiled(Spelling& spelling, int64_t partitions) {
  auto dims = spelling.numbers_in("[", "]");
  if (!dims || product_of(*dims) != partitions) return std::nullopt;
  std::optional<std::vector<int64_t>> devices;
  if (spelling.accept("<=")) {
    devices = read_iota(spelling, partitions);
  } else {
    devices = spelling.numbers();
  }
  if (!devices || devices->size() != static_cast<size_t>(partitions)) return std::nullopt;

  std::vector<bool> is_replicated(dims->size(), false);
  if (spelling.accept("last_tile_dim_replicate")) {
    if (!dims->empty()) is_replicated.back() = true;
  } else if (spelling.accept("last_tile_dims={")) {
    std::vector<bool> kinds;
    do {
      if (spelling.accept("replicated")) {
        kinds.push_back(true);
      } else if (spelling.accept("manual") || spelling.accept("unreduced") ||
                 spelling.accept("unknown")) {
        kinds.push_back(false);
      } else {
        return std::nullopt;
      }
    } while (spelling.accept(","));
    if (!spelling.accept("}") || kinds.size() > dims->size()) return std::nullopt;
    std::copy(kinds.begin(), kinds.end(), is_replicated.end() - kinds.size());
  }

  std::vector<int64_t> same(partitions);
  for (int64_t tile = 0; tile < partitions; ++tile) {
    int64_t rest = tile;
    int64_t stride = 1;
    for (size_t i = dims->size(); i-- > 0;) {
      int64_t at = rest % (*dims)[i];
      rest /= (*dims)[i];
      if (!is_replicated[i]) same[tile] += at * stride;
      stride *= (*dims)[i];
    }
  }
  return by_tile(*devices, same);
}

struct MeshAxis {
  std::string_view name;
  int64_t size = 1;
};

// One axis that cuts the data, or the part of it that `:(pre)size` picks.
struct AxisUse {
  size_t axis = 0;
  int64_t before = 1;  // product of the parts to the left
  int64_t size = 1;
};

std::optional<std::vector<AxisUse>> read_axes(Spelling& spelling, std::string_view close,
                                              const std::vector<MeshAxis>& mesh) {
  std::vector<AxisUse> uses;
  while (!spelling.accept(close)) {
    if (spelling.accept("?") || spelling.accept(",") || spelling.accept("{") ||
        (close == "]" && spelling.accept("}"))) {
      continue;
    }
    std::optional<std::string_view> name = spelling.quoted();
    if (!name) return std::nullopt;
    auto axis = std::find_if(mesh.begin(), mesh.end(),
                             [&](const MeshAxis& candidate) { return candidate.name == *name; });
    if (axis == mesh.end()) return std::nullopt;
    AxisUse use{static_cast<size_t>(axis - mesh.begin()), 1, axis->size};
    if (spelling.accept(":")) {
      auto before = spelling.numbers_in("(", ")");
      std::optional<int64_t> size = spelling.number();
      if (!before || before->size() != 1 || !size) return std::nullopt;
      use.before = before->front();
      use.size = *size;
      if (use.before < 1 || use.size < 1 || axis->size % use.before != 0 ||
          axis->size / use.before % use.size != 0) {
        return std::nullopt;
      }
    }
    uses.push_back(use);
  }
  return uses;
}

// After `mesh[`: axes, optional device ids, the axes of each dim, then axes with another meaning.
// Devices that differ only along axes that are not named (or named as replicated) hold the same.
std::optional<DevicePartition> read_named(Spelling& spelling, int64_t partitions) {
  std::vector<MeshAxis> mesh;
  std::vector<int64_t> sizes;
  while (!spelling.accept("]")) {
    spelling.accept(",");
    std::optional<std::string_view> name = spelling.quoted();
    if (!name || !spelling.accept("=")) return std::nullopt;
    std::optional<int64_t> size = spelling.number();
    if (!size || *size < 1) return std::nullopt;
    mesh.push_back({*name, *size});
    sizes.push_back(*size);
  }
  if (product_of(sizes) != partitions) return std::nullopt;

  std::vector<int64_t> devices(partitions);
  std::iota(devices.begin(), devices.end(), 0);
  std::vector<AxisUse> uses;
  while (!spelling.at_end() && !spelling.accept("}")) {
    std::optional<std::vector<AxisUse>> read = std::vector<AxisUse>();
    bool is_replicated = false;
    if (spelling.accept(",")) continue;
    if (spelling.accept("device_ids=(")) {
      if (spelling.accept("[")) {
        std::vector<int64_t> dims = spelling.numbers();
        if (!spelling.accept("]")) return std::nullopt;
        std::vector<int64_t> permutation;
        if (spelling.accept("T")) {
          auto listed = spelling.numbers_in("(", ")");
          if (!listed) return std::nullopt;
          permutation = std::move(*listed);
        }
        auto ids = transposed_iota(dims, std::move(permutation), partitions);
        if (!ids) return std::nullopt;
        devices = std::move(*ids);
      } else {
        devices = spelling.numbers();
      }
      if (!spelling.accept(")")) return std::nullopt;
    } else if (spelling.accept("[")) {
      read = read_axes(spelling, "]", mesh);
    } else if (spelling.accept("replicated={")) {
      is_replicated = true;
      read = read_axes(spelling, "}", mesh);
    } else if (spelling.accept("metadata=")) {
      break;
    } else {
      return std::nullopt;  // manual, unreduced, and what is not known
    }
    if (!read) return std::nullopt;
    if (!is_replicated) uses.insert(uses.end(), read->begin(), read->end());
  }
  int64_t tiles = 1;
  for (const AxisUse& use : uses) {
    tiles *= use.size;
    if (tiles > partitions) return std::nullopt;  // an axis was used twice
  }
  if (devices.size() != static_cast<size_t>(partitions)) return std::nullopt;

  std::vector<int64_t> same(partitions);
  Dims strides = row_major_strides(Dims(sizes.begin(), sizes.end()));
  for (int64_t position = 0; position < partitions; ++position) {
    for (const AxisUse& use : uses) {
      int64_t size = mesh[use.axis].size;
      int64_t at = position / strides[use.axis] % size;
      int64_t part = at / (size / use.before / use.size) % use.size;
      same[position] = same[position] * use.size + part;
    }
  }
  return by_tile(devices, same);
}

std::optional<DevicePartition> read_one(std::string_view text, int64_t partitions) {
  Spelling spelling(text);
  if (!spelling.accept("{")) return std::nullopt;
  if (spelling.accept("replicated")) return DevicePartition::all_equal(partitions);
  if (spelling.accept("devices=")) return read_tiled(spelling, partitions);
  if (spelling.accept("mesh[")) return read_named(spelling, partitions);
  return std::nullopt;
}

// The texts of a tuple's shardings, or the one text.
std::vector<std::string_view> split_tuple(std::string_view text) {
  Spelling spelling(text);
  std::vector<std::string_view> parts;
  if (!spelling.accept("{")) return parts;
  while (std::optional<std::string_view> part = spelling.braced()) {
    parts.push_back(*part);
    spelling.accept(",");
  }
  if (parts.empty()) parts.push_back(text);
  return parts;
}

}  // namespace

std::vector<DevicePartition> same_tile_partitions(std::string_view text, size_t leaves,
                                                  int64_t partitions) {
  std::vector<std::string_view> parts = split_tuple(text);
  std::vector<DevicePartition> result;
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    std::optional<DevicePartition> known;
    if (parts.size() == 1) known = read_one(parts[0], partitions);
    if (parts.size() == leaves) known = read_one(parts[leaf], partitions);
    result.push_back(known ? *known : DevicePartition::all_distinct(partitions));
  }
  return result;
}

std::vector<bool> parse_parameter_replication(std::string_view text, size_t leaves) {
  Spelling spelling(text);
  std::vector<bool> flags;
  if (!spelling.accept("{")) return flags;
  while (!spelling.accept("}")) {
    if (spelling.accept("true")) {
      flags.push_back(true);
    } else if (spelling.accept("false")) {
      flags.push_back(false);
    } else if (!spelling.accept(",")) {
      return {};
    }
  }
  if (flags.size() != leaves) flags.clear();
  return flags;
}

}  // namespace flipsat::hlo
