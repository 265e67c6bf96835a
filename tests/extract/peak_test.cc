#include "extract/program_cost.h"
#include "frontends/text/text.h"
#include "tests/catch.h"

namespace flipsat::extract {
namespace {

int64_t peak(const std::string& text) {
  return peak_live_bytes(frontends::read_text(text, "test.hlo"));
}

TEST_CASE("values live from their definition to their last reader, parameters throughout") {
  // p 4 B a step; at b: p 40 + a 40 + b 40; at c: a is dead, p 40 + b 40 + c 4.
  CHECK(peak(R"(
ENTRY e {
  p = f32[10] parameter(0)
  a = f32[10] negate(p)
  b = f32[10] negate(a)
  ROOT c = f32[1] slice(b), slice={[0:1]}
}
)") == 120);
  // `a` is read by the root: it stays.
  CHECK(peak(R"(
ENTRY e {
  p = f32[10] parameter(0)
  a = f32[10] negate(p)
  b = f32[20] concatenate(a, a), dimensions={0}
  ROOT t = (f32[10], f32[20]) tuple(a, b)
}
)") == 40 + 40 + 80);
  // An unused value lives where it is made.
  CHECK(peak(R"(
ENTRY e {
  p = f32[10] parameter(0)
  unused = f32[100] broadcast(p), dimensions={}
  ROOT a = f32[10] negate(p)
}
)") == 40 + 400);
  // A parameter written last is there from the start.
  CHECK(peak(R"(
ENTRY e {
  p = f32[10] parameter(0)
  a = f32[10] negate(p)
  b = f32[1] slice(a), slice={[0:1]}
  late = f32[10] parameter(1)
  ROOT t = (f32[1], f32[10]) tuple(b, late)
}
)") == 80 + 40 + 4);
}

TEST_CASE("tuples, elements and bitcasts are names, and elements die apart") {
  // At x: p 40, a 40 (through the tuple), big 40, x 4; b has died after its own reader m, though a
  // name of the tuple comes later.
  CHECK(peak(R"(
ENTRY e {
  p = f32[10] parameter(0)
  a = f32[10] negate(p)
  b = f32[5] slice(p), slice={[0:5]}
  t = (f32[10], f32[5]) tuple(a, b)
  tb = f32[5] get-tuple-element(t), index=1
  m = f32[1] slice(tb), slice={[0:1]}
  big = f32[10] negate(p)
  ta = f32[10] get-tuple-element(t), index=0
  tc = f32[10,1] bitcast(ta)
  x = f32[1,1] slice(tc), slice={[0:1], [0:1]}
  y = f32[1] slice(big), slice={[0:1]}
  ROOT out = (f32[1,1], f32[1]) tuple(x, y)
}
)") == 40 + 40 + 40 + 4);
}

TEST_CASE("the root's value lives to the end, wherever the root stands") {
  CHECK(peak(R"(
ENTRY e {
  p = f32[10] parameter(0)
  ROOT r = f32[10] negate(p)
  late = f32[10] negate(p)
}
)") == 40 + 40 + 40);
}

TEST_CASE("a call adds what its body needs beside its arguments and result") {
  // In f: a 40, b 40, r 4. At the call: p 40 + r 4 + (80 - 4); at r in f: b 40 + 4.
  CHECK(peak(R"(
f {
  x = f32[10] parameter(0)
  a = f32[10] negate(x)
  b = f32[10] negate(a)
  ROOT r = f32[1] slice(b), slice={[0:1]}
}

ENTRY e {
  p = f32[10] parameter(0)
  ROOT c = f32[1] call(p), to_apply=f
}
)") == 40 + 80);
}

TEST_CASE("a loop's state is there once, the body's own values beside it") {
  // State: i 4, x 40 = p itself, which is the entry's. Body: next 4, n 40, one 4 live at n.
  // Entry at the loop: p 40 + i 4 + body. Body: one 4 + next 4 at next; next 4 + n 40 at n.
  CHECK(peak(R"(
body {
  s = (s32[], f32[10]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[10] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  n = f32[10] negate(x)
  ROOT t = (s32[], f32[10]) tuple(next, n)
}

condition {
  s = (s32[], f32[10]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  many = s32[] constant(5)
  ROOT c = pred[] compare(i, many), direction=LT
}

ENTRY e {
  p = f32[10] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[10]) tuple(zero, p)
  w = (s32[], f32[10]) while(init), condition=condition, body=body
  ROOT out = f32[10] get-tuple-element(w), index=1
}
)") == 44 + 44);
}

TEST_CASE("the largest branch counts; fused bodies and reducers do not") {
  CHECK(peak(R"(
small {
  x = f32[10] parameter(0)
  ROOT r = f32[1] slice(x), slice={[0:1]}
}

large {
  x = f32[10] parameter(0)
  a = f32[10] negate(x)
  ROOT r = f32[1] slice(a), slice={[0:1]}
}

fused {
  x = f32[10] parameter(0)
  huge = f32[1000] broadcast(x), dimensions={}
  ROOT r = f32[1] slice(huge), slice={[0:1]}
}

ENTRY e {
  p = f32[10] parameter(0)
  i = s32[] parameter(1)
  f = f32[1] fusion(p), kind=kLoop, calls=fused
  ROOT c = f32[1] conditional(i, p, p), branch_computations={small, large}
}
)") == 44 + 44);
}

TEST_CASE("an asynchronous pair holds its operand and one result") {
  // p 40, result 80; the done names it.
  CHECK(peak(R"(
ENTRY e {
  p = f32[10] parameter(0)
  s = (f32[10], f32[20]) all-gather-start(p), dimensions={0}, replica_groups={{0,1}}
  ROOT d = f32[20] all-gather-done(s)
}
)") == 120);
}

}  // namespace
}  // namespace flipsat::extract
