#include "hlo/verifier.h"

#include "hlo/input_error.h"
#include "tests/catch.h"
#include "tests/hlo/module_text.h"

namespace flipsat::hlo {
namespace {

const DeviceCounts kFour{1, 4, true, "header"};

const char* const kHead = R"(HloModule m, num_partitions=4
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
three { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] parameter(2)  ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[4,6] parameter(0)
  y = f32[4,6] parameter(1)
  i = s32[] parameter(2)
  q = pred[4,6] parameter(3)
  k = f32[] parameter(4)
  v = s32[2] parameter(5)
  w = (f32[4,6], s32[]) tuple(x, i)
)";

// The message for a module whose root is this instruction, "" if it is accepted.
std::string refusal(const std::string& root, const DeviceCounts& counts = kFour) {
  Module module = parse(kHead + ("  ROOT r = " + root) + "\n}\n");
  try {
    verify_module(module, counts);
  } catch (const InputError& error) {
    CHECK(error.place().file == "test.hlo");
    CHECK(error.place().line == 12);
    CHECK(error.place().column == 3);
    return error.message();
  }
  return "";
}

void accepts(const std::string& root) {
  INFO(root);
  CHECK(refusal(root) == "");
}

void refuses(const std::string& root, const std::string& reason) {
  INFO(root);
  CHECK_THAT(refusal(root), Catch::Matchers::Contains(reason));
}

TEST_CASE("verifier: elementwise operations") {
  accepts("f32[4,6] add(x, y)");
  refuses("f32[4,5] add(x, y)", "but its operands make f32[4,6]");
  refuses("f32[4,6] add(x, k)", "operands f32[4,6] and f32[] differ");
  refuses("bf16[4,6] add(x, y)", "the result is bf16[4,6]");
  refuses("f32[4,6] add(x, w)", "not an array");
  accepts("bf16[4,6] convert(x)");
  refuses("bf16[6,4] convert(x)", "the result is bf16[6,4]");
  accepts("pred[4,6] compare(x, y), direction=LT");
  refuses("f32[4,6] compare(x, y), direction=LT", "pred[4,6]");
  refuses("s32[4,6] is-finite(x)", "element type");
  accepts("f32[4,6] select(q, x, y)");
  refuses("f32[4,6] select(x, x, y)", "not pred");
  accepts("f32[4,6] clamp(k, x, k)");
  accepts("f32[4,6] clamp(y, x, k)");
  refuses("f32[4,6] clamp(i, x, k)", "another element type");
  accepts("s32[4,6] bitcast-convert(x)");
  accepts("s8[4,6,4] bitcast-convert(x)");
  refuses("s8[4,6] bitcast-convert(x)", "widths");
  accepts("c64[4,6] complex(x, y)");
  refuses("f32[4,6] complex(x, y)", "c64[4,6]");
}

TEST_CASE("verifier: data movement") {
  accepts("f32[4,3,6] broadcast(x), dimensions={0,2}");
  refuses("f32[4,3,6] broadcast(x), dimensions={0,1}", "another size");
  refuses("f32[4,3,6] broadcast(x), dimensions={0,3}", "out of range");
  refuses("f32[4,4,6] broadcast(x), dimensions={0}", "one dimension for each dim");
  accepts("f32[24] reshape(x)");
  refuses("f32[25] reshape(x)", "another number of elements");
  refuses("s32[24] reshape(x)", "element type");
  accepts("f32[6,4] transpose(x), dimensions={1,0}");
  refuses("f32[4,6] transpose(x), dimensions={1,0}", "f32[6,4]");
  refuses("f32[6,4] transpose(x), dimensions={1,1}", "named twice");
  accepts("f32[4,12] concatenate(x, y), dimensions={1}");
  refuses("f32[4,13] concatenate(x, y), dimensions={1}", "f32[4,12]");
  refuses("f32[4,12] concatenate(x, y), dimensions={2}", "out of range");
  accepts("f32[4,6] reverse(x), dimensions={1}");
  refuses("f32[4,6] reverse(x), dimensions={2}", "out of range");
  accepts("s32[4,6] iota(), iota_dimension=1");
  refuses("s32[4,6] iota(), iota_dimension=2", "not a dim");
  accepts("f32[7,11] pad(x, k), padding=1_2x0_0_1");
  refuses("f32[7,12] pad(x, k), padding=1_2x0_0_1", "f32[7,11]");
  refuses("f32[7,6] pad(x, y), padding=1_2x0_0", "not a scalar");
  refuses("f32[4,6] pad(x, k), padding=0_0", "rank");
  refuses("f32[4,6] copy(w)", "but its operands make");
}

TEST_CASE("verifier: slices") {
  accepts("f32[2,3] slice(x), slice={[0:2],[0:6:2]}");
  refuses("f32[2,4] slice(x), slice={[0:2],[0:6:2]}", "f32[2,3]");
  refuses("f32[2,7] slice(x), slice={[0:2],[0:7]}", "no slice of a dim of size 6");
  refuses("f32[2] slice(x), slice={[0:2]}", "rank");
  accepts("f32[2,6] dynamic-slice(x, i, i), dynamic_slice_sizes={2,6}");
  refuses("f32[2,6] dynamic-slice(x, i), dynamic_slice_sizes={2,6}",
          "one start index for each dim");
  refuses("f32[2,6] dynamic-slice(x, i, k), dynamic_slice_sizes={2,6}", "not an integer");
  accepts("f32[2,6] dynamic-slice(x, v), dynamic_slice_sizes={2,6}");
  refuses("f32[2,6] dynamic-slice(x, i, v), dynamic_slice_sizes={2,6}", "not a scalar");
  refuses("f32[5,6] dynamic-slice(x, i, i), dynamic_slice_sizes={5,6}", "does not fit");
  refuses("f32[2,5] dynamic-slice(x, i, i), dynamic_slice_sizes={2,6}", "f32[2,6]");
  accepts("f32[4,6] dynamic-update-slice(x, y, i, i)");
  refuses("f32[4,6] dynamic-update-slice(x, q, i, i)", "another element type");
  refuses("f32[4,6] dynamic-update-slice(x, k, i, i)", "another rank");
}

TEST_CASE("verifier: dot and reduce") {
  accepts("f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}");
  accepts("bf16[6,4,4] dot(x, y), lhs_batch_dims={1}, rhs_batch_dims={1}");
  refuses("f32[4,6] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}", "f32[4,4]");
  refuses("f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
          "sizes 6 and 4");
  refuses("f32[4,4] dot(x, y), lhs_contracting_dims={2}, rhs_contracting_dims={1}", "out of range");
  accepts("f32[4] reduce(x, k), dimensions={1}, to_apply=add");
  refuses("f32[6] reduce(x, k), dimensions={1}, to_apply=add", "f32[4]");
  refuses("f32[4] reduce(x, k), dimensions={2}, to_apply=add", "out of range");
  refuses("f32[4] reduce(x, k), dimensions={1}, to_apply=three", "two values for each array");
  refuses("f32[4] reduce(x, y), dimensions={1}, to_apply=add", "not a scalar");
}

TEST_CASE("verifier: tuples and calls") {
  accepts("s32[] get-tuple-element(w), index=1");
  refuses("s32[] get-tuple-element(w), index=0", "f32[4,6]");
  refuses("s32[] get-tuple-element(w), index=2", "out of range for a tuple of 2");
  refuses("(f32[4,6]) tuple(i)", "(s32[])");
  accepts("f32[] call(k, k), to_apply=add");
  refuses("f32[] call(k), to_apply=add", "takes 2 arguments, not 1");
  refuses("f32[] call(k, i), to_apply=add", "argument 1 of add is s32[], not f32[]");
  refuses("s32[] call(k, k), to_apply=add", "but its operands make f32[]");
}

TEST_CASE("verifier: replica groups") {
  const std::string attributes = ", channel_id=1, use_global_device_ids=true, to_apply=add";
  accepts("f32[4,6] all-reduce(x), replica_groups={{0,1},{2,3}}" + attributes);
  accepts("f32[4,6] all-reduce(x), replica_groups={{0,1,2},{3}}" + attributes);
  refuses("f32[4,6] all-reduce(x), replica_groups={{0,1},{2,4}}" + attributes,
          "out of range for 4");
  refuses("f32[4,6] all-reduce(x), replica_groups={{0,1},{1,2}}" + attributes,
          "in two replica groups");
  refuses("f32[4,6] all-reduce(x), replica_groups={{0,1}}" + attributes, "name 2 of 4 ids");
  refuses(
      "f32[4,6] all-reduce(x), replica_groups={{0,1,2,3}}, channel_id=1, "
      "use_global_device_ids=true, to_apply=three",
      "two values");
  refuses(
      "f32[8,6] all-gather(x), replica_groups={{0,1,2},{3}}, channel_id=1, "
      "use_global_device_ids=true, dimensions={0}",
      "different sizes");
  refuses(
      "f32[16,6] all-gather(x), replica_groups={{0,1,2,3}}, use_global_device_ids=true, "
      "dimensions={0}",
      "needs a channel_id");
}

TEST_CASE("verifier: gathers and scatters against the size of their groups") {
  const std::string groups =
      ", channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true";
  accepts("f32[8,6] all-gather(x), dimensions={0}" + groups);
  refuses("f32[16,6] all-gather(x), dimensions={0}" + groups, "is not 2 shards of size 4");
  refuses("f32[8,7] all-gather(x), dimensions={0}" + groups, "f32[8,6]");
  refuses("f32[8,6] all-gather(x), dimensions={2}" + groups, "out of range");
  refuses("bf16[8,6] all-gather(x), dimensions={0}" + groups, "f32[8,6]");
  accepts("f32[4,3] reduce-scatter(x), dimensions={1}, to_apply=add" + groups);
  refuses("f32[4,2] reduce-scatter(x), dimensions={1}, to_apply=add" + groups,
          "is not 2 shards of size 2");
  accepts("(f32[8,6], f32[]) all-gather(x, k), dimensions={0}" + groups);
  refuses("(f32[8,6], f32[2]) all-gather(x, k), dimensions={0}" + groups,
          "but its operands make f32[]");
  refuses("(f32[8,6]) all-gather(x, k), dimensions={0}" + groups, "2 operands but 1 results");
}

TEST_CASE("verifier: shapes of gathers are checked against each other where counts are unknown") {
  DeviceCounts unknown;
  unknown.known = false;
  const std::string attributes = ", dimensions={0}, replica_groups={}";
  CHECK(refusal("(f32[8,6], f32[8,6]) all-gather(x, y)" + attributes, unknown) == "");
  CHECK(refusal("(f32[8,6], f32[12,6]) all-gather(x, y)" + attributes, unknown) != "");
}

TEST_CASE("verifier: all-to-alls and permutes") {
  const std::string groups = ", channel_id=1, replica_groups={{0,1},{2,3}}";
  accepts("f32[4,6] all-to-all(x), dimensions={0}" + groups);
  refuses("f32[4,6] all-to-all(x), dimensions={1}, channel_id=1, replica_groups={{0,1,2,3}}",
          "does not divide by 4");
  accepts("(f32[4,6], f32[4,6]) all-to-all(x, y)" + groups);
  refuses("(f32[4,6], f32[4,6], f32[4,6]) all-to-all(x, y, x)" + groups,
          "one operand for each member");
  refuses("(f32[4,6], pred[4,6]) all-to-all(x, q)" + groups, "different shapes");
  accepts("f32[4,6] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}");
  refuses("f32[4,6] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{2,1}}",
          "occurs twice");
  refuses("f32[4,6] collective-permute(x), channel_id=1, source_target_pairs={{0,4}}",
          "out of range for 4");
  refuses("f32[6,4] collective-permute(x), channel_id=1, source_target_pairs={{0,1}}", "f32[4,6]");
}

TEST_CASE("verifier: loops and branches") {
  auto loop = [](const std::string& condition, const std::string& body) {
    Module module = parse("HloModule m\nmore { s = s32[] parameter(0)  ROOT c = " + condition +
                          " }\nstep { s = s32[] parameter(0)  ROOT t = " + body +
                          " }\nENTRY e { x = s32[] parameter(0)\n  ROOT r = s32[] while(x), "
                          "condition=more, body=step }\n");
    verify_module(module, kFour);
  };
  CHECK_NOTHROW(loop("pred[] compare(s, s), direction=LT", "s32[] negate(s)"));
  CHECK_THROWS_WITH(
      loop("s32[] negate(s)", "s32[] negate(s)"),
      Catch::Matchers::Contains("test.hlo:5:3") && Catch::Matchers::Contains("pred scalar"));
  CHECK_THROWS_WITH(loop("pred[] compare(s, s), direction=LT", "s64[] convert(s)"),
                    Catch::Matchers::Contains("shape of the loop's state"));

  auto branch = [](const std::string& operands) {
    Module module = parse(
        "HloModule m\nf { s = s32[] parameter(0)  ROOT t = s32[] negate(s) }\n"
        "ENTRY e { b = pred[] parameter(0)  x = s32[] parameter(1)\n  ROOT r = "
        "s32[] conditional(" +
        operands + "), true_computation=f, false_computation=f }\n");
    verify_module(module, kFour);
  };
  CHECK_NOTHROW(branch("b, x, x"));
  CHECK_THROWS_WITH(branch("b, x"), Catch::Matchers::Contains("one argument for each branch"));
  CHECK_THROWS_WITH(branch("b, x, b"), Catch::Matchers::Contains("argument 0 of f is pred[]"));
}

// The editor and rules could break what the reader never lets through.
Module small() {
  return parse(
      "HloModule m\nf { a = f32[] parameter(0)  ROOT n = f32[] negate(a) }\nENTRY e { x = "
      "f32[] parameter(0)  y = f32[] negate(x)\n  ROOT r = f32[] call(y), to_apply=f }\n");
}

void refuses_broken(const Module& module, const std::string& reason) {
  CHECK_THROWS_WITH(verify_module(module, kFour), Catch::Matchers::Contains(reason));
}

TEST_CASE("verifier: a loop's state is what its body and condition take") {
  auto loop = [](const std::string& condition, const std::string& body) {
    return parse("HloModule m\nmore { s = " + condition +
                 " parameter(0)  ROOT c = pred[] constant(true) }" + "\nstep { u = " + body +
                 " parameter(0)  ROOT t = s32[] constant(1) }\nENTRY e { x = " +
                 "s32[] parameter(0)  ROOT r = s32[] while(x), condition=more, body=step }\n");
  };
  CHECK_NOTHROW(verify_module(loop("s32[]", "s32[]"), kFour));
  refuses_broken(loop("s64[]", "s32[]"), "argument 0 of more is s32[], not s64[]");
  refuses_broken(loop("s32[]", "s64[]"), "argument 0 of step is s32[], not s64[]");
}

TEST_CASE("verifier: structure") {
  Module module = small();
  CHECK_NOTHROW(verify_module(module, kFour));
  auto& entry = module.computations[module.entry];

  Module broken = module;
  std::swap(broken.computations[broken.entry].instructions[1],
            broken.computations[broken.entry].instructions[2]);
  refuses_broken(broken, "operand y is not defined earlier");

  broken = module;
  broken[id_of(broken, "y")].name = "x";
  refuses_broken(broken, "the name is taken");

  broken = module;
  broken[id_of(broken, "y")].operands[0] = id_of(broken, "a");
  refuses_broken(broken, "operand a is not defined earlier in e");

  broken = module;
  broken.computations[broken.entry].root = id_of(broken, "n");
  refuses_broken(broken, "its root is not among its instructions");

  broken = module;
  broken[entry.parameters[0]].parameter_number = 1;
  refuses_broken(broken, "parameter numbers");

  broken = module;
  std::swap(broken.order[0], broken.order[1]);
  refuses_broken(broken, "a computation that is not defined earlier");

  broken = module;
  broken[id_of(broken, "y")].operands.clear();
  refuses_broken(broken, "it has 0 operands, but takes 1");
}

TEST_CASE("verifier: operand counts of operations that it knows no more of") {
  Module module = parse(
      "HloModule m\nENTRY e { x = f32[2,2] parameter(0)  ROOT r = f32[2,2] cholesky(x), lower=true "
      "}");
  CHECK_NOTHROW(verify_module(module, kFour));
  Instruction& cholesky = module[id_of(module, "r")];
  cholesky.operands.push_back(cholesky.operands[0]);
  refuses_broken(module, "it has 2 operands, but takes 1");
}

TEST_CASE("verifier: float widths may differ once a module is scheduled") {
  auto mixed = [](const std::string& scheduled) {
    return parse("HloModule m" + scheduled +
                 "\nENTRY e { x = f32[2] parameter(0)  y = bf16[2] "
                 "parameter(1)  ROOT r = f32[2] add(x, y) }\n");
  };
  refuses_broken(mixed(""), "differ");
  CHECK_NOTHROW(verify_module(mixed(", is_scheduled=true"), kFour));
}

}  // namespace
}  // namespace flipsat::hlo
