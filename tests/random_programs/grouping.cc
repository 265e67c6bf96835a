#include "tests/random_programs/grouping.h"

#include <algorithm>
#include <numeric>

namespace flipsat::random_programs {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

std::string spell(const Groups& groups) {
  std::string text = "{";
  for (const auto& group : groups) {
    text += text.size() > 1 ? ",{" : "{";
    for (size_t i = 0; i < group.size(); ++i) text += (i ? "," : "") + std::to_string(group[i]);
    text += "}";
  }
  return text + "}";
}

std::vector<int64_t> divisors(int64_t n) {
  std::vector<int64_t> found;
  for (int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) found.push_back(d);
  }
  return found;
}

// Ids 0 .. count-1 in groups, written as a list or, where it says the same, as a reshaped range.
Groups random_ids(Random& random, int64_t count, std::string& spelling) {
  const std::vector<int64_t> sizes = divisors(count);
  // Groups of one are legal, and seldom what a program is about.
  int64_t size = random.pick(sizes);
  if (size == 1 && random.chance(75)) size = sizes.back();
  const int64_t number = count / size;
  const bool is_strided = random.chance(35);
  Groups groups(static_cast<size_t>(number));
  for (int64_t i = 0; i < count; ++i) groups[is_strided ? i % number : i / size].push_back(i);
  if (random.chance(30)) {
    const std::string n = std::to_string(number), s = std::to_string(size);
    spelling = "[" + n + "," + s + "]<=[" +
               (is_strided ? s + "," + n + "]T(1,0)" : std::to_string(count) + "]");
    return groups;
  }
  if (random.chance(20)) {  // any members
    std::vector<int64_t> ids(static_cast<size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    random.shuffle(ids);
    for (int64_t i = 0; i < count; ++i) groups[i / size][i % size] = ids[i];
    for (auto& group : groups) std::sort(group.begin(), group.end());
  }
  if (random.chance(25)) {
    for (auto& group : groups) random.shuffle(group);
  }
  if (random.chance(10)) random.shuffle(groups);
  spelling = spell(groups);
  return groups;
}

void merge_two(Groups& groups, std::string& spelling) {
  groups[0].insert(groups[0].end(), groups.back().begin(), groups.back().end());
  groups.pop_back();
  spelling = spell(groups);
}

}  // namespace

std::vector<int64_t> Grouping::positions() const {
  size_t devices = 0;
  for (const auto& group : groups) devices += group.size();
  std::vector<int64_t> result(devices);
  for (const auto& group : groups) {
    for (size_t i = 0; i < group.size(); ++i) result[group[i]] = static_cast<int64_t>(i);
  }
  return result;
}

Grouping random_grouping(Random& random, const Mesh& mesh, GroupingKind kind) {
  Grouping result;
  // How ids are meant: flattened, replicas, replicas and all partitions, partitions.
  enum { kFlattened, kReplica, kReplicaAndPartition, kPartition } mode = kFlattened;
  if (kind == GroupingKind::kExchange) {
    mode = mesh.replicas == 1 || (mesh.partitions > 1 && random.chance(60)) ? kPartition : kReplica;
  } else if (mesh.partitions == 1) {
    mode = random.chance(70) ? kReplica : kFlattened;
  } else if (mesh.replicas > 1) {
    mode = random.one_of({kFlattened, kFlattened, kReplica, kReplicaAndPartition});
  } else if (random.chance(10)) {
    mode = random.one_of({kReplica, kReplicaAndPartition});
  }
  result.has_channel = mode != kReplica;
  result.is_global = mode == kFlattened;
  const int64_t count = mode == kFlattened   ? mesh.devices()
                        : mode == kPartition ? mesh.partitions
                                             : mesh.replicas;
  Groups ids;
  if (mode != kFlattened && random.chance(25)) {
    ids.emplace_back(static_cast<size_t>(count));
    std::iota(ids[0].begin(), ids[0].end(), 0);
    result.spelling = "{}";
  } else {
    ids = random_ids(random, count, result.spelling);
    if (kind == GroupingKind::kSum && ids.size() > 2 && random.chance(12)) {
      merge_two(ids, result.spelling);
    }
  }
  const int64_t p = mesh.partitions;
  for (const auto& group : ids) {
    if (mode == kFlattened) {
      result.groups.push_back(group);
    } else if (mode == kReplicaAndPartition) {
      auto& members = result.groups.emplace_back();
      for (int64_t replica : group) {
        for (int64_t partition = 0; partition < p; ++partition) {
          members.push_back(replica * p + partition);
        }
      }
    } else {
      const int64_t copies = mode == kReplica ? p : mesh.replicas;
      for (int64_t copy = 0; copy < copies; ++copy) {
        auto& members = result.groups.emplace_back();
        for (int64_t id : group)
          members.push_back(mode == kReplica ? id * p + copy : copy * p + id);
      }
    }
  }
  result.size = static_cast<int64_t>(result.groups[0].size());
  for (const auto& group : result.groups) {
    if (static_cast<int64_t>(group.size()) != result.size) result.size = 0;
  }
  return result;
}

Pairs random_pairs(Random& random, const Mesh& mesh) {
  Pairs result;
  result.has_channel = mesh.replicas == 1 || (mesh.partitions > 1 && random.chance(60));
  const int64_t count = result.has_channel ? mesh.partitions : mesh.replicas;
  std::vector<int64_t> targets(static_cast<size_t>(count));
  std::iota(targets.begin(), targets.end(), 0);
  if (random.chance(50)) {
    std::rotate(targets.begin(), targets.begin() + random.below(count), targets.end());
  } else {
    random.shuffle(targets);
  }
  Groups pairs;
  for (int64_t i = 0; i < count; ++i) {
    if (random.chance(15)) continue;  // nobody sends there: zeros
    pairs.push_back({i, targets[i]});
  }
  result.spelling = spell(pairs);
  return result;
}

}  // namespace flipsat::random_programs
