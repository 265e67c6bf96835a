// The guard of the reshape flip, literal and sound, on every small case: local shapes of rank 1 to
// 3 with sizes 1 to 4, groups of 2 to 4, every gathered dim, every result of rank 1 to 3 with as
// many elements. What is right is decided by following each element to its member and place.
#include <optional>

#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using hlo::Dims;

constexpr int kRank = 3;
constexpr int64_t kSize = 4;

struct Case {
  Dims local;
  int d = 0;
  int64_t members = 0;
  Dims result;

  Dims gathered() const {
    Dims dims = local;
    dims[static_cast<size_t>(d)] *= members;
    return dims;
  }
};

// Where an element of a gathered array comes from: whose it is, and at what place it lies there.
struct Origin {
  int64_t member, place;
  bool operator==(const Origin&) const = default;
};

Origin origin_of(int64_t element, const Dims& gathered, size_t d, int64_t local_size) {
  Origin origin{0, 0};
  int64_t stride = 1;
  for (size_t i = gathered.size(); i-- > 0;) {
    int64_t at = element % gathered[i];
    element /= gathered[i];
    if (i == d) {
      origin.member = at / local_size;
      at %= local_size;
    }
    origin.place += at * stride;
    stride *= i == d ? local_size : gathered[i];
  }
  return origin;
}

// Is reshape(AG_d(x)) = AG_o(reshape(x))?
bool is_right(const Case& c, size_t o) {
  if (c.result[o] % c.members != 0) return false;
  Dims gathered = c.gathered();
  auto d = static_cast<size_t>(c.d);
  for (int64_t element = 0; element < hlo::product(gathered); ++element) {
    Origin before = origin_of(element, gathered, d, c.local[d]);
    Origin after = origin_of(element, c.result, o, c.result[o] / c.members);
    if (!(before == after)) return false;
  }
  return true;
}

bool is_legal(const Case& c) {
  for (size_t o = 0; o < c.result.size(); ++o) {
    if (is_right(c, o)) return true;
  }
  return false;
}

std::string text_of(const Case& c) {
  auto shape = [](const Dims& dims) {
    return hlo::to_string(hlo::Shape::array(hlo::ElementType::kF32, dims));
  };
  std::string group = "0";
  for (int64_t member = 1; member < c.members; ++member) group += "," + std::to_string(member);
  return "HloModule test, num_partitions=" + std::to_string(c.members) +
         "\n\nENTRY main {\n  x = " + shape(c.local) +
         " parameter(0)\n  g = " + shape(c.gathered()) +
         " all-gather(x), channel_id=1, replica_groups={{" + group + "}}, dimensions={" +
         std::to_string(c.d) + "}, use_global_device_ids=true\n  ROOT r = " + shape(c.result) +
         " reshape(g)\n}\n";
}

// The dim along which the pass gathers instead; nullopt where it leaves the module alone.
std::optional<size_t> new_dim(const Case& c, Mode mode) {
  hlo::Module module = frontends::read_text(text_of(c), "test.hlo");
  GreedyOptions options;
  options.mode = mode;
  options.order = {"aws_neuron_flip_all_gather_reshape"};
  if (!run_greedy(module, options).changed) return std::nullopt;
  const hlo::Instruction& gather = module[module.computations[module.entry].root];
  auto o = static_cast<size_t>(gather.dimensions()[0]);
  Dims expected = c.result;
  expected[o] /= c.members;
  CHECK(module[gather.operands[0]].shape.dims == expected);
  return o;
}

struct Counts {
  int64_t cases = 0, legal = 0, matched = 0, wrong = 0, missed = 0;
  bool operator==(const Counts&) const = default;
};

void count(const Case& c, bool legal, Mode mode, Counts& counts) {
  std::optional<size_t> o = new_dim(c, mode);
  ++counts.cases;
  counts.legal += legal;
  counts.matched += o.has_value();
  counts.wrong += o && !is_right(c, *o);
  counts.missed += legal && !o;
}

template <typename Visit>
void for_each_result(int64_t elements, Dims& dims, const Visit& visit) {
  if (elements == 1 && !dims.empty()) visit(dims);
  if (dims.size() == kRank) return;
  for (int64_t size = 1; size <= elements; ++size) {
    if (elements % size != 0) continue;
    dims.push_back(size);
    for_each_result(elements / size, dims, visit);
    dims.pop_back();
  }
}

template <typename Visit>
void for_each_local(Dims& dims, const Visit& visit) {
  if (!dims.empty()) visit(dims);
  if (dims.size() == kRank) return;
  for (int64_t size = 1; size <= kSize; ++size) {
    dims.push_back(size);
    for_each_local(dims, visit);
    dims.pop_back();
  }
}

TEST_CASE("reshape guard: every small case, by following each element") {
  Counts literal, sound;
  Dims local, result;
  for_each_local(local, [&](const Dims& dims) {
    for (int64_t members = 2; members <= 4; ++members) {
      for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
        for_each_result(hlo::product(dims) * members, result, [&](const Dims& to) {
          Case c{dims, d, members, to};
          bool legal = is_legal(c);
          count(c, legal, Mode::kLiteral, literal);
          count(c, legal, Mode::kSound, sound);
        });
      }
    }
  });
  // As docs/seed-passes.md says.
  CHECK(literal == Counts{27082, 10020, 6756, 1800, 5064});
  CHECK(sound == Counts{27082, 10020, 10020, 0, 0});
}

}  // namespace
}  // namespace flipsat::passes
