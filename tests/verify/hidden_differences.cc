// Differences that few elements, few inputs or few devices show.
#include "tests/catch.h"
#include "tests/verify/programs.h"

using namespace flipsat::verify;
using namespace flipsat::verify::testing;

TEST_CASE("a wrong bound of an unknown counter") {
  auto with = [](const std::string& bound) {
    return "i = s32[] parameter(0), sharding={replicated}\n"
           "x = f32[4] parameter(1)\n"
           "n = s32[] constant(" +
           bound +
           ")\n"
           "c = pred[] compare(i, n), direction=LT\n"
           "y = f32[4] negate(x)\n"
           "ROOT s = f32[4] select(c, x, y)\n";
  };
  CHECK(verdict(with("1000"), with("1000")) == "same");
  CHECK(verdict(with("1000"), with("1001")) == "different");
}

TEST_CASE("a wrong clamp, quotient or maximum of an unknown integer") {
  auto with = [](const std::string& operation, const std::string& n) {
    return "i = s32[] parameter(0), sharding={replicated}\n"
           "x = f32[8,4] parameter(1)\n"
           "z = s32[] constant(0)\n"
           "n = s32[] constant(" +
           n +
           ")\n"
           "j = s32[] " +
           operation +
           "\n"
           "ROOT d = f32[1,4] dynamic-slice(x, j, z), dynamic_slice_sizes={1,4}\n";
  };
  CHECK(verdict(with("clamp(z, i, n)", "900"), with("clamp(z, i, n)", "901")) == "different");
  CHECK(verdict(with("divide(i, n)", "900"), with("divide(i, n)", "901")) == "different");
  CHECK(verdict(with("maximum(i, n)", "-9"), with("maximum(i, n)", "-8")) == "different");
}

TEST_CASE("a wrong row that an update writes to a large array") {
  auto with = [](const std::string& update, const std::string& row) {
    return program(
        "x = f32[500,64] parameter(0)\n"
        "u = f32[1,64] parameter(1)\n"
        "v = f32[1,64] parameter(2)\n"
        "i = s32[] parameter(3)\n"
        "one = s32[] constant(1)\n"
        "j = s32[] add(i, one)\n"
        "z = s32[] constant(0)\n"
        "d = f32[500,64] dynamic-update-slice(x, " +
        update + ", " + row +
        ", z)\n"
        "ROOT t = f32[64,500] transpose(d), dimensions={1,0}\n");
  };
  CHECK(verdict(with("u", "i"), with("v", "i")) == "different");
  CHECK(verdict(with("u", "i"), with("u", "j")) == "different");
  CHECK(verdict(with("u", "i"), with("u", "i")) == "same");
}

TEST_CASE("an update moved under a gather, with an index that differs between devices") {
  auto pair = [](const std::string& sharding) {
    return verdict(
        "x = f32[300,8] parameter(0)\n"
        "u = f32[1,8] parameter(1)\n"
        "i = s32[] parameter(2)" +
            sharding +
            "\n"
            "z = s32[] constant(0)\n"
            "gx = f32[300,32] all-gather(x), dimensions={1}" +
            kAll +
            "\n"
            "gu = f32[1,32] all-gather(u), dimensions={1}" +
            kAll +
            "\n"
            "ROOT d = f32[300,32] dynamic-update-slice(gx, gu, i, z)\n",
        "x = f32[300,8] parameter(0)\n"
        "u = f32[1,8] parameter(1)\n"
        "i = s32[] parameter(2)" +
            sharding +
            "\n"
            "z = s32[] constant(0)\n"
            "l = f32[300,8] dynamic-update-slice(x, u, i, z)\n"
            "ROOT g = f32[300,32] all-gather(l), dimensions={1}" +
            kAll + "\n");
  };
  CHECK(pair(", sharding={replicated}") == "same");
  CHECK(pair("") == "different");
}

TEST_CASE("a large array whose pad is one off") {
  auto with = [](const std::string& padding) {
    return "x = f32[1000,100] parameter(0)\n"
           "v = f32[] parameter(1)\n"
           "ROOT p = f32[1003,100] pad(x, v), padding=" +
           padding + "x0_0\n";
  };
  CHECK(verdict(with("1_2"), with("2_1")) == "different");
  CHECK(verdict(with("1_2"), with("1_2")) == "same");
}

TEST_CASE("a maximum that leaves one operand out") {
  CHECK(verdict("x = f32[] parameter(0)\ny = f32[] parameter(1)\nz = f32[] parameter(2)\n"
                "m = f32[] maximum(x, y)\nROOT r = f32[] maximum(m, z)\n",
                "x = f32[] parameter(0)\ny = f32[] parameter(1)\nz = f32[] parameter(2)\n"
                "ROOT r = f32[] maximum(x, z)\n") == "different");
  CHECK(
      verdict("x = f32[] parameter(0)\ny = f32[] parameter(1)\nz = f32[] parameter(2)\n"
              "m = f32[] maximum(x, y)\nROOT r = f32[] maximum(m, z)\n",
              "x = f32[] parameter(0)\ny = f32[] parameter(1)\nz = f32[] parameter(2)\n"
              "m = f32[] maximum(z, x)\nn = f32[] maximum(y, x)\nROOT r = f32[] maximum(n, m)\n") ==
      "same");
}

TEST_CASE("an integer sum made in a float") {
  CHECK(verdict("x = s32[4] parameter(0)\ny = s32[4] parameter(1)\n"
                "s = s32[4] add(x, y)\nROOT r = f32[4] convert(s)\n",
                "x = s32[4] parameter(0)\ny = s32[4] parameter(1)\n"
                "a = f32[4] convert(x)\nb = f32[4] convert(y)\n"
                "ROOT r = f32[4] add(a, b)\n") == "different");
}

TEST_CASE("a sum's zero start is not dropped from floats") {
  // Padding with +0 turns a sum of -0 into +0.
  auto with = [](const std::string& zero) {
    return verdict(
        "x = f32[4] parameter(0)\n"
        "ROOT c = f32[4] copy(x)\n",
        "x = f32[4] parameter(0)\n"
        "z = f32[] constant(" +
            zero +
            ")\n"
            "b = f32[4] broadcast(z), dimensions={}\n"
            "ROOT s = f32[4] add(x, b)\n");
  };
  CHECK(with("-0") == "same");
  CHECK(with("0") == "different");
}

TEST_CASE("a comparator is part of a sort") {
  auto with = [](const std::string& direction) {
    return program(
        "x = f32[8,4] parameter(0)\n"
        "c = f32[8,4] copy(x)\n"
        "ROOT s = f32[8,4] sort(c), dimensions={0}, to_apply=order\n",
        "num_partitions=4",
        "order {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
        "  ROOT r = pred[] compare(a, b), direction=" +
            direction + "\n}\n");
  };
  CHECK(verdict(with("LT"), with("LT")) == "same");
  CHECK(verdict(with("LT"), with("GT")) == "different");
}

TEST_CASE("a sort of other dims passes an all-gather") {
  std::string order =
      "order {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT r = pred[] compare(a, b), direction=LT\n}\n";
  auto before = [&](int dim) {
    return program(
        "x = f32[8,4] parameter(0)\n"
        "ag = f32[32,4] all-gather(x), dimensions={0}" +
            kAll +
            "\n"
            "ROOT s = f32[32,4] sort(ag), dimensions={" +
            std::to_string(dim) + "}, to_apply=order\n",
        "num_partitions=4", order);
  };
  auto after = [&](int dim) {
    return program(
        "x = f32[8,4] parameter(0)\n"
        "l = f32[8,4] sort(x), dimensions={" +
            std::to_string(dim) +
            "}, to_apply=order\n"
            "ROOT g = f32[32,4] all-gather(l), dimensions={0}" +
            kAll + "\n",
        "num_partitions=4", order);
  };
  CHECK(verdict(before(1), after(1)) == "same");
  CHECK(verdict(before(0), after(0)) == "different");
}

TEST_CASE("a permute that loses a pair, and one whose zeros are mapped to something else") {
  auto with = [](const std::string& pairs, const std::string& op) {
    return "x = f32[4] parameter(0)\n"
           "c = f32[4] collective-permute(x), channel_id=1, source_target_pairs=" +
           pairs +
           "\n"
           "ROOT n = f32[4] " +
           op + "(c)\n";
  };
  auto moved = [](const std::string& pairs, const std::string& op) {
    return "x = f32[4] parameter(0)\n"
           "n = f32[4] " +
           op +
           "(x)\n"
           "ROOT d = f32[4] collective-permute(n), channel_id=1, source_target_pairs=" +
           pairs + "\n";
  };
  std::string all = "{{0,1},{1,2},{2,3},{3,0}}";
  std::string some = "{{0,1},{1,2},{2,3}}";
  CHECK(verdict(with(all, "sine"), moved(all, "sine")) == "same");
  CHECK(verdict(with(all, "sine"), moved(some, "sine")) == "different");
  CHECK(verdict(with(some, "cosine"), moved(some, "cosine")) == "different");
  CHECK(verdict(with(some, "sqrt"), moved(some, "sqrt")) == "same");
}

TEST_CASE("an all-to-all with its members in another order") {
  auto with = [](const std::string& groups) {
    return "x = f32[8] parameter(0)\n"
           "ROOT a = f32[8] all-to-all(x), dimensions={0}, channel_id=1, replica_groups=" +
           groups + "\n";
  };
  CHECK(verdict(with("{{0,1,2,3}}"), with("{{0,1,3,2}}")) == "different");
}

TEST_CASE("two members swapped in one of many groups") {
  auto with = [](int swapped) {
    std::string groups;
    for (int i = 0; i < 128; i += 2) {
      int first = i == swapped ? i + 1 : i;
      groups +=
          (i ? ",{" : "{") + std::to_string(first) + "," + std::to_string(2 * i + 1 - first) + "}";
    }
    return program(
        "x = f32[64] parameter(0)\n"
        "ROOT g = f32[128] all-gather(x), dimensions={0}, channel_id=1, replica_groups={" +
            groups + "}, use_global_device_ids=true\n",
        "num_partitions=128");
  };
  CHECK(verdict(with(-1), with(-1)) == "same");
  for (int i = 0; i < 128; i += 14) CHECK(verdict(with(-1), with(i)) == "different");
}
