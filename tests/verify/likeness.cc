// Values changed in the same way share a proof; those that only look alike do not.
#include "tests/catch.h"
#include "tests/verify/programs.h"

using namespace flipsat::verify;
using namespace flipsat::verify::testing;

namespace {

constexpr int kLayers = 6;

// Every layer gathers a weight and slices its columns; afterwards it slices first. `odd` is what
// the last layer has instead.
struct Layer {
  std::string weight = "w#";
  std::string start = "at";
  std::string groups = "{{0,1,2,3}}";
};

std::string module(const Layer& odd, bool is_after) {
  std::string text = "at = s32[] parameter(0)\np = u32[] partition-id()\nps = s32[] convert(p)\n";
  for (int k = 0; k < kLayers; ++k) {
    text += "w" + std::to_string(k) + " = f32[16,8] parameter(" + std::to_string(k + 1) + ")\n";
  }
  text += "zero = s32[] constant(0)\n";
  std::string results, types;
  for (int k = 0; k < kLayers; ++k) {
    bool last = k + 1 == kLayers;
    Layer layer = last ? odd : Layer{};
    std::string n = std::to_string(k);
    if (size_t at = layer.weight.find('#'); at != std::string::npos) layer.weight.replace(at, 1, n);
    std::string gather = " all-gather(",
                attributes = "), dimensions={0}, channel_id=1, replica_groups=" + layer.groups +
                             ", use_global_device_ids=true\n";
    if (is_after) {
      text += "l" + n + " = f32[16,2] dynamic-slice(" + layer.weight + ", zero, " + layer.start +
              "), dynamic_slice_sizes={16,2}\nn" + n + " = f32[64,2]" + gather + "l" + n +
              attributes;
    } else {
      // What it was is the same in every layer.
      Layer plain;
      text += "g" + n + " = f32[64,8] all-gather(w" + n + "), dimensions={0}" + kAll + "\nn" + n +
              " = f32[64,2] dynamic-slice(g" + n + ", zero, " + plain.start +
              "), dynamic_slice_sizes={64,2}\n";
    }
    text += "m" + n + " = f32[64,2] negate(n" + n + ")\n";
    results += (k ? ", m" : "m") + n;
    types += k ? ", f32[64,2]" : "f32[64,2]";
  }
  return text + "ROOT t = (" + types + ") tuple(" + results + ")\n";
}

Result compared(const Layer& odd) {
  Options options;
  options.assume_replicated = {"at"};
  return compare(program(module(odd, false)), program(module(odd, true)), options);
}

}  // namespace

TEST_CASE("six layers changed alike are one proof") {
  Result result = compared({});
  CHECK(result.verdict == Verdict::kSame);
  CHECK(result.values == kLayers);
  Options options;
  options.assume_replicated = {"at"};
  int64_t one = 0;
  {
    // The same module with a single layer costs as many elements.
    std::string x =
        "at = s32[] parameter(0)\nw = f32[16,8] parameter(1)\nzero = s32[] constant(0)\n";
    Result single = compare(
        program(x + "g = f32[64,8] all-gather(w), dimensions={0}" + kAll +
                "\nROOT n = f32[64,2] dynamic-slice(g, zero, at), dynamic_slice_sizes={64,2}\n"),
        program(x +
                "l = f32[16,2] dynamic-slice(w, zero, at), dynamic_slice_sizes={16,2}\n"
                "ROOT n = f32[64,2] all-gather(l), dimensions={0}" +
                kAll + "\n"),
        options);
    CHECK(single.verdict == Verdict::kSame);
    one = single.elements;
  }
  CHECK(result.elements == one);
}

TEST_CASE("the last of six layers is wrong in one thing") {
  Layer weight;
  weight.weight = "w0";
  Layer groups;
  groups.groups = "{{0,2,1,3}}";
  Layer start;
  start.start = "zero";
  Layer device;
  device.start = "ps";  // differs between devices, as `at` does not
  for (const Layer& odd : {weight, groups, start, device}) {
    Result result = compared(odd);
    CHECK(result.verdict == Verdict::kDifferent);
    REQUIRE(result.differences.size() == 1);
    CHECK(result.differences[0].instruction == "n5");
  }
}

TEST_CASE("what is known of a value is part of the likeness") {
  // Both layers do the same to a parameter of their own; one of them is equal on all devices.
  std::string parameters =
      "x = f32[8] parameter(0)\ny = f32[8] parameter(1)\n"
      "four = f32[] constant(4)\nb = f32[8] broadcast(four), dimensions={}\n";
  std::string before = parameters + "a = f32[8] all-reduce(x), to_apply=add_f32" + kAll +
                       "\nc = f32[8] all-reduce(y), to_apply=add_f32" + kAll +
                       "\nROOT t = (f32[8], f32[8]) tuple(a, c)\n";
  std::string after = parameters +
                      "a = f32[8] multiply(x, b)\nc = f32[8] multiply(y, b)\n"
                      "ROOT t = (f32[8], f32[8]) tuple(a, c)\n";
  Options options;
  options.assume_replicated = {"x"};
  Result result = compare(program(before), program(after), options);
  CHECK(result.verdict == Verdict::kDifferent);
  REQUIRE(result.differences.size() == 1);
  CHECK(result.differences[0].instruction == "c");
  options.assume_replicated = {"x", "y"};
  CHECK(verdict(before, after, options) == "same");
}

TEST_CASE("which values are the same is part of the likeness") {
  std::string x = "x = f32[8] parameter(0)\ny = f32[8] parameter(1)\n";
  std::string before =
      x +
      "u = f32[8] add(x, x)\na = f32[8] negate(u)\nv = f32[8] add(x, y)\nb = f32[8] negate(v)\n"
      "ROOT t = (f32[8], f32[8]) tuple(a, b)\n";
  std::string after =
      x +
      "q = f32[8] add(x, x)\na = f32[8] negate(q)\nr = f32[8] add(y, y)\nb = f32[8] negate(r)\n"
      "ROOT t = (f32[8], f32[8]) tuple(a, b)\n";
  Result result = compare(program(before), program(after), {});
  CHECK(result.verdict == Verdict::kDifferent);
}
