// Text that must be refused, with the place of the fault. In each row '@' stands before the token
// that is at fault and is taken out before the text is read.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/frontends/reading.h"

namespace flipsat::frontends {
namespace {

struct Row {
  const char* what;
  std::string text;
  const char* message;  // how it begins
};

std::string place_of_mark(const std::string& text) {
  size_t at = text.find('@');
  size_t line = 1 + static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
  size_t start = text.rfind('\n', at);
  size_t column = start == std::string::npos ? at + 1 : at - start;
  return std::to_string(line) + ":" + std::to_string(column);
}

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.what);
    std::string text = row.text;
    size_t at = text.find('@');
    REQUIRE(at != std::string::npos);
    text.erase(at, 1);
    std::string expected = place_of_mark(row.text) + ": " + row.message;
    std::string found = error_of(text);
    CHECK(found.substr(0, expected.size()) == expected);
  }
}

}  // namespace

TEST_CASE("malformed modules are refused at the fault") {
  check({
      {"nothing", "@", "expected an opcode, found the end"},
      {"only a header", "HloModule m\n\n@", "expected a computation, found the end"},
      {"no module name", "HloModule @, is_scheduled=true\n", "expected a module name"},
      {"unknown header attribute", "HloModule m, @color=red\n", "expected an attribute of the module"},
      {"header attribute twice", "HloModule m, replica_count=2, @replica_count=2\n",
       "expected each attribute once"},
      {"blank before =", "HloModule m, is_scheduled @=true\n", "expected '=' right after"},
      {"header bool", "HloModule m, is_scheduled=@yes\n", "expected true or false"},
      {"no replicas", "HloModule m, replica_count=@0\n", "expected a number of at least 1"},
      {"partitions past 64 bits", "HloModule m, num_partitions=@99999999999999999999\n",
       "expected a number of at most 64 bits"},
      {"alias without parameter", "HloModule m, input_output_alias={ {0}: (@{}) }\n",
       "expected a parameter number"},
      {"alias kind", "HloModule m, input_output_alias={ {0}: (0, {}, @shall-alias) }\n",
       "expected may-alias or must-alias"},
      {"donor", "HloModule m, buffer_donor={ (0, @1) }\n", "expected '{'"},
      {"entry layout without result", "HloModule m, entry_computation_layout={(f32[2])@}\n",
       "expected '->'"},
      {"frontend attribute without value", "HloModule m, frontend_attributes={a=@1}\n",
       "expected a quoted string"},
      {"file names alone", "HloModule m\nFileNames\n1 \"a\"\n@ENTRY e { a = f32[] parameter(0) }\n",
       "expected the table FunctionNames"},
      {"stack frame field",
       "HloModule m\nFileNames\nFunctionNames\nFileLocations\nStackFrames\n1 {@where=2}\n",
       "expected a field of this table"},
      {"unclosed comment", "HloModule m\n@/* never closed\nENTRY e {", "expected '*/'"},
      {"unclosed computation", "HloModule m\nENTRY e @{\n  a = f32[] parameter(0)\n",
       "expected '}' that closes this computation"},
      {"empty computation", "HloModule m\nENTRY e {@}\n", "expected an instruction"},
      {"two entries",
       "HloModule m\nENTRY e { a = f32[] parameter(0) }\n@ENTRY f { a = f32[] parameter(0) }\n",
       "expected one ENTRY"},
      {"computation twice",
       "HloModule m\ne { a = f32[] parameter(0) }\nENTRY @e { a = f32[] parameter(0) }\n",
       "expected a new computation name"},
      {"signature without result", "HloModule m\nENTRY e (a: f32[]) @{ a = f32[] parameter(0) }\n",
       "expected '->'"},
      {"signature that lies",
       "HloModule m\nENTRY e (a: f32[]) -> @f32[2] { a = f32[] parameter(0) }\n",
       "expected the shape of the root, f32[]"},
      {"text after the last computation", "HloModule m\ne { a = f32[] parameter(0) }\n@}\n",
       "expected a computation"},
      {"unknown computation attribute",
       "HloModule m\ne { a = f32[] parameter(0) }, @thread=\"x\"\n", "expected execution_thread"},
      {"a byte that is NUL", std::string("HloModule m\ne { a = f32[] @") + '\0' + "parameter(0) }\n",
       "expected text without NUL bytes"},
      {"a NUL in a comment", std::string("HloModule m // @") + '\0' + "\ne { a = f32[] parameter(0) }\n",
       "expected text without NUL bytes"},
      {"text after a lone instruction", "f32[2] negate(f32[2] x) @f32[2] negate(f32[2] y)",
       "expected the end of the text"},
      {"lone instruction of what has no shape", "f32[2] negate(@x)",
       "expected an operand that is defined above"},
  });
}

TEST_CASE("malformed instructions are refused at the fault") {
  check({
      {"no name", in_entry("  @= f32[] negate(s)"), "expected an instruction"},
      {"no =", in_entry("  r @f32[] negate(s)"), "expected '='"},
      {"no right side", in_entry("  r = @}"), "expected an opcode"},
      {"unknown type", in_entry("  r = @f99[] negate(s)"), "expected a shape"},
      {"unknown opcode", in_entry("  r = f32[] @negative(s)"), "expected an opcode"},
      {"async sugar of a native opcode", in_entry("  r = f32[] @all-gather-update(s)"),
       "expected an opcode"},
      {"no parenthesis", in_entry("  r = f32[] negate @s)"), "expected '('"},
      {"unclosed operands", in_entry("  r = f32[] add(s, s @}"), "expected ')'"},
      {"missing operand between commas", in_entry("  r = f32[] add(s, @, s)"), "expected an operand"},
      {"missing last operand", in_entry("  r = f32[] add(s, @)"), "expected an operand"},
      {"too few operands", in_entry("  r = f32[] add@(s)"), "expected 2 operands, found 1"},
      {"too many operands", in_entry("  r = f32[] negate@(s, s)"), "expected 1 operands, found 2"},
      {"no operands", in_entry("  r = f32[4] all-reduce@(), to_apply=add"),
       "expected at least 1 operands"},
      {"unknown operand", in_entry("  r = f32[] negate(@%q)"), "expected an operand that is defined"},
      {"operand defined below", in_entry("  r = f32[] negate(@q)\n  q = f32[] negate(s)"),
       "expected an operand that is defined above"},
      {"operand of another computation", in_entry("  r = f32[] negate(@c)"),
       "expected an operand that is defined above"},
      {"itself as operand", in_entry("  r = f32[] negate(@r)"),
       "expected an operand that is defined above"},
      {"operand shape that lies", in_entry("  r = f32[] negate(@f32[3] s)"),
       "expected the operand's shape, f32[]"},
      {"name twice", in_entry("  @s = f32[] negate(s)"), "expected a new instruction name"},
      {"two roots", in_entry("  ROOT r = f32[] negate(s)\n  @ROOT q = f32[] negate(s)"),
       "expected one ROOT"},
      {"element of no tuple", in_entry("  r = f32[] negate(s@#0)"), "expected a tuple before '#'"},
      {"element past the tuple", in_entry("  r = f32[] negate(t@#2)"),
       "expected a tuple index below 2"},
      {"element without number", in_entry("  r = f32[] negate(t#@x)"), "expected a tuple index"},
      {"parameter without number", in_entry("  r = f32[] parameter(@)"),
       "expected a parameter number"},
      {"negative parameter", in_entry("  r = f32[] parameter(@-1)"),
       "expected a parameter number of at least 0"},
      {"parameter number twice", in_entry("  r = f32[] parameter(@1)"),
       "expected each parameter number once"},
      {"parameter number too large", in_entry("  r = f32[] parameter(@7)"),
       "expected parameter numbers without gaps"},
      {"shape left out where it cannot be", in_entry("  r = @convert(s)"), "expected a shape"},
      {"shape left out of a collective", in_entry("  r = @all-reduce(s), to_apply=add"),
       "expected a shape"},
      {"shape left out, operands differ", in_entry("  r = @add(s, p)"), "expected a shape"},
      {"shape left out of a parameter", in_entry("  r = @parameter(2)"), "expected a shape"},
      {"nested operand with attributes",
       in_entry("  r = f32[3,2] negate(f32[3,2] @transpose(p), dimensions={1,0})"),
       "expected the attribute dimensions"},
  });
}

TEST_CASE("malformed attributes are refused at the fault") {
  check({
      {"no attribute after the comma", in_entry("  r = f32[] negate(s), @}"), "expected an attribute"},
      {"attribute without value", in_entry("  r = f32[] negate(s), metadata=@}"), "expected '{'"},
      {"blank before =", in_entry("  r = f32[] negate(s), metadata @={}"), "expected '=' right after"},
      {"attribute twice", in_entry("  r = f32[] negate(s), metadata={}, @metadata={}"),
       "expected each attribute once"},
      {"unknown attribute twice", in_entry("  r = f32[] negate(s), zzz=1, @zzz=1"),
       "expected each attribute once"},
      {"unknown attribute without value", in_entry("  r = f32[] negate(s), zzz=@,"), "expected a value"},
      {"required dimensions", in_entry("  r = f32[3,2] @transpose(p)"),
       "expected the attribute dimensions"},
      {"required dimensions of a broadcast", in_entry("  r = f32[4,2,3] @broadcast(p)"),
       "expected the attribute dimensions"},
      {"required to_apply", in_entry("  r = f32[] @all-reduce(s)"), "expected the attribute to_apply"},
      {"required channel", in_entry("  r = f32[] @all-reduce(s), use_global_device_ids=true, to_apply=add"),
       "expected channel_id"},
      {"required direction", in_entry("  r = pred[] @compare(s, s)"), "expected the attribute direction"},
      {"required index", in_entry("  r = f32[] @get-tuple-element(t)"), "expected the attribute index"},
      {"required branches", in_entry("  r = f32[] @conditional(s, s)"),
       "expected the attribute branch_computations"},
      {"required of wrapped opcode", in_entry("  r = ((f32[2,3]), f32[1,3]) @reduce-scatter-start(p), to_apply=add"),
       "expected the attribute dimensions"},
      {"two gather dims", in_entry("  r = f32[2,3] @all-gather(p), dimensions={0,1}"),
       "expected exactly one dim"},
      {"list of integers", in_entry("  r = f32[3,2] transpose(p), dimensions={1,@x}"),
       "expected an integer"},
      {"unclosed list", in_entry("  r = f32[3,2] transpose(p), dimensions={1,0 @metadata={}"),
       "expected '}'"},
      {"integer past 64 bits", in_entry("  r = f32[] all-reduce(s), channel_id=@9223372036854775808"),
       "expected an integer of at most 64 bits"},
      {"bool", in_entry("  r = f32[] all-reduce(s), use_global_device_ids=@1"),
       "expected true or false"},
      {"direction", in_entry("  r = pred[] compare(s, s), direction=@LESS"),
       "expected one of EQ NE GE GT LE LT"},
      {"fusion kind", in_entry("  r = f32[] fusion(s), kind=@kFast, calls=add"),
       "expected one of kLoop"},
      {"unknown computation", in_entry("  r = f32[] all-reduce(s), to_apply=@nobody"),
       "expected a computation that is defined above"},
      {"unknown predecessor", in_entry("  r = f32[] negate(s), control-predecessors={@q}"),
       "expected an instruction that is defined above"},
      {"pair of one", in_entry("  r = f32[] collective-permute(s), source_target_pairs={{0,1},@{2}}"),
       "expected a pair"},
      {"slice without limit", in_entry("  r = f32[1,3] slice(p), slice={[0@], [0:3]}"), "expected ':'"},
      {"padding", in_entry("  r = f32[2,5] pad(p, s), padding=0_0x1 @}"),
       "expected '_' between low and high"},
      {"window field", in_entry("  r = f32[2,3] reduce-window(p, s), window={@sizes=1x1}"),
       "expected size, stride"},
      {"window pad", in_entry("  r = f32[2,3] reduce-window(p, s), window={size=1x1 pad=@0x1}"),
       "expected a list such as"},
      {"dim labels", in_entry("  r = f32[2,3] convolution(p, p), dim_labels=@b_io->bf"),
       "expected dim labels"},
      {"dim labels cut", in_entry("  r = f32[2,3] convolution(p, p), dim_labels=@bf_io-bf"),
       "expected dim labels"},
      {"precision", in_entry("  r = f32[2,2] dot(p, p), operand_precision={@1}"), "expected a word"},
      {"sharding word", in_entry("  r = f32[] negate(s), sharding={@everywhere}"),
       "expected a sharding"},
      {"sharding count", in_entry("  r = f32[] negate(s), sharding={devices=@[2,2]0,1,2}"),
       "expected 4 devices, found 3"},
      {"sharding of sharding of", in_entry("  r = f32[] negate(s), sharding={{@{replicated}}}"),
       "expected a sharding that is not a tuple"},
      {"metadata value", in_entry("  r = f32[] negate(s), metadata={op_name=@}"), "expected a value"},
      {"unclosed string", in_entry("  r = f32[] negate(s), metadata={op_name=@\"abc}"),
       "expected a quote that ends this string"},
      {"unclosed json", in_entry("  r = f32[] negate(s), backend_config=@{\"a\":{{}"),
       "expected a bracket that closes this one"},
      {"config of another form", in_entry("  r = f32[] negate(s), backend_config=@7"),
       "expected a quoted string"},
      {"brackets that cross", in_entry("  r = f32[] negate(s), origin={(@}}"),
       "expected balanced brackets"},
      {"aliasing", in_entry("  r = f32[] fusion(s), kind=kLoop, output_to_operand_aliasing={{} @(0, {})}"),
       "expected ':'"},
      {"domain part", in_entry("  r = f32[] domain(s), domain={kind=\"sharding\", @exit={replicated}}"),
       "expected entry"},
      {"inlined computation", in_entry("  r = f32[] all-reduce(s), to_apply={ @1 }"),
       "expected an instruction"},
  });
}

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
      {"layout repeats", in_entry("  r = f32[2,3]@{0,0} negate(p)"), "expected a layout that names"},
      {"layout out of range", in_entry("  r = f32[2,3]@{2,0} negate(p)"), "expected a layout that names"},
      {"tile unclosed", in_entry("  r = f32[2,3]{1,0:T(8,128@} negate(p)"), "expected ')'"},
      {"unknown layout letter", in_entry("  r = f32[2,3]{1,0:@Q(1)} negate(p)"), "expected '}'"},
      {"layout parts out of order", in_entry("  r = f32[2,3]{1,0:S(1)@T(8)} negate(p)"), "expected '}'"},
      {"element bits", in_entry("  r = f32[2,3]{1,0:E@(1000)} negate(p)"), "expected at most 128 bits"},
      {"index type", in_entry("  r = f32[2,3]{1,0:#(@f32)} negate(p)"), "expected an unsigned type"},
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
      {"u64 range", constant("u64[]", "@18446744073709551616"), "expected an integer that fits u64"},
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
      {"unclosed", in_entry("  r = f32[] all-reduce(s), replica_groups=@{{{0,1}"), "expected a bracket"},
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
      {"mesh ids", groups("mesh['x'=4], device_ids=@(0,1,2) {'x'}"), "expected 4 device ids, found 3"},
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
  CHECK(error_of(in_entry("  r = " + deep("(", kDeep))).starts_with("11:508: expected at most 500 nested"));
  CHECK(error_of(in_entry("  r = f32[] negate(" + deep("f32[] negate(", kDeep)))
            .find("expected at most 200 nested") != std::string::npos);
  CHECK(error_of(in_entry("  r = " + deep("negate(", kDeep)))
            .find("expected at most 200 nested") != std::string::npos);
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
