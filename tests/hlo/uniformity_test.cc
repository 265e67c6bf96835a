#include "hlo/uniformity.h"

#include "tests/catch.h"
#include "tests/hlo/module_text.h"

namespace flipsat::hlo {
namespace {

using Blocks = std::vector<uint32_t>;

const DeviceCounts kFour{1, 4, true, "given"};
const Blocks kEqual{0, 0, 0, 0};
const Blocks kDistinct{0, 1, 2, 3};
const Blocks kPairs{0, 0, 1, 1};

const char* const kReducers = R"(HloModule m
add { lhs = f32[] parameter(0)  rhs = f32[] parameter(1)  ROOT sum2 = f32[] add(lhs, rhs) }
odd { lhs2 = f32[] parameter(0)  rhs2 = f32[] parameter(1)  ROOT odd2 = f32[] subtract(lhs2, rhs2) }
)";

class Facts {
 public:
  explicit Facts(const std::string& text, const DeviceCounts& counts = kFour,
                 const UniformityOptions& options = {})
      : module_(parse(kReducers + text)),
        calls_(module_),
        uniformity_(module_, counts, calls_, options) {}

  Blocks of(const std::string& name) const { return uniformity_.of(id_of(module_, name)).blocks(); }
  Blocks leaf(const std::string& name, size_t leaf) const {
    return uniformity_.of_leaf(id_of(module_, name), leaf).blocks();
  }

 private:
  Module module_;
  CallGraph calls_;
  Uniformity uniformity_;
};

TEST_CASE("uniformity: parameters as sharding, replication or the user say") {
  Facts facts(R"(ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1), sharding={replicated}
  c = f32[4] parameter(2), sharding={devices=[2,2]<=[4] last_tile_dim_replicate}
  d = f32[4] parameter(3)
  s = f32[4] add(b, c)
  ROOT t = (f32[4], f32[4]) tuple(b, s)
})",
              kFour, UniformityOptions{{"d"}});
  CHECK(facts.of("a") == kDistinct);
  CHECK(facts.of("b") == kEqual);
  CHECK(facts.of("c") == kPairs);
  CHECK(facts.of("d") == kEqual);
  CHECK(facts.of("s") == kPairs);
  CHECK(facts.of("t") == kPairs);
  CHECK(facts.leaf("t", 0) == kEqual);
}

TEST_CASE("uniformity: sharding speaks of one replica, parameter_replication of all") {
  DeviceCounts counts{2, 2, true, "given"};
  Facts facts(R"(ENTRY e {
  a = f32[4] parameter(0), sharding={replicated}
  b = f32[4] parameter(1), parameter_replication={true}
  c = f32[4] parameter(2), sharding={replicated}, parameter_replication={true}
  d = f32[4] parameter(3), sharding={replicated}, parameter_replication={false}
  ROOT t = (f32[4]) tuple(a)
})",
              counts);
  CHECK(facts.of("a") == kPairs);
  CHECK(facts.of("b") == Blocks{0, 1, 0, 1});
  CHECK(facts.of("c") == kEqual);
  CHECK(facts.of("d") == kDistinct);
}

TEST_CASE("uniformity: collectives by their groups, and through them") {
  Facts facts(R"(ENTRY e {
  x = f32[4] parameter(0)
  r = f32[4] all-reduce(x), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=add
  q = f32[4] all-reduce(r), channel_id=2, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, to_apply=add
  g = f32[8] all-gather(x), channel_id=3, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, dimensions={0}
  s = f32[2] reduce-scatter(x), channel_id=4, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, dimensions={0}, to_apply=add
  u = f32[2] reduce-scatter(r), channel_id=5, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, dimensions={0}, to_apply=add
  a = f32[4] all-to-all(r), channel_id=6, replica_groups={{0,2},{1,3}}, dimensions={0}
  p = f32[4] collective-permute(r), channel_id=7, source_target_pairs={{0,2},{1,3}}
  o = f32[4] all-reduce(x), channel_id=8, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=odd
  ROOT t = (f32[4]) tuple(q)
})");
  CHECK(facts.of("r") == kPairs);
  CHECK(facts.of("q") == kEqual);
  CHECK(facts.of("g") == kPairs);
  CHECK(facts.of("s") == kDistinct);
  CHECK(facts.of("u") == Blocks{0, 0, 1, 1});
  CHECK(facts.of("a") == Blocks{0, 0, 1, 1});
  CHECK(facts.of("p") == kPairs);
  CHECK(facts.of("o") == kPairs);
}

TEST_CASE("uniformity: only a known reducer forgets the order of the members") {
  // The two groups bring the same two values in opposite orders.
  Facts facts(R"(ENTRY e {
  x = f32[4] parameter(0), sharding={devices=[2,2]0,3,1,2 last_tile_dim_replicate}
  r = f32[4] all-reduce(x), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=add
  ROOT o = f32[4] all-reduce(x), channel_id=2, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=odd
})");
  CHECK(facts.of("x") == Blocks{0, 1, 1, 0});
  CHECK(facts.of("r") == kEqual);
  CHECK(facts.of("o") == kPairs);
}

TEST_CASE("uniformity: variadic collectives operand by operand") {
  Facts facts(R"(ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1), sharding={replicated}
  r = (f32[4], f32[4]) all-reduce(x, y), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=add
  a = f32[4] get-tuple-element(r), index=0
  ROOT b = f32[4] get-tuple-element(r), index=1
})");
  CHECK(facts.of("a") == kPairs);
  CHECK(facts.of("b") == kEqual);
}

TEST_CASE("uniformity: a collective whose groups are not valid makes nothing uniform") {
  Facts facts(R"(ENTRY e {
  x = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
})");
  CHECK(facts.of("r") == kDistinct);
}

TEST_CASE("uniformity: device ids by value, and tables that they index") {
  Facts facts(R"(ENTRY e {
  p = u32[] partition-id()
  two = u32[] constant(2)
  half = u32[] divide(p, two)
  odd = u32[] remainder(p, two)
  big = u32[] multiply(half, two)
  small = u32[] subtract(p, big)
  zero = u32[] constant(0)
  none = u32[] multiply(p, zero)
  t = f32[2,3] constant({{1,2,3},{4,5,6}})
  row = f32[1,3] dynamic-slice(t, half, zero), dynamic_slice_sizes={1,3}
  x = f32[4] parameter(0), sharding={replicated}
  ROOT cut = f32[1] dynamic-slice(x, odd), dynamic_slice_sizes={1}
})");
  CHECK(facts.of("p") == kDistinct);
  CHECK(facts.of("half") == kPairs);
  CHECK(facts.of("small") == Blocks{0, 1, 0, 1});
  CHECK(facts.of("none") == kEqual);
  CHECK(facts.of("row") == kPairs);
  CHECK(facts.of("cut") == Blocks{0, 1, 0, 1});
}

TEST_CASE("uniformity: what is opaque is distinct") {
  Facts facts(R"(ENTRY e {
  x = f32[4] parameter(0), sharding={replicated}
  c = f32[4] custom-call(x), custom_call_target="f"
  lo = f32[] constant(0)
  hi = f32[] constant(1)
  r = f32[4] rng(lo, hi), distribution=rng_uniform
  ROOT s = f32[4] copy(x)
})");
  CHECK(facts.of("c") == kDistinct);
  CHECK(facts.of("r") == kDistinct);
  CHECK(facts.of("s") == kEqual);
}

// A loop over (counter, value, value); the body hands `first` and `second` on.
std::string loop(const std::string& condition, const std::string& first,
                 const std::string& second) {
  return R"(
more {
  s = (s32[], f32[4], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  a = f32[4] get-tuple-element(s), index=1
  n = s32[] constant(3)  p = u32[] partition-id()  id = s32[] convert(p)
  ROOT go = pred[] compare(i, )" +
         condition + R"(), direction=LT
}
step {
  s = (s32[], f32[4], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  a = f32[4] get-tuple-element(s), index=1  b = f32[4] get-tuple-element(s), index=2
  one = s32[] constant(1)  j = s32[] add(i, one)  sum = f32[4] add(a, b)
  r = f32[4] all-reduce(b), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  ROOT t = (s32[], f32[4], f32[4]) tuple(j, )" +
         first + ", " + second + R"()
}
ENTRY e {
  x = f32[4] parameter(0), sharding={replicated}  y = f32[4] parameter(1)
  z = s32[] constant(0)  init = (s32[], f32[4], f32[4]) tuple(z, x, y)
  w = (s32[], f32[4], f32[4]) while(init), condition=more, body=step
  ROOT out = f32[4] get-tuple-element(w), index=1
})";
}

TEST_CASE("uniformity: a loop keeps what its body keeps") {
  Facts facts(loop("n", "a", "b"));
  CHECK(facts.leaf("w", 0) == kEqual);
  CHECK(facts.of("out") == kEqual);
  CHECK(facts.leaf("w", 2) == kDistinct);
  CHECK(facts.of("j") == kEqual);
}

TEST_CASE("uniformity: a loop loses what its body mixes with something that differs") {
  Facts facts(loop("n", "sum", "b"));
  CHECK(facts.of("out") == kDistinct);
  CHECK(facts.leaf("s", 1) == kDistinct);
  CHECK(facts.leaf("w", 0) == kEqual);
}

TEST_CASE("uniformity: a loop loses in the second round what it mixes in the first") {
  // The first value takes over the second, which differs only after one round.
  Facts facts(loop("n", "b", "a"));
  CHECK(facts.of("out") == kDistinct);
  CHECK(facts.leaf("w", 2) == kDistinct);
}

TEST_CASE(
    "uniformity: a reduced value is uniform in the loop, but not what the loop started with") {
  Facts facts(loop("n", "r", "r"));
  CHECK(facts.of("r") == kEqual);
  CHECK(facts.leaf("w", 1) == kEqual);
  CHECK(facts.leaf("w", 2) == kDistinct);  // zero rounds leave the parameter
}

TEST_CASE("uniformity: devices that leave a loop at different times end with different values") {
  Facts facts(loop("id", "a", "b"));
  CHECK(facts.of("out") == kDistinct);
  CHECK(facts.leaf("w", 0) == kDistinct);
  CHECK(facts.of("j") == kDistinct);
}

TEST_CASE("uniformity: calls meet over their callers, results come back") {
  std::string text = R"(
f { v = f32[4] parameter(0)  n = f32[4] negate(v)  ROOT t = (f32[4], f32[4]) tuple(n, n) }
ENTRY e {
  x = f32[4] parameter(0), sharding={replicated}
  y = f32[4] parameter(1), sharding={devices=[2,2]<=[4] last_tile_dim_replicate}
  c = (f32[4], f32[4]) call(x), to_apply=f
  d = (f32[4], f32[4]) call()";
  Facts both(text + "y), to_apply=f\n  ROOT out = f32[4] get-tuple-element(c), index=1\n}");
  CHECK(both.of("v") == kPairs);
  CHECK(both.of("out") == kPairs);
  Facts same(text + "x), to_apply=f\n  ROOT out = f32[4] get-tuple-element(c), index=1\n}");
  CHECK(same.of("out") == kEqual);
}

TEST_CASE("uniformity: branches as their condition decides") {
  std::string text = R"(
f { v = f32[4] parameter(0)  ROOT n = f32[4] negate(v) }
g { v = f32[4] parameter(0)  ROOT n = f32[4] exponential(v) }
ENTRY e {
  x = f32[4] parameter(0), sharding={replicated}
  b = pred[] parameter(1), sharding={replicated}
  p = u32[] partition-id()  two = u32[] constant(2)  first = pred[] compare(p, two), direction=LT
  ROOT out = f32[4] conditional()";
  Facts uniform(text + "b, x, x), true_computation=f, false_computation=g\n}");
  CHECK(uniform.of("out") == kEqual);
  Facts split(text + "first, x, x), true_computation=f, false_computation=g\n}");
  CHECK(split.of("out") == kPairs);
  CHECK(split.of("v") == kPairs);  // inside a branch, too
}

TEST_CASE("uniformity: asynchronous pairs hand over what their collective makes") {
  Facts facts(R"(
rs { v = f32[4] parameter(0)  ROOT n = f32[2] reduce-scatter(v), channel_id=9, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, dimensions={0}, to_apply=add }
ENTRY e {
  x = f32[4] parameter(0)
  gs = (f32[4], f32[16]) all-gather-start(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, dimensions={0}
  g = f32[16] all-gather-done(gs)
  rs0 = f32[4] all-reduce-start(x), channel_id=2, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=add
  r = f32[4] all-reduce-done(rs0)
  ss = ((f32[4]), f32[2], u32[]) async-start(r), calls=rs
  s = f32[2] async-done(ss)
  cs = (f32[4], f32[4], u32[]) copy-start(r)
  c = f32[4] copy-done(cs)
  ROOT t = (f32[16], f32[4], f32[2]) tuple(g, r, s)
})");
  CHECK(facts.of("g") == kEqual);
  CHECK(facts.leaf("gs", 0) == kDistinct);
  CHECK(facts.of("r") == kPairs);
  CHECK(facts.of("s") == kPairs);
  CHECK(facts.of("c") == kPairs);
}

TEST_CASE("uniformity: values in reducers and in unreached computations are distinct") {
  Facts facts(
      "lost { v = f32[] parameter(0)  c = f32[] constant(1)  ROOT n = f32[] add(v, c) }\n"
      "ENTRY e { x = f32[4] parameter(0), sharding={replicated}  z = f32[] constant(0)\n"
      "  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=add }");
  CHECK(facts.of("c") == kDistinct);
  CHECK(facts.of("lhs") == kDistinct);
  CHECK(facts.of("r") == kEqual);
}

TEST_CASE("uniformity: with an unknown number of devices only what never differs is uniform") {
  DeviceCounts unknown;
  unknown.known = false;
  Facts facts(R"(ENTRY e {
  x = f32[4] parameter(0), sharding={replicated}
  c = f32[4] constant({1,2,3,4})
  ROOT s = f32[4] add(x, c)
})",
              unknown);
  CHECK(facts.of("c") == Blocks{0, 0});
  CHECK(facts.of("x") == Blocks{0, 1});
  CHECK(facts.of("s") == Blocks{0, 1});
}

}  // namespace
}  // namespace flipsat::hlo
