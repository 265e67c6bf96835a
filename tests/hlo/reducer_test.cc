#include "hlo/reducer.h"

#include "hlo/verifier.h"
#include "tests/catch.h"
#include "tests/hlo/module_text.h"

namespace flipsat::hlo {
namespace {

// A module whose computation `r` is this one.
Module with_reducer(const std::string& body) {
  return parse("HloModule m\nr {\n" + body + "\n}\nENTRY e { ROOT x = f32[] parameter(0) }\n");
}

std::optional<Reducer> recognised(const std::string& type, const std::string& root) {
  Module module = with_reducer("  a = " + type + "[] parameter(0)\n  b = " + type +
                               "[] parameter(1)\n  ROOT s = " + root);
  return recognise_reducer(module, computation_of(module, "r"));
}

TEST_CASE("reducers: the six kinds, in either operand order") {
  CHECK(recognised("f32", "f32[] add(a, b)") == Reducer{ReducerKind::kAdd, ElementType::kF32});
  CHECK(recognised("bf16", "bf16[] add(b, a)") == Reducer{ReducerKind::kAdd, ElementType::kBF16});
  CHECK(recognised("s32", "s32[] multiply(a, b)")->kind == ReducerKind::kMultiply);
  CHECK(recognised("f32", "f32[] minimum(a, b)")->kind == ReducerKind::kMinimum);
  CHECK(recognised("f32", "f32[] maximum(b, a)")->kind == ReducerKind::kMaximum);
  CHECK(recognised("pred", "pred[] and(a, b)")->kind == ReducerKind::kAnd);
  CHECK(recognised("pred", "pred[] or(a, b)")->kind == ReducerKind::kOr);
}

TEST_CASE("reducers: not on one operand twice, not another operation, not and, or of integers") {
  CHECK_FALSE(recognised("f32", "f32[] add(a, a)"));
  CHECK_FALSE(recognised("f32", "f32[] subtract(a, b)"));
  CHECK_FALSE(recognised("s32", "s32[] and(a, b)"));
  CHECK_FALSE(recognised("s32", "s32[] or(a, b)"));
}

TEST_CASE("reducers: not through converts, nor on parameters of another type") {
  Module module = with_reducer(R"(  a = bf16[] parameter(0)  b = bf16[] parameter(1)
  x = f32[] convert(a)  y = f32[] convert(b)  s = f32[] add(x, y)  ROOT t = bf16[] convert(s))");
  CHECK_FALSE(recognise_reducer(module, computation_of(module, "r")));
  CHECK_FALSE(combiner_reducer(module, computation_of(module, "r")));
}

TEST_CASE("reducers: what the combiner keys on is the root, whatever it does") {
  Module module =
      with_reducer("a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, a)");
  CHECK(combiner_reducer(module, computation_of(module, "r")) ==
        CombinerReducer{Opcode::kAdd, ElementType::kF32});
}

std::string print_of(const std::string& body) {
  Module module = with_reducer(body);
  return computation_fingerprint(module, computation_of(module, "r"));
}

TEST_CASE("fingerprints: names, metadata, dead code and commutative order do not count") {
  std::string base = print_of(
      "a = f32[] parameter(0) b = f32[] parameter(1) n = f32[] negate(a) ROOT s = f32[] add(n, b)");
  CHECK(base == print_of(R"(x = f32[] parameter(0)  y = f32[] parameter(1)
    dead = f32[] exponential(y)  m = f32[] negate(x), metadata={op_name="m"}
    ROOT t = f32[] add(y, m))"));
  CHECK(base != print_of("a = f32[] parameter(0) b = f32[] parameter(1) n = f32[] negate(b) "
                         "ROOT s = f32[] add(n, b)"));
  CHECK(base != print_of("a = f32[] parameter(0) b = f32[] parameter(1) n = f32[] negate(a) "
                         "ROOT s = f32[] subtract(n, b)"));
  CHECK(base != print_of("a = bf16[] parameter(0) b = bf16[] parameter(1) n = bf16[] negate(a) "
                         "ROOT s = bf16[] add(n, b)"));
}

TEST_CASE("fingerprints: the order of other operands, constants and attributes count") {
  auto subtract = [](const std::string& operands) {
    return print_of("a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] subtract(" +
                    operands + ")");
  };
  CHECK(subtract("a, b") != subtract("b, a"));
  auto plus = [](const std::string& value) {
    return print_of("a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] constant(" + value +
                    ") d = f32[] add(a, b) ROOT s = f32[] add(d, c)");
  };
  CHECK(plus("1") == plus("1.0"));
  CHECK(plus("1") != plus("2"));
  auto compare = [](const std::string& direction) {
    return print_of(
        "a = f32[] parameter(0) b = f32[] parameter(1) c = pred[] compare(a, b), "
        "direction=" +
        direction + " ROOT s = f32[] select(c, a, b)");
  };
  CHECK(compare("GT") != compare("LT"));
}

TEST_CASE("fingerprints: shared and repeated operands of one value are one value") {
  CHECK(print_of("a = f32[] parameter(0) b = f32[] parameter(1) x = f32[] negate(a) y = f32[] "
                 "negate(a) ROOT s = f32[] add(x, y)") ==
        print_of("a = f32[] parameter(0) b = f32[] parameter(1) x = f32[] negate(a) ROOT s = f32[] "
                 "add(x, x)"));
}

TEST_CASE("fingerprints: an elided constant equals nothing but itself") {
  Module module = parse(R"(HloModule m
f { a = f32[12] parameter(0)  c = f32[12] constant({...})  ROOT s = f32[12] add(a, c) }
g { a = f32[12] parameter(0)  c = f32[12] constant({...})  ROOT s = f32[12] add(a, c) }
ENTRY e { ROOT x = f32[] parameter(0) })");
  CHECK(computation_fingerprint(module, computation_of(module, "f")) ==
        computation_fingerprint(module, computation_of(module, "f")));
  CHECK(computation_fingerprint(module, computation_of(module, "f")) !=
        computation_fingerprint(module, computation_of(module, "g")));
}

TEST_CASE("adding a reducer: found if it stands first, else made before all others") {
  Module module = parse(R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
largest { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] maximum(a, b) }
helper { x = f32[4] parameter(0)  z = f32[] constant(0)
  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=sum }
smallest { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] minimum(a, b) }
ENTRY e { x = f32[4] parameter(0)  z = f32[] constant(0)  y = f32[] call(x), to_apply=helper
  q = f32[] reduce(x, z), dimensions={0}, to_apply=largest
  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=smallest })");
  size_t before = module.computations.size();
  CHECK(find_or_add_reducer(module, ReducerKind::kAdd, ElementType::kF32) ==
        computation_of(module, "sum"));
  CHECK(find_or_add_reducer(module, ReducerKind::kMaximum, ElementType::kF32) ==
        computation_of(module, "largest"));
  CHECK(module.computations.size() == before);

  // `helper` could not name one that stands after it.
  ComputationId added = find_or_add_reducer(module, ReducerKind::kMinimum, ElementType::kF32);
  CHECK(added != computation_of(module, "smallest"));
  CHECK(module.order.front() == added);
  CHECK(recognise_reducer(module, added) == Reducer{ReducerKind::kMinimum, ElementType::kF32});
  CHECK(find_or_add_reducer(module, ReducerKind::kMinimum, ElementType::kF32) == added);
  verify_module(module, DeviceCounts{});
}

TEST_CASE("adding a reducer: no and, or of integers") {
  Module module = with_reducer("ROOT a = f32[] parameter(0)");
  CHECK_THROWS_AS(find_or_add_reducer(module, ReducerKind::kAnd, ElementType::kS32),
                  std::logic_error);
}

TEST_CASE("idempotent kinds") {
  CHECK(is_idempotent(ReducerKind::kMaximum));
  CHECK(is_idempotent(ReducerKind::kOr));
  CHECK_FALSE(is_idempotent(ReducerKind::kAdd));
  CHECK_FALSE(is_idempotent(ReducerKind::kMultiply));
}

}  // namespace
}  // namespace flipsat::hlo
