// Asynchronous pairs, tokens, and what passes its operand on.
#include "tests/verify/numbers_of.h"

using namespace flipsat::verify;
using namespace flipsat::verify::testing;

namespace {

const std::string kId =
    "p = u32[] partition-id()\npf = f32[] convert(p)\nx = f32[2] broadcast(pf), dimensions={}\n";

std::string twice(const std::string& start, const std::string& done) { return kId + start + done; }

}  // namespace

TEST_CASE("asynchronous collectives are the plain ones") {
  CHECK(on_device(1, twice("s = (f32[2], f32[8]) all-gather-start(x), dimensions={0}" + kAll + "\n",
                           "ROOT d = f32[8] all-gather-done(s)\n")) ==
        Values{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(on_device(1, twice("s = f32[2] all-reduce-start(x), to_apply=add_f32" + kAll + "\n",
                           "ROOT d = f32[2] all-reduce-done(s)\n")) == Values{6, 6});
  CHECK(on_device(1, twice("s = (f32[2], f32[2], u32[], u32[]) collective-permute-start(x), "
                           "channel_id=1, source_target_pairs={{3,1},{1,3}}\n",
                           "ROOT d = f32[2] collective-permute-done(s)\n")) == Values{3, 3});
  CHECK(on_device(2, twice("s = (f32[2], f32[2], u32[]) copy-start(x)\n",
                           "ROOT d = f32[2] copy-done(s)\n")) == Values{2, 2});
  CHECK(on_device(2, twice("s = ((f32[2], f32[2]), (f32[4], f32[4])) all-gather-start(x, x), "
                           "dimensions={0}" +
                               kPairs + "\nd = (f32[4], f32[4]) all-gather-done(s)\n",
                           "ROOT r = f32[4] get-tuple-element(d), index=1\n")) ==
        Values{2, 2, 3, 3});
}

TEST_CASE("an asynchronous computation is a call") {
  std::string computation =
      "run {\n  a = f32[2] parameter(0)\n"
      "  ROOT r = f32[1] reduce-scatter(a), dimensions={0}, to_apply=add_f32" +
      kPairs + "\n}\n";
  CHECK(on_device(3,
                  twice("s = ((f32[2]), f32[1], u32[]) async-start(x), calls=run\n",
                        "u = ((f32[2]), f32[1], u32[]) async-update(s)\n"
                        "ROOT d = f32[1] async-done(u)\n"),
                  "num_partitions=4", computation) == Values{5});
  CHECK(on_device(3, twice("s = ((f32[2]), f32[1]) reduce-scatter-start(x), dimensions={0}, "
                           "to_apply=add_f32" +
                               kPairs + "\n",
                           "ROOT d = f32[1] reduce-scatter-done(s)\n")) == Values{5});
  CHECK(on_device(1, twice("s = ((f32[2]), f32[2]) all-to-all-start(x), dimensions={0}, "
                           "channel_id=1, replica_groups={{0,1},{2,3}}\n",
                           "ROOT d = f32[2] all-to-all-done(s)\n")) == Values{0, 1});
}

TEST_CASE("a start hands its operand on as well") {
  CHECK(on_device(3, twice("s = (f32[2], f32[8]) all-gather-start(x), dimensions={0}" + kAll + "\n",
                           "d = f32[8] all-gather-done(s)\n"
                           "ROOT r = f32[2] get-tuple-element(s), index=0\n")) == Values{3, 3});
}

TEST_CASE("a broadcast between devices is its first member's") {
  CHECK(on_device(2, kId + "ROOT b = f32[2] collective-broadcast(x), channel_id=1, "
                           "replica_groups={{1,0},{3,2}}\n") == Values{3, 3});
}

TEST_CASE("a synchronous collective may become an asynchronous pair") {
  std::string x = "x = f32[2] parameter(0)\n";
  std::string plain = x + "ROOT g = f32[8] all-gather(x), dimensions={0}" + kAll + "\n";
  auto pair = [&](const std::string& groups) {
    return x +
           "s = (f32[2], f32[8]) all-gather-start(x), dimensions={0}, channel_id=1, "
           "replica_groups=" +
           groups +
           ", use_global_device_ids=true\n"
           "ROOT g = f32[8] all-gather-done(s)\n";
  };
  CHECK(verdict(plain, pair("{{0,1,2,3}}")) == "same");
  CHECK(verdict(plain, pair("{{0,2,1,3}}")) == "different");
}

TEST_CASE("domains, dependencies and barriers pass their operand on") {
  std::string x = "x = f32[2] parameter(0)\n";
  CHECK(verdict(x + "ROOT n = f32[2] negate(x)\n",
                x + "t = token[] after-all()\nd = f32[2] add-dependency(x, t)\n"
                    "e = f32[2] domain(d), domain={kind=\"sharding\", entry={replicated}, "
                    "exit={replicated}}\nb = f32[2] opt-barrier(e)\nROOT n = f32[2] negate(b)\n") ==
        "same");
}

TEST_CASE("an effect that takes another token is another") {
  auto feeds = [](const std::string& first, const std::string& second) {
    return "x = f32[2] parameter(0)\nt = token[] after-all()\nz = token[] after-all()\n"
           "o = token[] outfeed(x, " +
           first +
           "), outfeed_shape=f32[2]\n"
           "q = token[] outfeed(x, " +
           second +
           "), outfeed_shape=f32[2]\n"
           "ROOT r = f32[2] negate(x)\n";
  };
  CHECK(verdict(feeds("t", "o"), feeds("t", "o")) == "same");
  CHECK(verdict(feeds("t", "o"), feeds("z", "o")) == "same");  // written twice
  CHECK(verdict(feeds("t", "o"), feeds("t", "t")) != "same");
}

TEST_CASE("the size of a static dim is a number") {
  CHECK(on_one("v = f32[3,5] constant({...})\nROOT n = s32[] get-dimension-size(v), "
               "dimensions={1}\n") == Values{5});
}
