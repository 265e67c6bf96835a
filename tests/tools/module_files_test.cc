#include "tools/module_files.h"

#include "tests/catch.h"

using flipsat::tools::has_module_name;
using flipsat::tools::looks_like_module;

TEST_CASE("what begins as a module does is one") {
  CHECK(looks_like_module("HloModule m\n"));
  CHECK(looks_like_module("// a comment\n/* another */\n\n  HloModule m, num_partitions=2\n"));
  CHECK(looks_like_module("ENTRY main {\n  x = f32[] parameter(0)\n}\n"));
  CHECK(looks_like_module("sum {\n  a = f32[] parameter(0)\n"));
  CHECK(looks_like_module("%sum (a: f32[], b: f32[]) -> f32[] {\n"));
}

TEST_CASE("what does not is none") {
  CHECK_FALSE(looks_like_module(""));
  CHECK_FALSE(looks_like_module("HloModules are kept here.\n"));
  CHECK_FALSE(looks_like_module("{\"a\": 1}\n"));
  CHECK_FALSE(looks_like_module("words (in brackets) and {braces}\n"));
  CHECK_FALSE(looks_like_module("// only a comment"));
  CHECK_FALSE(looks_like_module("/* never closed"));
}

TEST_CASE("a module's name may carry its compression") {
  CHECK(has_module_name("a/b.hlo"));
  CHECK(has_module_name("b.hlo.gz"));
  CHECK(has_module_name("b.hlo.zst"));
  CHECK_FALSE(has_module_name("b.hlo.bak"));
  CHECK_FALSE(has_module_name("b.txt"));
}
