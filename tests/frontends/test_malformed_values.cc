// Shapes, literals and groups that must be refused; nesting without end; files that are cut.
#include "tests/frontends/malformed.h"

namespace flipsat::frontends {

TEST_CASE("malformed shapes are refused at the fault") {
  check({
      {"unclosed dims", in_entry("  r = f32[2,3 @negate(s)"), "expected ']'"},
      {"negative dim", in_entry("  r = f32[@-2] negate(s)"), "expected a dim of at least 0"},
      {"dim past 64 bits", in_entry("  r = f32[@9223372036854775808] negate(s)"),
       "expected a dim of at most 64 bits"},
      {"product past 64 bits", in_entry("  r = f32[@4294967296,4294967296] negate(s)"),
       "expected dims whose product"},
      {"no dim after the comma", in_entry("  r = f32[2,@] negate(s)"), "expected a dim"},
      {"bound without number", in_entry("  r = f32[<=@] negate(s)"), "expected a dim"},
      {"token with dims", in_entry("  r = token[@2] after-all()"), "expected no dims"},
      {"tuple unclosed", in_entry("  r = (f32[], f32[] @tuple(s, s)"), "expected ')'"},
      {"layout too short", in_entry("  r = f32[2,3]@{0} negate(p)"), "expected a layout of 2 dims"},
      {"layout too long", in_entry("  r = f32[2]@{1,0} negate(p)"), "expected a layout of 1 dims"},
      {"layout repeats", in_entry("  r = f32[2,3]@{0,0} negate(p)"),
       "expected a layout that names"},
      {"layout out of range", in_entry("  r = f32[2,3]@{2,0} negate(p)"),
       "expected a layout that names"},
      {"tile unclosed", in_entry("  r = f32[2,3]{1,0:T(8,128@} negate(p)"), "expected ')'"},
      {"unknown layout letter", in_entry("  r = f32[2,3]{1,0:@Q(1)} negate(p)"), "expected '}'"},
      {"layout parts out of order", in_entry("  r = f32[2,3]{1,0:S(1)@T(8)} negate(p)"),
       "expected '}'"},
      {"element bits", in_entry("  r = f32[2,3]{1,0:E@(1000)} negate(p)"),
       "expected at most 128 bits"},
      {"index type", in_entry("  r = f32[2,3]{1,0:#(@f32)} negate(p)"),
       "expected an unsigned type"},
  });
}

TEST_CASE("malformed literals are refused at the fault") {
  auto constant = [](const std::string& shape, const std::string& literal) {
    return in_entry("  r = " + shape + " constant(" + literal + ")");
  };
  check({
      {"empty", constant("f32[]", "@"), "expected a number"},
      {"brace for a scalar", constant("f32[]", "@{1}"), "expected a scalar"},
      {"scalar for an array", constant("f32[2]", "@1"), "expected '{'"},
      {"too few", constant("f32[3]", "{1, 2@}"), "expected 3 elements in dim 0, found 2"},
      {"too many", constant("f32[2]", "{1, 2, @3}"), "expected at most 2 elements"},
      {"too few rows", constant("f32[2,1]", "{ {1} @}"), "expected 2 elements in dim 0, found 1"},
      {"too many rows", constant("f32[1,1]", "{ {1}, @{2} }"), "expected at most 1 elements"},
      {"rank too low", constant("f32[2,2]", "{ @1, 2 }"), "expected '{'"},
      {"rank too high", constant("f32[2]", "{ @{1}, {2} }"), "expected a number, the rank is 1"},
      {"unclosed", in_entry("  r = f32[2] constant({1, 2@)"), "expected a number"},
      {"float for an integer", constant("s32[]", "@1.5"), "expected an integer"},
      {"word for a number", constant("f32[]", "@one"), "expected a number"},
      {"two dots", constant("f32[]", "@1.2.3"), "expected a number"},
      {"s8 range", constant("s8[]", "@128"), "expected an integer that fits s8"},
      {"s8 range below", constant("s8[]", "@-129"), "expected an integer that fits s8"},
      {"u4 range", constant("u4[2]", "{15, @16}"), "expected an integer that fits u4"},
      {"negative unsigned", constant("u32[]", "@-1"), "expected an integer that fits u32"},
      {"s64 range", constant("s64[]", "@9223372036854775808"), "expected an integer that fits s64"},
      {"u64 range", constant("u64[]", "@18446744073709551616"),
       "expected an integer that fits u64"},
      {"f32 range", constant("f32[]", "@1e39"), "expected a number that fits f32"},
      {"f64 range", constant("f64[]", "@1e400"), "expected a number that fits 64 bits"},
      {"f16 range", constant("f16[]", "@65520"), "expected a number that fits f16"},
      {"f8 range", constant("f8e4m3fn[]", "@500"), "expected a number that fits f8e4m3fn"},
      {"infinity in a type without", constant("f8e4m3fn[]", "@inf"), "expected a number that fits"},
      {"NaN payload", constant("f16[]", "@nan(0x400)"), "expected a number that fits f16"},
      {"NaN payload without 0x", constant("f32[]", "@nan(7)"), "expected a NaN payload"},
      {"pred", constant("pred[]", "@2"), "expected true, false, 0 or 1"},
      {"complex without end", constant("c64[]", "(1, 2 @,"), "expected ')'"},
      {"tuple too short", constant("(f32[], s32[])", "(1@)"), "expected ','"},
      {"tuple too long", constant("(f32[])", "(1@, 2)"), "expected ')'"},
      {"token", constant("token[]", "@0"), "expected no literal"},
      {"rest after the literal", constant("f32[]", "1 @2"), "expected ')'"},
  });
}

TEST_CASE("malformed replica groups are refused at the fault") {
  auto groups = [](const std::string& text) {
    return in_entry("  r = f32[] all-reduce(s), replica_groups=" + text + ", to_apply=add");
  };
  check({
      {"word", groups("@all"), "expected replica groups"},
      {"ids without braces", groups("{@0,1}"), "expected '{'"},
      {"negative id", groups("{{0,@-1}}"), "expected a device id of at least 0"},
      {"unclosed", in_entry("  r = f32[] all-reduce(s), replica_groups=@{{{0,1}"),
       "expected a bracket"},
      {"iota of one size", groups("@[4]<=[4]"), "expected two sizes"},
      {"iota of three sizes", groups("@[1,2,2]<=[4]"), "expected two sizes"},
      {"iota without arrow", groups("[2,2]@"), "expected '<='"},
      {"iota product", groups("[2,2]<=@[5]"), "expected sizes whose product is 4, found 5"},
      {"iota without order", groups("[2,2]<=[2,2]@"), "expected T(...)"},
      {"iota order repeats", groups("[2,2]<=[2,2]@T(0,0)"), "expected T(...) to name"},
      {"iota order too short", groups("[2,2]<=[2,2]@T(0)"), "expected T(...) to name"},
      {"iota of nothing", groups("@[0,2]<=[0]"), "expected sizes of at least 1"},
      {"iota too large", groups("@[1048576,1048576]<=[1099511627776]"), "expected at most"},
      {"mesh axis", groups("mesh['x'=2] {@'y'}"), "expected an axis of the mesh"},
      {"mesh axis twice", groups("mesh['x'=2,@'x'=2] {'x'}"), "expected each axis once"},
      {"mesh axis listed twice", groups("mesh['x'=2] {'x',@'x'}"), "expected each axis once"},
      {"mesh ids", groups("mesh['x'=4], device_ids=@(0,1,2) {'x'}"),
       "expected 4 device ids, found 3"},
      {"mesh ids by iota", groups("mesh['x'=4], device_ids=@([6]) {'x'}"), "expected 4 device ids"},
      {"mesh other word", groups("mesh['x'=4], @ids=(0) {'x'}"), "expected device_ids"},
      {"mesh part", groups("mesh['x'=4] {'x':@(3)1}"), "expected a part that divides its axis"},
      {"mesh parts overlap", groups("mesh['x'=8] {'x':(1)4,'x':@(2)2}"), "expected each axis once"},
      {"mesh without axes", groups("mesh['x'=4], @"), "expected device_ids"},
  });
}

TEST_CASE("deep nesting is refused with a place") {
  auto deep = [](const std::string& open, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += open;
    return text;
  };
  constexpr int kDeep = 10000;
  CHECK(error_of(in_entry("  r = " + deep("(", kDeep)))
            .starts_with("11:508: expected at most 500 nested"));
  CHECK(error_of(in_entry("  r = f32[] negate(" + deep("f32[] negate(", kDeep)))
            .find("expected at most 200 nested") != std::string::npos);
  CHECK(error_of(in_entry("  r = " + deep("negate(", kDeep))).find("expected at most 200 nested") !=
        std::string::npos);
  CHECK(error_of(in_entry(deep("  r = f32[] call(), to_apply={\n", kDeep)))
            .find("expected at most 200 nested") != std::string::npos);
  CHECK(error_of(in_entry("  r = f32[2] constant(" + deep("{", kDeep)))
            .starts_with("11:24: expected a number, the rank is 1"));
  CHECK(error_of(in_entry("  r = f32[] negate(s), sharding={mesh[" + deep("{", kDeep)))
            .find("expected at most 8192 nested brackets") != std::string::npos);
  CHECK(error_of(in_entry("  r = f32[] negate(s), backend_config=" + deep("{", kDeep)))
            .find("expected a bracket that closes this one") != std::string::npos);
  CHECK(error_of(in_entry("  r = f32[] negate(s), zzz=" + deep("[", kDeep)))
            .find("expected at most 8192 nested brackets") != std::string::npos);
}

TEST_CASE("a file cut anywhere is refused or read, never worse") {
  const std::string whole =
      "HloModule m, entry_computation_layout={(f32[4]{0})->f32[8]{0}}\n"
      "ENTRY e (p: f32[4]) -> f32[8] { /* c */\n"
      "  p = f32[4]{0} parameter(0), metadata={op_name=\"a\\\"b\" source_line=3}\n"
      "  ROOT g = f32[8]{0} all-gather(f32[4]{0} %p), replica_groups=[1,2]<=[2], dimensions={0}\n"
      "}\n";
  for (size_t size = 0; size < whole.size() - 1; ++size) {
    INFO(size);
    std::string error = error_of(whole.substr(0, size));
    CHECK(!error.empty());
    CHECK(error.find(": expected") != std::string::npos);
  }
  CHECK(error_of(whole).empty());
}

}  // namespace flipsat::frontends
