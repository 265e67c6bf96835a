#include "egraph/list_pool.h"

#include <random>

#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

TEST_CASE("list pool: lists keep their ids while others grow, join and empty") {
  ListPool pool;
  std::vector<ListPool::List> lists(20);
  std::vector<std::vector<uint32_t>> model(20);
  std::mt19937 random(2);
  for (uint32_t step = 0; step < 5000; ++step) {
    const size_t a = random() % 20;
    const size_t b = random() % 20;
    if (random() % 50 == 0 && a != b) {
      pool.append(lists[a], lists[b]);
      model[a].insert(model[a].end(), model[b].begin(), model[b].end());
      model[b].clear();
    } else if (random() % 40 == 0) {
      pool.truncate(lists[a], lists[a].size / 2);
      model[a].resize(model[a].size() / 2);
    } else {
      pool.push(lists[a], step);
      model[a].push_back(step);
    }
  }
  for (size_t i = 0; i < lists.size(); ++i) {
    const auto view = std::as_const(pool).view(lists[i]);
    CHECK(std::vector<uint32_t>(view.begin(), view.end()) == model[i]);
  }
}

TEST_CASE("list pool: blocks that lists leave are used again") {
  ListPool pool;
  ListPool::List list;
  for (uint32_t i = 0; i < 1024; ++i) pool.push(list, i);
  const uint64_t bytes = pool.bytes();
  ListPool::List next;
  for (uint32_t i = 0; i < 512; ++i) pool.push(next, i);
  CHECK(pool.bytes() == bytes);
}

}  // namespace
}  // namespace flipsat::egraph
