#include "tests/random_programs/program.h"

#include <algorithm>
#include <numeric>

namespace flipsat::random_programs {

std::string braces(const std::vector<int64_t>& numbers) {
  std::string text = "{";
  for (size_t i = 0; i < numbers.size(); ++i) text += (i ? "," : "") + std::to_string(numbers[i]);
  return text + "}";
}
std::string braces(const Dims& numbers) {
  return braces(std::vector<int64_t>(numbers.begin(), numbers.end()));
}

Program::Program(uint64_t seed, const GeneratorOptions& given) : random(seed), options(given) {
  mesh = random.pick(std::vector<Mesh>{{1, 2},
                                       {1, 4},
                                       {1, 4},
                                       {1, 4},
                                       {1, 4},
                                       {1, 3},
                                       {1, 6},
                                       {1, 8},
                                       {2, 2},
                                       {2, 2},
                                       {4, 1},
                                       {2, 1},
                                       {2, 4},
                                       {3, 2}});
  percent = random.chance(50);
  layouts = random.chance(30);
  plain_channel = random.chance(20) ? 1 : 0;
}

std::string Program::fresh(const std::string& stem) {
  const int number = used_[stem]++;
  return (percent ? "%" : "") + stem + (number ? "." + std::to_string(number) : "");
}

const Grouping& Program::grouping(GroupingKind kind) {
  std::deque<Grouping>& pool = groupings_[kind];
  if (pool.empty() || (pool.size() < 3 && random.chance(15))) {
    if (kind == GroupingKind::kSum && pool.empty() && random.chance(70)) {
      pool.push_back(grouping(GroupingKind::kGather));  // the sums of a program are over its shards
    } else {
      pool.push_back(random_grouping(random, mesh, kind));
    }
  }
  return pool[static_cast<size_t>(random.below(static_cast<int64_t>(pool.size())))];
}

std::string Program::channel() {
  const int number = plain_channel ? plain_channel : ++channels_;
  return ", channel_id=" + std::to_string(number);
}

std::string Program::attributes(const Grouping& grouping) {
  std::string text = grouping.has_channel ? channel() : "";
  text += ", replica_groups=" + grouping.spelling;
  if (grouping.is_global) text += ", use_global_device_ids=true";
  return text;
}

std::string Program::reducer(const std::string& opcode, ElementType type) {
  const std::string scalar = shape(type, {});
  std::string& name = reducers_[opcode + scalar];
  if (!name.empty() && random.chance(70)) return name;
  name = fresh(opcode + "_" + std::string(hlo::to_string(type)));
  const std::string a = fresh("lhs"), b = fresh("rhs");
  write(name + " {\n  " + a + " = " + scalar + " parameter(0)\n  " + b + " = " + scalar +
        " parameter(1)\n  ROOT " + fresh(opcode) + " = " + scalar + " " + opcode + "(" +
        (random.chance(15) ? b + ", " + a : a + ", " + b) + ")\n}\n");
  return name;
}

std::string Program::shape(ElementType type, const Dims& dims) {
  std::string text = hlo::to_string_without_layout(hlo::Shape::array(type, dims));
  std::vector<int64_t> order(dims.size());
  std::iota(order.rbegin(), order.rend(), 0);
  if (dims.size() > 1 && random.chance(3)) {
    random.shuffle(order);
    return text + braces(order);
  }
  return layouts && !dims.empty() ? text + braces(order) : text;
}

ElementType Program::type() {
  using T = ElementType;
  if (options.exotic && random.chance(6)) {
    return random.one_of({T::kF8E5M2, T::kF8E4M3FN, T::kU16, T::kS64, T::kF64, T::kU32, T::kS4,
                          T::kU4, T::kS16, T::kF8E4M3FNUZ});
  }
  return random.one_of({T::kF32, T::kF32, T::kF32, T::kF32, T::kBF16, T::kBF16, T::kBF16, T::kF16,
                        T::kS32, T::kS32, T::kS8, T::kU8, T::kPred});
}

ElementType Program::float_type() {
  using T = ElementType;
  return random.one_of({T::kF32, T::kF32, T::kBF16, T::kBF16, T::kF16, T::kF64});
}

std::string Program::finish(const std::string& entry) {
  std::string header = "HloModule " + std::string("random");
  if (mesh.replicas > 1) header += ", replica_count=" + std::to_string(mesh.replicas);
  header += ", num_partitions=" + std::to_string(mesh.partitions);
  return header + "\n\n" + computations_ + "ENTRY " + entry;
}

}  // namespace flipsat::random_programs
