// What may go wrong around a rewrite that is right in itself: attributes that steer the compiler or
// speak of a value, what binds an instruction to its place, and what the header promises.
#include "tests/optimizer/optimizing.h"

namespace flipsat::optimizer::testing {
namespace {

using hlo::AttributeKey;
using hlo::Opcode;

// A gather that is narrowed: without more, the convert goes first.
struct Narrowed {
  std::string header = {};        // attributes of the module
  std::string shard_layout = {};  // of x
  std::string gather = {};        // attributes of the gather
  std::string between = {};       // lines before the convert
  std::string convert = {};       // attributes of the convert
  std::string layout = {};        // of the convert

  std::string text() const {
    return program("x = f32[64,256]" + shard_layout +
                       " parameter(0)\n"
                       "g = f32[256,256] all-gather(x), dimensions={0}" +
                       kOverAll + gather + "\n" + between + "h = bf16[256,256]" + layout +
                       " convert(g)" + convert +
                       "\n"
                       "ROOT r = (bf16[256,256]" +
                       layout + ") tuple(h)\n",
                   "num_partitions=4" + header);
  }
};

std::string value_of(const hlo::Instruction& instruction, AttributeKey key) {
  const hlo::Attribute* attribute = instruction.find(key);
  return attribute ? std::string(instruction.raw_text(key)) : "none";
}

TEST_CASE("hazards: without any of them the convert goes first") {
  Optimized out(Narrowed().text());
  CHECK(out.shape_of_one(Opcode::kAllGather) == "bf16[256,256]");
}

TEST_CASE("hazards: what binds a collective to its place or its partners keeps it as it is") {
  const std::string later = "later = f32[64,256] negate(x), control-predecessors={g}\n";
  const Narrowed bound[] = {
      {.gather = ", frontend_attributes={_scheduling_group_id=\"3\"}"},
      {.gather = ", constrain_layout=true"},
      {.between = later},
      {.between = "first = f32[64,256] negate(x)\n", .convert = ", control-predecessors={first}"},
  };
  for (const Narrowed& module : bound) {
    CAPTURE(module.text());
    CHECK(Optimized(module.text()).is_unchanged());
  }
}

TEST_CASE("hazards: attributes that steer a collective's combining go with it") {
  for (const std::string key : {"collective_group_key", "combiner_key"}) {
    const std::string attribute = "{" + key + "=\"a\"}";
    Optimized out(Narrowed{.gather = ", frontend_attributes=" + attribute}.text());
    CHECK(value_of(out.one(Opcode::kAllGather), AttributeKey::kFrontendAttributes) == attribute);
    CHECK(value_of(out.one(Opcode::kConvert), AttributeKey::kFrontendAttributes) == "none");
  }
}

TEST_CASE("hazards: gathers with different combining keys are not made one") {
  const auto sum = [](const std::string& key) {
    return program(
        "x = f32[64,256] parameter(0)\n"
        "y = f32[64,256] parameter(1)\n"
        "gx = f32[256,256] all-gather(x), dimensions={0}" +
        in_groups("{{0,1,2,3}}", 1) +
        ", frontend_attributes={combiner_key=\"a\"}\n"
        "gy = f32[256,256] all-gather(y), dimensions={0}" +
        in_groups("{{0,1,2,3}}", 2) + ", frontend_attributes={combiner_key=\"" + key +
        "\"}\n"
        "ROOT s = f32[256,256] add(gx, gy)\n");
  };
  CHECK(Optimized(sum("b")).is_unchanged());
  Optimized out(sum("a"));
  CHECK(value_of(out.one(Opcode::kAllGather), AttributeKey::kFrontendAttributes) ==
        "{combiner_key=\"a\"}");
}

TEST_CASE("hazards: a backend's configuration stays with its own instruction") {
  Optimized out(
      Narrowed{.gather = ", backend_config={\"g\":1}", .convert = ", backend_config={\"c\":2}"}
          .text());
  CHECK(value_of(out.one(Opcode::kAllGather), AttributeKey::kBackendConfig) == "{\"g\":1}");
  CHECK(value_of(out.one(Opcode::kConvert), AttributeKey::kBackendConfig) == "{\"c\":2}");
}

TEST_CASE("hazards: what is said of a value is said of its new definition, and of nothing else") {
  const std::string sharding = "{devices=[4,1]<=[4]}", origin = "{{\"half\" {}}}",
                    statistics = "{visualizing_index=0,a=1}";
  Optimized out(Narrowed{
      .gather = ", sharding={replicated}, origin={{\"full\" {}}}",
      .convert = ", sharding=" + sharding + ", origin=" + origin + ", statistics=" + statistics}
                    .text());
  const hlo::Instruction& half = out.one(Opcode::kAllGather);
  CHECK(value_of(half, AttributeKey::kSharding) == sharding);
  CHECK(value_of(half, AttributeKey::kOrigin) == origin);
  CHECK(value_of(half, AttributeKey::kStatistics) == statistics);
  const hlo::Instruction& shard = out.one(Opcode::kConvert);
  CHECK(value_of(shard, AttributeKey::kSharding) == "none");
  CHECK(value_of(shard, AttributeKey::kOrigin) == "none");
}

TEST_CASE("hazards: a value keeps its layout, whatever computes it") {
  Optimized out(Narrowed{.shard_layout = "{0,1}", .layout = "{0,1}"}.text());
  CHECK(to_string(out.one(Opcode::kAllGather).shape) == "bf16[256,256]{0,1}");
}

TEST_CASE("hazards: layouts with tiles or a memory space keep an instruction as it is") {
  for (const std::string layout : {"{1,0:T(8,128)}", "{1,0:S(5)}"}) {
    CAPTURE(layout);
    CHECK(Optimized(Narrowed{.layout = layout}.text()).is_unchanged());
  }
}

TEST_CASE("hazards: the header's promises about parameters and results are left as they are") {
  const std::string header =
      ", input_output_alias={ {0}: (1, {}, may-alias) }, buffer_donor={ (0, {}) }, "
      "entry_computation_layout={(f32[64,256]{1,0}, bf16[256,256]{1,0})->(bf16[256,256]{1,0})}";
  const std::string text = program(
      "x = f32[64,256] parameter(0)\n"
      "old = bf16[256,256] parameter(1)\n"
      "g = f32[256,256] all-gather(x), dimensions={0}" +
          kOverAll +
          "\n"
          "h = bf16[256,256] convert(g)\n"
          "ROOT r = (bf16[256,256]) tuple(h)\n",
      "num_partitions=4" + header);
  Optimized out(text);
  CHECK_FALSE(out.is_unchanged());
  CHECK(out.text.substr(0, out.text.find('\n')) == text.substr(0, text.find('\n')));
  CHECK(contains(out.text, "old = bf16[256,256] parameter(1)"));
}

TEST_CASE("hazards: a started gather and its end are left as they are") {
  const std::string text = program(
      "x = f32[64,256] parameter(0)\n"
      "s = (f32[64,256], f32[256,256]) all-gather-start(x), dimensions={0}" +
      kOverAll +
      "\n"
      "g = f32[256,256] all-gather-done(s)\n"
      "ROOT h = bf16[256,256] convert(g)\n");
  CHECK(Optimized(text).is_unchanged());
}

TEST_CASE("hazards: what has effects reads the new value, and stays where it is") {
  Optimized out(Narrowed{.between = "t = token[] after-all()\n"
                                    "o = token[] outfeed(g, t), outfeed_shape=f32[256,256]\n"
                                    "k = f32[256,256] custom-call(x), custom_call_target=\"f\", "
                                    "custom_call_has_side_effect=true\n"}
                    .text());
  // The outfeed wants the wide value: both are gathered, or neither; in any case it is there.
  CHECK(contains(out.text, "o = token[] outfeed(g, t), outfeed_shape=f32[256,256]\n"));
  CHECK(contains(out.text, "custom_call_has_side_effect=true\n"));
}

TEST_CASE("hazards: dims of a size known at run time keep an instruction as it is") {
  const std::string text = program(
      "x = f32[64,<=256] parameter(0)\n"
      "g = f32[256,<=256] all-gather(x), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT h = bf16[256,<=256] convert(g)\n");
  CHECK(Optimized(text).is_unchanged());
}

TEST_CASE("hazards: packed elements stay packed") {
  Optimized out(
      program("x = s32[64,256]{1,0} parameter(0)\n"
              "g = s32[256,256]{1,0} all-gather(x), dimensions={0}" +
              kOverAll +
              "\n"
              "ROOT h = s4[256,256]{1,0:E(4)} convert(g)\n"));
  CHECK(to_string(out.one(Opcode::kAllGather).shape) == "s4[256,256]{1,0:E(4)}");
  CHECK(to_string(out.one(Opcode::kConvert).shape) == "s4[64,256]{1,0:E(4)}");
  // A byte an element and half a byte an element are not the same bits.
  const std::string unpacked = program(
      "x = s4[64,256]{1,0:E(4)} parameter(0)\n"
      "g = s4[256,256]{1,0} all-gather(x), dimensions={0}" +
      kOverAll + "\nROOT h = s4[256,256]{1,0} negate(g)\n");
  CHECK(Optimized(unpacked).is_unchanged());
}

TEST_CASE("hazards: a domain's border is not crossed") {
  const std::string text = program(
      "x = f32[64,256] parameter(0)\n"
      "g = f32[256,256] all-gather(x), dimensions={0}" +
      kOverAll +
      "\n"
      "d = f32[256,256] domain(g), domain={kind=\"sharding\", entry={replicated}, "
      "exit={devices=[4,1]<=[4]}}\n"
      "ROOT h = bf16[256,256] convert(d)\n");
  CHECK(Optimized(text).is_unchanged());
}

TEST_CASE("hazards: numbers of channels between programs are not given again") {
  Optimized out(
      program("x = f32[64,256] parameter(0)\n"
              "y = f32[64,256] parameter(1)\n"
              "gx = f32[256,256] all-gather(x), dimensions={0}" +
              in_groups("{{0,1,2,3}}", 1) +
              "\n"
              "gy = f32[256,256] all-gather(y), dimensions={0}" +
              in_groups("{{0,1,2,3}}", 2) +
              "\n"
              "t = token[] after-all()\n"
              "s = (f32[64,256], u32[], token[]) send(x, t), channel_id=7, "
              "is_host_transfer=true\n"
              "e = token[] send-done(s), channel_id=7, is_host_transfer=true\n"
              "ROOT a = f32[256,256] add(gx, gy)\n"));
  CHECK(out.one(Opcode::kAllGather).channel_id() == 8);
  CHECK(contains(out.text, "send(x, t), channel_id=7"));
}

}  // namespace
}  // namespace flipsat::optimizer::testing
