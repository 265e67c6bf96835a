// All orders of the local passes: what they come to is what 720 runs come to, and with
// --beat-orders the output is never worse than any of them.
//
// FLIPSAT_RANDOM_PROGRAMS is the number of programs, FLIPSAT_RANDOM_SEED the first seed.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "frontends/file.h"
#include "frontends/text/text.h"
#include "optimizer/changes.h"
#include "optimizer/optimize.h"
#include "passes/order_search.h"
#include "tests/catch.h"
#include "tests/length.h"
#include "tests/random_programs/generator.h"

namespace flipsat::optimizer {
namespace {

uint64_t number_from(const char* variable, uint64_t absent) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : absent;
}

std::vector<std::filesystem::path> corpus(uintmax_t largest) {
  std::vector<std::filesystem::path> found;
  const char* root = std::getenv("FLIPSAT_CORPUS");
  if (!root) {
    std::cout << "skipped: FLIPSAT_CORPUS does not name a folder\n";
    return found;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    const bool is_text = name.ends_with(".hlo") || name.ends_with(".hlo.gz");
    if (entry.is_regular_file() && is_text && entry.file_size() <= largest) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

extract::ProgramCost price(const hlo::Module& input, const hlo::Module& program) {
  return extract::price_program(program, hlo::infer_device_counts(input, {}), Options{}.cost,
                                extract::collective_surroundings(input));
}

// The search's programs and prices against those of 720 runs; gives the number of programs.
size_t check_all_runs(const hlo::Module& input, passes::GreedyOptions options) {
  passes::OrderSearch search(input, options);
  passes::IdentityFinder identities(input, options.mode);
  std::set<passes::Identity> found, plain;
  std::set<int64_t> found_times, plain_times;
  for (const passes::OrderResult& result : search.results()) {
    for (passes::OrderSearch::State state : result.states) {
      const hlo::Module& program = search.program(state);
      found.insert(identities.of(program));
      found_times.insert(price(input, program).time);
    }
  }
  for (const passes::OrderResult& result : search.results()) {
    for (const passes::Order& order : result.orders) {
      hlo::Module program = input;
      options.order = search.names(order);
      passes::run_greedy(program, options);
      if (plain.insert(identities.of(program)).second) {
        plain_times.insert(price(input, program).time);
      }
    }
  }
  CHECK(search.order_count() == 720);
  CHECK(plain == found);
  // Equal programs cost the same, so the best and the worst are among them.
  CHECK(plain_times == found_times);
  return search.results().size();
}

TEST_CASE("orders: a search finds what 720 runs find, on random programs") {
  const uint64_t first = number_from("FLIPSAT_RANDOM_SEED", 1);
  const uint64_t programs = number_from("FLIPSAT_RANDOM_PROGRAMS",
                                        flipsat::testing::length<uint64_t>({300, 40}, {40, 6}));
  int64_t with_several = 0;
  for (uint64_t seed = first; seed < first + programs; ++seed) {
    INFO("seed " << seed);
    const hlo::Module input =
        frontends::read_text(random_programs::random_program(seed, {.steps = 24}), "random");
    passes::GreedyOptions options;
    options.sweeps = seed % 2 ? passes::Sweeps::kOnce : passes::Sweeps::kFixPoint;
    options.numerics = seed % 3 ? hlo::Numerics::kExact : hlo::Numerics::kReassoc;
    with_several += check_all_runs(input, options) > 1;
  }
  std::cout << "counted: orders: " << programs << " random programs, " << with_several
            << " with several results\n";
  CHECK(with_several > 0);
}

TEST_CASE("orders: a search finds what 720 runs find, on small corpus modules") {
  for (const std::filesystem::path& path :
       corpus(flipsat::testing::length<uintmax_t>({6'000, 2'000}, {2'000, 1'000}))) {
    INFO(path.string());
    check_all_runs(frontends::read_module(path.string()), {});
  }
}

// Never worse than any order that computes some value otherwise.
struct Won {
  int64_t modules = 0;
  int64_t improved = 0;  // by rules, from an order's program on
};

void check_beats_orders(const hlo::Module& input, Options options, Won& won) {
  options.beat_orders = true;
  options.headroom = false;
  const Result result = optimize(input, options);
  if (!result.orders) return;  // left alone as a whole
  auto value = [&](const extract::ProgramCost& cost) { return cost.value(options.cost.objective); };
  passes::GreedyOptions greedy;
  greedy.numerics = options.numerics;
  const hlo::DeviceCounts counts = hlo::infer_device_counts(input, {});
  const std::vector<bool> surroundings = extract::collective_surroundings(input);
  passes::OrderSearch search(input, greedy);
  std::optional<int64_t> best;
  int64_t orders = 0;
  for (const passes::OrderResult& order : search.results()) {
    orders += static_cast<int64_t>(order.orders.size());
    for (passes::OrderSearch::State state : order.states) {
      const hlo::Module& program = search.program(state);
      if (describe_difference(input, program, "").empty()) continue;
      const int64_t cost =
          value(extract::price_program(program, counts, options.cost, surroundings));
      if (!best || cost < *best) best = cost;
    }
  }
  CHECK(result.orders->order_count == orders);
  if (result.verified.not_checked.empty() && best) CHECK(value(result.output_cost) <= *best);
  won.modules += result.orders->is_output;
  won.improved += result.orders->is_output && result.origin == Origin::kEGraph;
  // What comes out says that it does.
  if (result.orders->is_output) {
    CHECK(std::any_of(result.notes.begin(), result.notes.end(), [](const std::string& note) {
      return note.find("an order of the local passes") == 0;
    }));
  }
}

TEST_CASE("orders: the output is never worse than any of them, on random programs") {
  const uint64_t first = number_from("FLIPSAT_RANDOM_SEED", 1);
  const uint64_t programs = number_from("FLIPSAT_RANDOM_PROGRAMS",
                                        flipsat::testing::length<uint64_t>({1000, 200}, {200, 20}));
  Won won;
  for (uint64_t seed = first; seed < first + programs; ++seed) {
    INFO("seed " << seed);
    Options options;
    if (seed % 3 == 0) options.numerics = hlo::Numerics::kReassoc;
    options.cost.objective = seed % 5 ? extract::Objective::kTime : extract::Objective::kLaunches;
    // A graph that may not grow leaves something to the orders.
    const hlo::Module input =
        frontends::read_text(random_programs::random_program(seed, {.steps = 20}), "random");
    if (seed % 4 == 1) options.node_limit = 1;
    options.greedy_seed = seed % 4 != 1;
    if (seed % 4 == 3) options.node_limit = static_cast<int64_t>(input.instructions.size());
    check_beats_orders(input, options, won);
  }
  std::cout << "counted: orders: " << won.modules << " of " << programs
            << " random programs won by one, " << won.improved << " of these improved\n";
  CHECK(won.modules > 0);
}

TEST_CASE("orders: the output is never worse than any of them, on the corpus") {
  Won won;
  int64_t modules = 0;
  for (const std::filesystem::path& path :
       corpus(flipsat::testing::length<uintmax_t>({UINTMAX_MAX, 30'000}, {10'000, 3'000}))) {
    INFO(path.string());
    const int64_t before = won.modules;
    check_beats_orders(frontends::read_module(path.string()), {}, won);
    if (won.modules > before) std::cout << "won by an order: " << path.filename().string() << "\n";
    ++modules;
  }
  std::cout << "counted: orders: " << won.modules << " of " << modules
            << " corpus modules won by one\n";
}

}  // namespace
}  // namespace flipsat::optimizer
