#include <set>

#include "extract/program_cost.h"
#include "frontends/text/text.h"
#include "tests/catch.h"

namespace flipsat::extract {
namespace {

std::set<std::string> marked(const std::string& text) {
  const hlo::Module module = frontends::read_text(text, "test.hlo");
  const std::vector<bool> surroundings = collective_surroundings(module);
  REQUIRE(surroundings.size() == module.instructions.size());
  std::set<std::string> names;
  for (size_t id = 0; id < surroundings.size(); ++id) {
    if (surroundings[id]) names.insert(module.instructions[id].name);
  }
  return names;
}

TEST_CASE("four steps up and down from a collective, no further") {
  CHECK(marked(R"(
ENTRY e {
  p = f32[2] parameter(0)
  u5 = f32[2] negate(p)
  u4 = f32[2] negate(u5)
  u3 = f32[2] copy(u4)
  u2 = bf16[2] convert(u3)
  u1 = bf16[1,2] reshape(u2)
  g = bf16[1,4] all-gather(u1), dimensions={1}, replica_groups={{0,1}}
  d1 = bf16[4,1] transpose(g), dimensions={1,0}
  d2 = bf16[2,1] slice(d1), slice={[0:2], [0:1]}
  d3 = bf16[2,1] reverse(d2), dimensions={0}
  d4 = bf16[2] bitcast(d3)
  ROOT d5 = bf16[2] negate(d4)
}
)") == std::set<std::string>{"u4", "u3", "u2", "u1", "g", "d1", "d2", "d3", "d4"});
}

TEST_CASE("side operands of what is reached are reached") {
  CHECK(marked(R"(
ENTRY e {
  p = f32[2] parameter(0)
  q = f32[4] parameter(1)
  side = f32[4] negate(q)
  g = f32[4] all-gather(p), dimensions={0}, replica_groups={{0,1}}
  ROOT sum = f32[4] add(g, side)
}
)") == std::set<std::string>{"g", "sum", "side"});
}

TEST_CASE("scalars that an operation begins with are reached, larger constants are not") {
  CHECK(marked(R"(
ENTRY e {
  p = f32[2] parameter(0)
  zero = f32[] constant(0)
  table = f32[4] constant({1, 2, 3, 4})
  g = f32[4] all-gather(p), dimensions={0}, replica_groups={{0,1}}
  pad = f32[5] pad(g, zero), padding=0_1
  sum = f32[4] add(g, table)
  ROOT t = (f32[5], f32[4]) tuple(pad, sum)
}
)") == std::set<std::string>{"g", "zero", "pad", "sum"});
}

TEST_CASE("a dot is reached but not passed; opaque operations are neither") {
  CHECK(marked(R"(
ENTRY e {
  p = f32[2,4] parameter(0)
  w = f32[4,4] parameter(1)
  v = f32[4,4] negate(w)
  g = f32[4,4] all-gather(p), dimensions={0}, replica_groups={{0,1}}
  dot = f32[4,4] dot(g, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  after = f32[4,4] negate(dot)
  call = f32[4,4] custom-call(g), custom_call_target="opaque"
  beyond = f32[4,4] negate(call)
  ROOT t = (f32[4,4], f32[4,4]) tuple(after, beyond)
}
)") == std::set<std::string>{"g", "dot"});
}

TEST_CASE("the elements of a variadic collective are passed") {
  CHECK(marked(R"(
ENTRY e {
  p = f32[2] parameter(0)
  g = (f32[4], f32[4]) all-gather(p, p), dimensions={0}, replica_groups={{0,1}}
  x = f32[4] get-tuple-element(g), index=0
  ROOT n = f32[4] negate(x)
}
)") == std::set<std::string>{"g", "x", "n"});
}

}  // namespace
}  // namespace flipsat::extract
