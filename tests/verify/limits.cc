// What full means, and that no two modules bring the verifier down or keep it forever.
#include "tests/catch.h"
#include "tests/length.h"
#include "tests/verify/programs.h"
#include "verify/numbers.h"

using namespace flipsat::verify;
using namespace flipsat::verify::testing;

namespace {

Options full() {
  Options options;
  options.level = Options::Level::kFull;
  return options;
}

// y in place of one element of x.
std::string but_one(const std::string& shape, int64_t element) {
  return "x = f32[" + shape + "] parameter(0)\ny = f32[" + shape + "] parameter(1)\ni = s32[" +
         shape + "] iota(), iota_dimension=0\nk = s32[] constant(" + std::to_string(element) +
         ")\nb = s32[" + shape + "] broadcast(k), dimensions={}\np = pred[" + shape +
         "] compare(i, b), direction=EQ\nROOT r = f32[" + shape + "] select(p, y, x)\n";
}

std::string unchanged(const std::string& shape) {
  return "x = f32[" + shape + "] parameter(0)\ny = f32[" + shape + "] parameter(1)\nROOT r = f32[" +
         shape + "] copy(x)\n";
}

NumberOptions little_work() {
  NumberOptions options;
  options.work = 100000;
  return options;
}

std::string chain(int length, const std::string& line) {
  std::string text;
  for (int k = 1; k <= length; ++k) {
    std::string next = line;
    for (size_t at; (at = next.find('#')) != std::string::npos;)
      next.replace(at, 1, std::to_string(k));
    for (size_t at; (at = next.find('@')) != std::string::npos;) {
      next.replace(at, 1, std::to_string(k - 1));
    }
    text += next;
  }
  return text;
}

}  // namespace

TEST_CASE("full looks at every element of every device") {
  CHECK(verdict(unchanged("70000"), but_one("70000", 54321), full()) == "different");
  CHECK(verdict(unchanged("70000"), but_one("70000", 70000), full()) == "same");
  // On one device of many, and one element.
  auto on_one = [](const std::string& device) {
    return but_one("5000", 4321) + "d = u32[] partition-id()\nc = u32[] constant(" + device +
           ")\nq = pred[] compare(c, d), direction=EQ\nROOT s = f32[5000] select(q, r, x)\n";
  };
  std::string text = on_one("37");
  text.replace(text.find("ROOT r"), 6, "r");
  auto before = program(unchanged("5000"), "num_partitions=48");
  CHECK(verdict(before, program(text, "num_partitions=48"), full()) == "different");
  Result all = compare(before, before, full());
  CHECK(all.verdict == Verdict::kSame);
  Result copied = compare(program(unchanged("5000"), "num_partitions=48"),
                          program("x = f32[5000] parameter(0)\ny = f32[5000] parameter(1)\n"
                                  "n = f32[50,100] reshape(x)\nROOT q = f32[5000] reshape(n)\n",
                                  "num_partitions=48"),
                          full());
  CHECK(copied.verdict == Verdict::kSame);
  CHECK(copied.elements == 5000 * 48);
}

TEST_CASE("full of more than can be looked at is not checked") {
  std::string before = "x = f32[100000,1000] parameter(0)\nROOT r = f32[100000,1000] copy(x)\n";
  std::string after =
      "x = f32[100000,1000] parameter(0)\nn = f32[100000000] reshape(x)\n"
      "ROOT q = f32[100000,1000] reshape(n)\n";
  CHECK(verdict(before, after) == "same");
  CHECK(verdict(before, after, full()) == "not checked: q: more work than is allowed");
  Options little = full();
  little.work = 1000;
  CHECK(verdict(unchanged("5000"), but_one("5000", 5000), little) ==
        "not checked: r: more work than is allowed");
}

TEST_CASE("chains of choices and extremes end") {
  std::string start =
      "x = f32[4] parameter(0)\ny = f32[4] parameter(1)\np = pred[4] parameter(2)\nv0 = f32[4] "
      "negate(x)\n";
  // Deeper than a stack is, were one step of it a call.
  const int deep = flipsat::testing::length<int>({4000, 4000}, {4000, 1000});
  std::string select = chain(deep, "w# = f32[4] select(p, y, v@)\nv# = f32[4] negate(w#)\n");
  std::string ends = "ROOT r = bf16[4] convert(v" + std::to_string(deep) + ")\n";
  std::string doubles =
      chain(60,
            "a# = f32[4] exponential(v@)\nq# = pred[4] compare(v@, a#), direction=LT\n"
            "u# = f32[4] select(q#, v@, y)\nv# = f32[4] select(p, v@, u#)\n");
  std::string extremes = chain(deep, "b# = f32[4] add(y, v@)\nv# = f32[4] maximum(b#, v@)\n");
  for (const std::string& body :
       {select + ends, doubles + "ROOT r = bf16[4] convert(v60)\n", extremes + ends}) {
    std::string before = start + body;
    std::string after = before;
    after.replace(after.find("negate(x)"), 9, "negate(y)");
    CHECK(verdict(before, before) == "same");
    CHECK(verdict(before, after) != "same");
  }
}

TEST_CASE("calls that double at every level run out of work") {
  std::string computations = "f0 {\n  a = f32[4] parameter(0)\n  ROOT r = f32[4] negate(a)\n}\n";
  computations += chain(40,
                        "f# {\n  a = f32[4] parameter(0)\n  b = f32[4] call(a), to_apply=f@\n"
                        "  c = f32[4] call(b), to_apply=f@\n  ROOT r = f32[4] add(b, c)\n}\n");
  std::string x = "x = f32[4] parameter(0)\n";
  auto before =
      program(x + "ROOT r = f32[4] call(x), to_apply=f40\n", "num_partitions=4", computations);
  auto after = program(x + "n = f32[4] negate(x)\nROOT q = f32[4] call(n), to_apply=f40\n",
                       "num_partitions=4", computations);
  CHECK(verdict(before, after) != "same");
  CHECK(!run_on_numbers(before, little_work()).ran);
}

TEST_CASE("arrays of any size") {
  for (const char* shape :
       {"4611686018427387904", "72057594037927936,100", "0", "0,4611686018427387904"}) {
    INFO(shape);
    std::string s = shape;
    std::string before = "x = f32[" + s + "] parameter(0)\nROOT r = f32[" + s + "] negate(x)\n";
    std::string after = "x = f32[" + s + "] parameter(0)\nc = f32[" + s +
                        "] copy(x)\nROOT q = f32[" + s + "] negate(c)\n";
    CHECK(verdict(before, before) == "same");
    std::string answer = verdict(before, after);
    CHECK((answer == "same" || answer.substr(0, 11) == "not checked"));
    if (s[0] != '0') CHECK(!run_on_numbers(program(before), {}).ran);
  }
}

TEST_CASE("any two programs with one signature can be compared") {
  std::string x = "x = f32[4] parameter(0)\n";
  const std::vector<std::string> bodies = {
      "ROOT r = f32[4] negate(x)\n",
      "ROOT r = f32[4] copy(x)\n",
      "t = token[] after-all()\nROOT r = f32[4] add-dependency(x, t)\n",
      "t = (f32[4], f32[4]) tuple(x, x)\nROOT r = f32[4] get-tuple-element(t), index=1\n",
      "c = (f32[4], token[]) custom-call(x), custom_call_target=\"f\"\nROOT r = f32[4] "
      "get-tuple-element(c), index=0\n",
      "ROOT r = f32[4] all-reduce(x), to_apply=add_f32, replica_groups={{0,1},{2,3}}\n",
      "ROOT r = f32[4] all-reduce(x), to_apply=add_f32, channel_id=1, "
      "replica_groups={{0,1,2,3,4,5,6,7}}, use_global_device_ids=true\n",
      "s = f32[1] slice(x), slice={[0:1]}\nROOT r = f32[4] all-gather(s), dimensions={0}, "
      "channel_id=1, replica_groups={{3,1,0,2}}, use_global_device_ids=true\n",
      "n = s32[] constant(2)\nd = f32[<=4] set-dimension-size(x, n), dimensions={0}\nROOT r = "
      "f32[4] negate(d)\n",
      "p = pred[] constant(true)\nROOT r = f32[4] conditional(p, x, x), true_computation=same, "
      "false_computation=minus\n",
      "i = s32[] constant(0)\ns = (s32[], f32[4]) tuple(i, x)\nw = (s32[], f32[4]) while(s), "
      "condition=forever, body=step\n"
      "ROOT r = f32[4] get-tuple-element(w), index=1\n",
      "b = u8[4,4] bitcast-convert(x)\nROOT r = f32[4] bitcast-convert(b)\n",
      "f = f32[] constant(0)\ng = f32[] constant(1)\nROOT r = f32[4] rng(f, g), "
      "distribution=rng_uniform\n",
      "ROOT r = f32[4] sort(x), dimensions={0}, to_apply=lt\n",
      "ROOT r = f32[4] map(x), dimensions={0}, to_apply=flip\n",
      "ROOT r = f32[4] fusion(x), kind=kLoop, calls=minus\n",
      "ROOT r = f32[4] constant({...})\n",
      "z = f32[0] constant({})\nROOT r = f32[4] concatenate(x, z), dimensions={0}\n",
  };
  std::string computations =
      "same {\n  a = f32[4] parameter(0)\n  ROOT r = f32[4] copy(a)\n}\n"
      "minus {\n  a = f32[4] parameter(0)\n  ROOT r = f32[4] negate(a)\n}\n"
      "forever {\n  s = (s32[], f32[4]) parameter(0)\n  ROOT t = pred[] constant(true)\n}\n"
      "step {\n  ROOT s = (s32[], f32[4]) parameter(0)\n}\n"
      "lt {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] compare(a, b), "
      "direction=LT\n}\n"
      "flip {\n  a = f32[] parameter(0)\n  ROOT c = f32[] negate(a)\n}\n";
  std::vector<flipsat::hlo::Module> modules;
  for (const char* header :
       {"num_partitions=4", "replica_count=2, num_partitions=2", "is_scheduled=false"}) {
    for (const std::string& body : bodies) {
      // Text order of computations: callees first.
      modules.push_back(program(x + body, header, computations));
    }
  }
  modules.push_back(
      program("x = f32[4] parameter(0)\ny = f32[4] parameter(1)\nROOT r = f32[4] add(x, y)\n"));
  modules.push_back(program("x = f32[5] parameter(0)\nROOT r = f32[5] negate(x)\n"));
  modules.push_back(program(
      "x = (f32[4], token[]) parameter(0)\nROOT r = f32[4] get-tuple-element(x), index=0\n"));
  int same = 0;
  for (const auto& before : modules) {
    CHECK(verdict(before, before) == "same");
    for (const auto& after : modules) {
      Options options;
      options.work = 3'000'000;
      same += compare(before, after, options).verdict == Verdict::kSame;
      options.level = Options::Level::kFull;
      options.numerics = flipsat::hlo::Numerics::kReassoc;
      compare(before, after, options);
      compare_on_numbers(before, after, little_work());
    }
  }
  CHECK(same >= static_cast<int>(modules.size()));
}

TEST_CASE("operations whose attributes do not fit are not checked") {
  std::string inputs =
      "x = f32[6,4] parameter(0)\ni = s32[3,1] parameter(1)\nu = f32[3,4] parameter(2)\nz = f32[] "
      "constant(0)\n";
  const std::vector<std::string> bodies = {
      "ROOT r = f32[3,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={5}, "
      "index_vector_dim=1, slice_sizes={1,4}\n",
      "ROOT r = f32[3,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1,9}\n",
      "ROOT r = f32[3,7] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1,4}\n",
      "ROOT r = f32[6,4] scatter(x, i, u), update_window_dims={7}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f32\n",
      "ROOT r = f32[6,4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f32\n",
      "ROOT r = f32[6,4] reduce-window(x, z), window={size=2x2x2}, to_apply=add_f32\n",
      "ROOT r = f32[6,4] reduce-window(x, z), window={size=2x4294967296}, to_apply=add_f32\n",
      "ROOT r = f32[6,3] convolution(x, u), dim_labels=bf_io->bf\n",
      "ROOT r = f32[6,3] convolution(x, u), dim_labels=b0f_io0->bf0\n",
      "ROOT r = f32[6,3] convolution(x, u), dim_labels=bf_oi->bf, feature_group_count=0\n",
      "ROOT r = f32[3,3] cholesky(z), lower=true\n",
      "ROOT r = f32[6,4] fft(x), fft_type=FFT, fft_length={1,2,3}\n",
  };
  for (const std::string& body : bodies) {
    INFO(body);
    auto module = program(inputs + body);
    NumberRun run = run_on_numbers(module, {});
    CHECK(!run.ran);
    // The same on another operand.
    std::string other = inputs + "n = f32[6,4] negate(x)\nm = f32[] negate(z)\n" + body;
    size_t first = other.find('(', other.find("ROOT")) + 1;
    other[first] = other[first] == 'x' ? 'n' : 'm';
    CHECK(verdict(module, module) == "same");
    CHECK(verdict(module, program(other)) != "same");
  }
}
