// All orders at once against one run after the other.
#include "passes/order_search.h"

#include <algorithm>
#include <set>

#include "passes/errors.h"
#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using testing::gather_along;
using testing::module_of;

const std::string kConvert = "aws_neuron_flip_all_gather_convert";
const std::string kReshape = "aws_neuron_flip_all_gather_reshape";
const std::string kBinary = "aws_neuron_flip_all_gathers_binary";

// A convert of a reshape of a gather: within one sweep, both move if the reshape is first.
std::string chain() {
  return module_of(
      "  x = f32[2,5] parameter(0)\n"
      "  g = f32[8,5] all-gather(x)" +
      gather_along("0") +
      "\n  r = f32[40] reshape(g)\n"
      "  ROOT c = bf16[40] convert(r)\n");
}

// Two gathers that do not meet.
std::string apart() {
  return module_of(
      "  x = f32[2,5] parameter(0)\n  y = f32[2,5] parameter(1)\n"
      "  g = f32[8,5] all-gather(x)" +
      gather_along("0") + "\n  h = f32[8,5] all-gather(y)" + gather_along("0") +
      "\n  r = f32[40] reshape(g)\n"
      "  c = bf16[8,5] convert(h)\n"
      "  ROOT t = (f32[40], bf16[8,5]) tuple(r, c)\n");
}

hlo::Module read(const std::string& text) { return frontends::read_text(text, "test.hlo"); }

// Every order run on its own copy ends at the program that the search says it ends at.
void check_against_plain_runs(const std::string& text, GreedyOptions options) {
  const hlo::Module input = read(text);
  OrderSearch search(input, options);
  IdentityFinder identities(input, options.mode);
  std::set<Order> seen;
  std::set<Identity> plain, found;
  for (const OrderResult& result : search.results()) {
    REQUIRE_FALSE(result.orders.empty());
    std::set<Identity> here;
    for (OrderSearch::State state : result.states) {
      here.insert(identities.of(search.program(state)));
    }
    CHECK(here.size() == result.states.size());
    found.insert(here.begin(), here.end());
    for (const Order& order : result.orders) {
      CHECK(seen.insert(order).second);
      options.order = search.names(order);
      hlo::Module module = input;
      try {
        run_greedy(module, options);
      } catch (const std::logic_error& error) {
        CHECK(result.failure == error.what());
        CHECK(result.states.empty());
        continue;
      }
      CHECK(result.failure == "");
      CHECK(here.count(identities.of(module)) == 1);
      plain.insert(identities.of(module));
      if (seen.size() == 1) {
        CHECK(frontends::write_text(search.program(result.states.front())) ==
              frontends::write_text(module));
      }
    }
  }
  CHECK(plain == found);
  CHECK(static_cast<int64_t>(seen.size()) == search.order_count());
}

TEST_CASE("orders: each is counted in exactly one program, the one that it ends at") {
  for (const std::string& text : {chain(), apart()}) {
    for (Mode mode : {Mode::kSound, Mode::kLiteral}) {
      for (Sweeps sweeps : {Sweeps::kOnce, Sweeps::kFixPoint}) {
        check_against_plain_runs(text, {.mode = mode, .sweeps = sweeps});
      }
    }
  }
}

TEST_CASE("orders: one sweep tells apart which of two passes is first, a fix-point does not") {
  const hlo::Module input = read(chain());
  OrderSearch once(input, {});
  CHECK(once.order_count() == 720);
  REQUIRE(once.results().size() == 2);
  CHECK(once.results()[0].orders.size() == 360);
  CHECK(once.results()[1].orders.size() == 360);
  OrderSearch settled(input, {.sweeps = Sweeps::kFixPoint});
  CHECK(settled.results().size() == 1);
  CHECK(settled.results()[0].settled);
  OrderSearch given_up(input, {.sweeps = Sweeps::kFixPoint, .max_sweeps = 1});
  CHECK_FALSE(given_up.results()[0].settled);
}

TEST_CASE("orders: passes that do not meet make one program, and a pass is run once a program") {
  const hlo::Module input = read(apart());
  OrderSearch search(input, {});
  CHECK(search.results().size() == 1);
  CHECK(search.state_count() == 4);
  CHECK(search.pass_runs() <= 4 * 6);
}

TEST_CASE("orders: a module that no pass changes has one state") {
  const hlo::Module input = read(module_of("  ROOT x = f32[2,5] parameter(0)\n"));
  OrderSearch search(input, {});
  REQUIRE(search.results().size() == 1);
  CHECK(search.results()[0].orders.size() == 720);
  CHECK(search.results()[0].states == std::vector<OrderSearch::State>{OrderSearch::kInput});
  CHECK(search.pass_runs() == 6);
}

TEST_CASE("orders: of a list with repeated names, and with names switched off") {
  const hlo::Module input = read(chain());
  OrderSearch repeated(input, {.order = {kConvert, kReshape, kConvert}});
  CHECK(repeated.order_count() == 3);
  CHECK(repeated.results().size() == 2);  // convert, convert, reshape moves one of them only
  check_against_plain_runs(chain(), {.order = {kConvert, kReshape, kConvert}});
  OrderSearch without(input, {.disabled = {kReshape}});
  CHECK(without.order_count() == 720);
  CHECK(without.results().size() == 1);
  CHECK_THROWS_AS(OrderSearch(input, {.order = std::vector<std::string>(10, kConvert)}),
                  std::invalid_argument);
  CHECK_THROWS_AS(OrderSearch(input, {.order = {"no such pass"}}), std::invalid_argument);
}

TEST_CASE("orders: where a literal pass goes wrong its orders end there") {
  const std::string text = R"(HloModule test, replica_count=2, num_partitions=2

ENTRY main {
  x = f32[1] parameter(0)
  y = f32[1] parameter(1)
  a = f32[2] all-gather(x), replica_groups={{0,1}}, dimensions={0}
  b = f32[2] all-gather(y), replica_groups={{0,1}}, dimensions={0}
  c = bf16[2] convert(a)
  s = f32[2] add(a, b)
  ROOT t = (f32[2], bf16[2]) tuple(s, c)
}
)";
  check_against_plain_runs(text, {.mode = Mode::kLiteral});
  const hlo::Module input = read(text);
  OrderSearch search(input, {.mode = Mode::kLiteral});
  CHECK(search.results().back().failure.find(kBinary) == 0);
  CHECK(search.results().back().states.empty());
}

TEST_CASE("orders: what nobody needs makes no other result, and is kept apart as a state") {
  // The dead chain is rewritten, and so dropped, if the reshape comes before the convert.
  std::string text = apart();
  text = testing::with(text, "  ROOT t",
                       "  dead = f32[40] reshape(h)\n  dead2 = bf16[40] convert(dead)\n  ROOT t");
  check_against_plain_runs(text, {});
  const hlo::Module input = read(text);
  OrderSearch search(input, {});
  CHECK(search.results().size() == 1);
}

TEST_CASE("identity: names, metadata and the order of lines do not count, operands do") {
  const hlo::Module input = read(apart());
  auto identity = [](const std::string& text) {
    const hlo::Module module = read(text);
    return IdentityFinder(module, Mode::kSound).of(module);
  };
  const Identity as_it_is = IdentityFinder(input, Mode::kSound).of(input);
  const std::string renamed =
      testing::with(apart(), "  x = f32[2,5] parameter(0)",
                    "  xx = f32[2,5] parameter(0), metadata={op_name=\"f\"}");
  CHECK(identity(testing::with(renamed, "all-gather(x)", "all-gather(xx)")) == as_it_is);
  const std::string gather = "  g = f32[8,5] all-gather(x)" + gather_along("0") + "\n";
  const std::string moved =
      testing::with(testing::with(apart(), gather, ""), "  r = f32", gather + "  r = f32");
  CHECK(moved != apart());
  CHECK(identity(moved) == as_it_is);
  CHECK(identity(testing::with(apart(), "reshape(g)", "reshape(h)")) != as_it_is);
}

TEST_CASE("identity: channels count by who shares them, to literal passes") {
  Mode mode = Mode::kLiteral;
  auto identity = [&](std::string text, const std::string& first, const std::string& second) {
    text = testing::with(text, "all-gather(x), channel_id=1", "all-gather(x), channel_id=" + first);
    text =
        testing::with(text, "all-gather(y), channel_id=1", "all-gather(y), channel_id=" + second);
    const hlo::Module module = read(text);
    return IdentityFinder(module, mode).of(module);
  };
  CHECK(identity(apart(), "1", "2") == identity(apart(), "7", "3"));
  CHECK(identity(apart(), "1", "2") != identity(apart(), "4", "4"));
  mode = Mode::kSound;
  CHECK(identity(apart(), "1", "2") == identity(apart(), "4", "4"));
}

}  // namespace
}  // namespace flipsat::passes
