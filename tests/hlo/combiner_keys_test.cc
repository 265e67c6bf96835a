#include "tests/catch.h"
#include "tests/hlo/combiner_text.h"

namespace flipsat::hlo {
namespace {

using namespace testing;

TEST_CASE("combiner: groups keep reductions apart, however they are spelled") {
  auto two = [](const std::string& first, const std::string& second) {
    auto one = [](const std::string& name, const std::string& operand, const std::string& groups) {
      return "  " + name + " = f32[32] all-reduce(" + operand +
             "), to_apply=add, channel_id=1, use_global_device_ids=true, replica_groups=" + groups +
             "\n";
    };
    return launches(entry(one("r1", "x", first) + one("r2", "y", second) + kTuple)).size();
  };
  CHECK(two("{{0,1},{2,3}}", "[2,2]<=[4]") == 1);
  CHECK(two("{{0,1},{2,3}}", "{{0,2},{1,3}}") == 2);
  CHECK(two("{{0,1},{2,3}}", "{{2,3},{0,1}}") == 2);
  CHECK(two("[2,2]<=[2,2]T(1,0)", "{{0,2},{1,3}}") == 1);
}

TEST_CASE("combiner: channels count by being there") {
  auto two = [](const std::string& first, const std::string& second) {
    auto one = [](const std::string& name, const std::string& operand, const std::string& more) {
      return "  " + name + " = f32[32] all-reduce(" + operand + "), to_apply=add" + more + "\n";
    };
    return launches(entry(one("r1", "x", first) + one("r2", "y", second) + kTuple)).size();
  };
  CHECK(two(", replica_groups={}, channel_id=1", ", replica_groups={}, channel_id=7") == 1);
  CHECK(two(", replica_groups={}, channel_id=1", ", replica_groups={}") == 2);
  CHECK(two(", replica_groups={{0}}, channel_id=1",
            ", replica_groups={{0}}, channel_id=1, use_global_device_ids=true") == 2);
}

TEST_CASE("combiner: control dependencies keep a collective out") {
  std::string text = entry(all_reduce("r1", "x") + all_reduce("r2", "y") +
                           "  n = f32[32] negate(y), control-predecessors={r1}\n" + kTuple);
  CHECK(launches(text) == std::vector<Names>{{"r1"}, {"r2"}});
  text = entry("  n = f32[32] negate(y)\n" + all_reduce("r1", "x", ", control-predecessors={n}") +
               all_reduce("r2", "y") + kTuple);
  CHECK(launches(text) == std::vector<Names>{{"r1"}, {"r2"}});
}

TEST_CASE("combiner: reductions join by their reducer's operation and type, not by the data's") {
  auto two = [](const std::string& type, const std::string& reducer) {
    std::string text =
        entry(all_reduce("r1", "x") + "  c = " + type + "[32] convert(y)\n  r2 = " + type +
              "[32] all-reduce(c), to_apply=" + reducer + kGroups + "\n  ROOT t = (f32[32], " +
              type + "[32]) tuple(r1, r2)\n");
    return launches(text).size();
  };
  CHECK(two("f32", "add") == 1);
  CHECK(two("f32", "max") == 2);
  CHECK(two("bf16", "add16") == 2);
  CHECK(two("bf16", "add") == 1);  // a reducer that a pass forgot to rebuild
}

TEST_CASE("combiner: a reducer of more than three instructions is not known") {
  std::string text = entry(R"(  c = bf16[32] convert(x)
  r1 = bf16[32] all-reduce(c), to_apply=add_by_way_of_f32)" +
                           kGroups + R"(
  r2 = bf16[32] all-reduce(c), to_apply=add_by_way_of_f32)" +
                           kGroups + R"(
  ROOT t = (bf16[32], bf16[32]) tuple(r1, r2)
)");
  CHECK(launches(text) == std::vector<Names>{{"r1"}, {"r2"}});
}

TEST_CASE("combiner: scatters want a known reduction, all-reduces only its size") {
  auto two = [](const std::string& reducer) {
    return launches(entry("  r1 = f32[8] reduce-scatter(x), dimensions={0}, to_apply=" + reducer +
                          kGroups + "\n  r2 = f32[8] reduce-scatter(y), dimensions={0}, to_apply=" +
                          reducer + kGroups + "\n  ROOT t = (f32[8], f32[8]) tuple(r1, r2)\n"))
        .size();
  };
  CHECK(two("add") == 1);
  CHECK(two("first") == 2);
  std::string text =
      entry("  r1 = f32[32] all-reduce(x), to_apply=first" + kGroups +
            "\n  r2 = f32[32] all-reduce(y), to_apply=first" + kGroups + "\n" + kTuple);
  CHECK(launches(text).size() == 1);
}

TEST_CASE("combiner: gathers of different dims stay apart where the backend says so") {
  CHECK(launches(kFiveGathers) == std::vector<Names>{{"g1", "g3", "g5"}, {"g2", "g4"}});
  CHECK(launches(kFiveGathers, combiner_preset("xla-gpu")) ==
        std::vector<Names>{{"g1", "g2", "g3", "g4", "g5"}});
}

TEST_CASE("combiner: so do scatters") {
  std::string text = kHeader + R"(ENTRY main {
  x = f32[16,16] parameter(0)
  s1 = f32[4,16] reduce-scatter(x), dimensions={0}, to_apply=add)" +
                     kGroups + R"(
  s2 = f32[16,4] reduce-scatter(x), dimensions={1}, to_apply=add)" +
                     kGroups + R"(
  ROOT t = (f32[4,16], f32[16,4]) tuple(s1, s2)
}
)";
  CHECK(launches(text) == std::vector<Names>{{"s1"}, {"s2"}});
  CHECK(launches(text, combiner_preset("xla-gpu")) == std::vector<Names>{{"s1", "s2"}});
}

TEST_CASE("combiner: gathers of different types stay apart where the backend says so") {
  std::string text = entry(R"(  c = bf16[32] convert(y)
  g1 = f32[128] all-gather(x), dimensions={0})" +
                           kGroups + R"(
  g2 = bf16[128] all-gather(c), dimensions={0})" +
                           kGroups + R"(
  ROOT t = (f32[128], bf16[128]) tuple(g1, g2)
)");
  CHECK(launches(text) == std::vector<Names>{{"g1"}, {"g2"}});
  CHECK(launches(text, combiner_preset("xla-gpu")) == std::vector<Names>{{"g1", "g2"}});
}

TEST_CASE("combiner: frontend attributes that mark groups keep others out") {
  auto two = [](const std::string& first, const std::string& second) {
    auto marked = [](const std::string& mark) {
      return mark.empty() ? "" : ", frontend_attributes={" + mark + "}";
    };
    return launches(entry(all_reduce("r1", "x", marked(first)) +
                          all_reduce("r2", "y", marked(second)) + kTuple))
        .size();
  };
  CHECK(two(R"(combiner_key="a")", R"(other="z",combiner_key="a")") == 1);
  CHECK(two(R"(combiner_key="a")", R"(combiner_key="b")") == 2);
  CHECK(two(R"(combiner_key="a")", "") == 2);
  CHECK(two(R"(collective_group_key="a")", "") == 2);
  CHECK(two(R"(anything="a")", "") == 1);
  CHECK(two(R"(_scheduling_group_id="3")", R"(_scheduling_group_id="3")") == 2);
}

TEST_CASE("combiner: one constrained layout stops the whole opcode") {
  std::string text = entry(all_reduce("r1", "x") + all_reduce("r2", "y") +
                           all_reduce("r3", "y", ", constrain_layout=true") + kTuple);
  CHECK(launches(text) == std::vector<Names>{{"r1"}, {"r2"}, {"r3"}});
}

TEST_CASE("combiner: permutes join by their pairs, on backends that combine them") {
  std::string text =
      entry(R"(  p1 = f32[32] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}
  p2 = f32[32] collective-permute(y), channel_id=2, source_target_pairs={{0,1},{1,0}}
  p3 = f32[32] collective-permute(y), channel_id=3, source_target_pairs={{0,2},{2,0}}
  ROOT t = (f32[32], f32[32], f32[32]) tuple(p1, p2, p3)
)");
  CHECK(launches(text).size() == 3);
  CHECK(launches(text, combiner_preset("xla-gpu")) == std::vector<Names>{{"p1", "p2"}, {"p3"}});
}

}  // namespace
}  // namespace flipsat::hlo
