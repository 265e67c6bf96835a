#include "tools/batch/entry.h"

#include <set>

#include "tests/catch.h"
#include "tools/batch/cache.h"
#include "tools/batch/digest.h"
#include "tools/batch/progress.h"
#include "tools/memory.h"
#include "tools/usage_error.h"

using namespace flipsat;
using namespace flipsat::tools;

namespace {

constexpr const char* kGains = R"(HloModule gains, num_partitions=4

ENTRY main {
  p = f32[8,64] parameter(0)
  g = f32[32,64] all-gather(p), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  ROOT c = bf16[32,64] convert(g)
}
)";

std::string key(const OptimizerArguments& arguments) {
  return key_of(identity_of(arguments, optimizer_options(arguments)), kGains);
}

}  // namespace

TEST_CASE("batch entries: what was solved comes back from its bytes") {
  const Entry entry = solve(kGains, "gains.hlo", {});
  CHECK(entry.error.empty());
  CHECK(entry.figures.is_improved);
  CHECK_FALSE(entry.is_input);
  CHECK(entry.output_digest == sha256(entry.output));
  CHECK(entry.record.starts_with("      \"headline\": "));
  const std::optional<Entry> again = decode(encode(entry));
  REQUIRE(again);
  CHECK(again->record == entry.record);
  CHECK(again->output == entry.output);
  CHECK(again->output_digest == entry.output_digest);
  CHECK(again->figures.time == entry.figures.time);
  CHECK(again->figures.changes == entry.figures.changes);
}

TEST_CASE("batch entries: an input that nothing improves is not kept once more") {
  const Entry entry = solve(solve(kGains, "a", {}).output, "a", {});
  CHECK(entry.is_input);
  CHECK(entry.output.empty());
  CHECK(output_file(entry, "the input") == "the input");
}

TEST_CASE("batch entries: damage is seen") {
  const std::string bytes = encode(solve(kGains, "gains.hlo", {}));
  for (size_t at = 0; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    CHECK_FALSE(decode(damaged));
    CHECK_FALSE(decode(std::string_view(bytes).substr(0, at)));
  }
  CHECK_FALSE(decode(bytes + "x"));
}

TEST_CASE("batch entries: a failure is told by the name of the file that it is asked for") {
  const std::string broken = "HloModule m\nENTRY main {\n  ROOT x = f32[2] nonsense(\n}\n";
  const Entry entry = *decode(encode(solve(broken, "first.hlo", {})));
  CHECK(entry.is_lasting);
  CHECK(error_of(entry, "second.hlo").starts_with("second.hlo:3:"));
  CHECK(error_of(entry, "first.hlo").starts_with("first.hlo:3:"));
}

TEST_CASE("batch keys: whatever can change a result makes another") {
  const std::string base = key({});
  CHECK(base == key({}));
  OptimizerArguments same;
  same.threads = 7;
  same.memory = "4G";
  CHECK(key(same) == base);
  CHECK(key_of("one", kGains) != key_of("another", kGains));
  CHECK(key_of("one", "a") != key_of("one", "b"));
  std::set<std::string> keys = {base};
  const auto differs = [&](auto change) {
    OptimizerArguments arguments;
    change(arguments);
    CHECK(keys.insert(key(arguments)).second);
  };
  differs([](auto& a) { a.devices.replicas = 2; });
  differs([](auto& a) { a.devices.partitions = 2; });
  differs([](auto& a) { a.cost.combiner = "none"; });
  differs([](auto& a) { a.cost.machine = "h100"; });
  differs([](auto& a) { a.cost.objective = "bytes"; });
  differs([](auto& a) { a.numerics = "precise"; });
  differs([](auto& a) { a.bitwise = true; });
  differs([](auto& a) { a.assume_finite = true; });
  differs([](auto& a) { a.disable = {"gather-convert"}; });
  differs([](auto& a) { a.only = {"gather-convert"}; });
  differs([](auto& a) { a.assume_replicated = {"p"}; });
  differs([](auto& a) { a.min_gain = 1; });
  differs([](auto& a) { a.max_peak_growth = 1; });
  differs([](auto& a) { a.node_limit = 100; });
  differs([](auto& a) { a.effort = 5; });
  differs([](auto& a) { a.time_limit = 5; });
  differs([](auto& a) { a.hoist = true; });
  differs([](auto& a) { a.emit_combined = true; });
  differs([](auto& a) { a.no_greedy_seed = true; });
  differs([](auto& a) { a.beat_orders = true; });
  differs([](auto& a) { a.alternatives = 2; });
  differs([](auto& a) { a.verify = "off"; });
}

TEST_CASE("SHA-256 is what others have it to be") {
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("sizes of memory as people write them") {
  CHECK(memory_size("1048576") == 1 << 20);
  CHECK(memory_size("512M") == 512 << 20);
  CHECK(memory_size("512MiB") == 512 << 20);
  CHECK(memory_size("512mb") == 512 << 20);
  CHECK(memory_size("1.5g") == 3 << 29);
  CHECK(memory_size("2T") == int64_t{2} << 40);
  for (const char* wrong : {"", "M", "-1M", "4X", "4MM", "0", "nan", "inf", "1e30", "4 G", "x4G"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(memory_size(wrong), UsageError);
  }
}

TEST_CASE("a batch's progress: rate, and time left by bytes") {
  CHECK(readable_duration(0.2) == "1 s");
  CHECK(readable_duration(59.5) == "1 min 00 s");
  CHECK(readable_duration(3725) == "1 h 02 min");
  const std::vector<Batch::Task> tasks = {{"a", {0}, 300}, {"b", {1, 2}, 100}};
  BatchProgress progress(10, tasks, false);
  CHECK(progress.line(0) == "7 of 10 modules");
  progress.advance(tasks[0]);
  CHECK(progress.line(6) == "8 of 10 modules, 0.2/s, 2 s left");
  progress.advance(tasks[1]);
  CHECK(progress.line(10) == "10 of 10 modules, 0.3/s");
}
