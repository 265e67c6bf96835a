// Selections as patches: what stays to the letter, what is redefined, what is refused.
#include "language/export.h"

#include "hlo/verifier.h"
#include "tests/catch.h"
#include "tests/language/imported.h"

namespace flipsat::language {
namespace {

// Odd spacing and comments, so that only untouched text can come out equal.
const std::string kProgram = module_text(
    "  x = f32[3,2]   parameter(0) // the shard\n"
    "  g = f32[12,2] all-gather( x ), dimensions={0}" +
    kOverAll +
    "\n"
    "  h = f32[12,2] all-gather(x), dimensions={0}, channel_id=2, "
    "replica_groups={{0,1,2,3}}, use_global_device_ids=true\n"
    "  r = bf16[12,2] convert(g)\n"
    "  n = f32[12,2] negate(h)\n"
    "  ROOT t = (bf16[12,2], f32[12,2]) tuple(r, n)\n");

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a selection of nothing gives the input, byte for byte") {
  Imported in(kProgram);
  CHECK(in.text({}) == kProgram);
}

TEST_CASE("values defined by their own original stay as they are") {
  Imported in(kProgram);
  Selection selection;
  for (std::string name : {"x", "r", "n", "t"}) selection.chosen[in.cls(name)] = in.node(name);
  CHECK(in.text(selection) == kProgram);
}

TEST_CASE("a class with several originals that is defined by one of them keeps that one") {
  Imported in(kProgram);
  REQUIRE(in.cls("g") == in.cls("h"));
  auto exported = export_module(in.module, in.import, *in.hlo, {{{in.cls("g"), in.node("g")}}});
  REQUIRE(exported);
  std::string text = frontends::write_text(exported->module);
  CHECK(contains(text, "g = f32[12,2] all-gather( x ), dimensions={0}"));
  CHECK_FALSE(contains(text, "  h = "));
  CHECK(contains(text, "n = f32[12,2] negate(g)"));
  REQUIRE(exported->patches.size() == 1);
  CHECK(exported->patches[0].at == in.id("h"));
  CHECK(exported->patches[0].replacement == in.id("g"));
}

TEST_CASE("a class with several originals that is defined anew loses all of them") {
  Imported in(kProgram);
  // Another way to say the same value.
  NodeId like = in.node("n");
  ClassId x = in.cls("x");
  ClassId negated = in.hlo->elementwise(like, {&x, 1}, in.hlo->dims(x));
  ClassId gathered =
      in.hlo->all_gather(negated, 0, in.hlo->op(in.node("g")).collective, {in.node("g")});
  ClassId value = in.hlo->elementwise(like, {&gathered, 1}, in.hlo->dims(gathered));
  Selection selection;
  for (ClassId cls : {negated, gathered, value}) selection.chosen[cls] = cls;
  in.hlo->graph().merge(in.cls("g"), value);
  in.hlo->graph().rebuild();
  selection.chosen.erase(value);
  selection.chosen[in.cls("g")] = value;
  auto exported = export_module(in.module, in.import, *in.hlo, selection);
  REQUIRE(exported);
  std::string text = frontends::write_text(exported->module);
  INFO(text);
  CHECK_FALSE(contains(text, " g = "));
  CHECK_FALSE(contains(text, " h = "));
  CHECK(contains(text, "all-gather(negate"));
  REQUIRE(exported->patches.size() == 2);
  CHECK(exported->patches[0].at == in.id("g"));
  CHECK(exported->patches[1].at == in.id("h"));
  CHECK(exported->patches[0].replacement == exported->patches[1].replacement);
  CHECK(exported->patches[0].nodes.size() == 3);
}

TEST_CASE("a value that would be defined by itself is refused") {
  Imported in(
      module_text("  x = f32[3] parameter(0)\n"
                  "  g = f32[12] all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  a = f32[12] negate(g)\n"
                  "  b = f32[12] negate(a)\n"
                  "  ROOT r = f32[12] exponential(b)\n"));
  // negate(b) is a, as negate(negate(negate(g))) is negate(g); so g may be negate(a), a negate(b).
  ClassId a = in.cls("a"), b = in.cls("b");
  ClassId again = in.hlo->elementwise(in.node("a"), {&b, 1}, in.hlo->dims(b));
  in.hlo->graph().merge(a, again);
  in.hlo->graph().rebuild();
  CHECK(in.text({{{in.cls("a"), again}}}) == "a cycle");
  // Two values that are each fine alone.
  CHECK(in.text({{{in.cls("b"), in.node("b")}}}) == *in.module.source);
  CHECK(in.text({{{in.cls("a"), again}, {in.cls("b"), in.node("b")}}}) == "a cycle");
}

TEST_CASE("a cycle among new values is refused, not followed for ever") {
  Imported in(
      module_text("  x = f32[3] parameter(0)\n"
                  "  g = f32[12] all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  ROOT r = f32[12] negate(g)\n"));
  ClassId g = in.cls("g");
  ClassId first = in.hlo->elementwise(in.node("r"), {&g, 1}, in.hlo->dims(g));
  REQUIRE(first == in.cls("r"));
  ClassId second = in.hlo->elementwise(in.node("r"), {&first, 1}, in.hlo->dims(g));
  NodeId second_node = second;
  in.hlo->graph().merge(g, second);
  in.hlo->graph().rebuild();
  // g is negate(r), r is negate(g).
  CHECK(in.text({{{in.cls("g"), second_node}}}) == "a cycle");
}

TEST_CASE("a class that nothing defines is refused") {
  Imported in(kProgram);
  ClassId x = in.cls("x");
  ClassId negated = in.hlo->elementwise(in.node("n"), {&x, 1}, in.hlo->dims(x));
  ClassId gathered =
      in.hlo->all_gather(negated, 0, in.hlo->op(in.node("g")).collective, {in.node("g")});
  NodeId node = gathered;
  in.hlo->graph().merge(in.cls("n"), gathered);
  in.hlo->graph().rebuild();
  CHECK(in.text({{{in.cls("n"), node}}}) == "a cycle");  // `negated` has no definition
  std::string text = in.text({{{in.cls("n"), node}, {negated, negated}}});
  INFO(text);
  // Another opcode than negate: a name of its own, and the user is re-pointed.
  CHECK(contains(text, "all-gather.1 = f32[12,2] all-gather("));
  CHECK(contains(text, "tuple(r, all-gather.1)"));
  CHECK_FALSE(contains(text, "  h = "));
}

TEST_CASE("a definition of the same opcode takes the name, and users' lines stay") {
  Imported in(
      module_text("  x = f32[3] parameter(0)\n"
                  "  g = f32[12] all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  n = f32[12] negate(g), metadata={op_name=\"mine\"}\n"
                  "  ROOT r = f32[12]   exponential(n)\n"));
  ClassId x = in.cls("x");
  ClassId local = in.hlo->elementwise(in.node("n"), {&x, 1}, {3});
  ClassId gathered =
      in.hlo->all_gather(local, 0, in.hlo->op(in.node("g")).collective, {in.node("g")});
  ClassId twice = in.hlo->elementwise(in.node("n"), {&gathered, 1}, {12});
  NodeId top = twice;
  in.hlo->graph().merge(in.cls("n"), twice);
  in.hlo->graph().rebuild();
  Selection selection{{{in.cls("n"), top}, {gathered, gathered}, {local, local}}};
  std::string text = in.text(selection);
  INFO(text);
  CHECK(contains(text, "n = f32[12] negate(all-gather"));
  CHECK(contains(text, "metadata={op_name=\"mine\"}"));
  CHECK(contains(text, "  ROOT r = f32[12]   exponential(n)\n"));
}

TEST_CASE("originals by class are in text order and leave copies out") {
  Imported in(
      module_text("  x = f32[3] parameter(0)\n"
                  "  g = f32[12] all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  c = f32[12] copy(g)\n"
                  "  h = f32[12] all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  ROOT t = (f32[12], f32[12]) tuple(c, h)\n"));
  auto originals = originals_by_class(in.module, in.import, *in.hlo);
  CHECK(originals.at(in.cls("g")) == std::vector<hlo::InstructionId>{in.id("g"), in.id("h")});
}

// Two elements of one gather, and a selection that defines them (or `r`, behind the first) by
// gathers of one operand each.
const std::string kVariadic = module_text(
    "  x = f32[3,2] parameter(0)\n"
    "  y = f32[3,5] parameter(1)\n"
    "  g = (f32[12,2], f32[12,5]) all-gather(x, y), dimensions={0}, channel_id=5, "
    "replica_groups={{0,1,2,3}}, use_global_device_ids=true, metadata={op_name=\"both\"}\n"
    "  gx = f32[12,2] get-tuple-element(g), index=0\n"
    "  gy = f32[12,5] get-tuple-element(g), index=1\n"
    "  r = bf16[12,2] convert(gx)\n"
    "  n = f32[12,5] negate(gy)\n"
    "  ROOT t = (bf16[12,2], f32[12,5]) tuple(r, n)\n");

NodeId single_of(const Imported& in, const std::string& name) {
  for (NodeId node : in.hlo->graph().nodes(in.cls(name))) {
    if (is_collective(in.hlo->op(node).kind)) return node;
  }
  throw std::logic_error("no collective in the class of " + name);
}

TEST_CASE("collectives that came in as one go out as one, with its channel and metadata") {
  Imported in(kVariadic);
  const NodeId single = single_of(in, "gx");
  const ClassId x = in.cls("x");
  const ClassId narrow = in.hlo->convert(in.node("r"), x);
  const ClassId gathered = in.hlo->all_gather(narrow, 0, in.hlo->op(single).collective, {single});
  in.hlo->graph().merge(in.cls("r"), gathered);
  in.hlo->graph().rebuild();
  Selection selection;
  selection.chosen[narrow] = narrow;
  selection.chosen[in.cls("r")] = gathered;
  selection.chosen[in.cls("gy")] = single_of(in, "gy");
  auto exported = export_module(in.module, in.import, *in.hlo, selection);
  REQUIRE(exported);
  CHECK(exported->is_regrouped);
  std::string text = frontends::write_text(exported->module);
  INFO(text);
  hlo::verify_module(exported->module, in.counts);
  CHECK(contains(text,
                 "(f32[12,5], bf16[12,2]) all-gather(y, convert.1), channel_id=5, "
                 "replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true, "
                 "metadata={op_name=\"both\"}\n"));
  CHECK_FALSE(contains(text, "all-gather(x"));
  CHECK(contains(text, "negate(get-tuple-element.1)"));
  REQUIRE(exported->patches.size() == 2);
  CHECK(exported->patches[0].at == in.id("gy"));
  for (const Patch& patch : exported->patches) {
    CHECK(exported->module[patch.replacement].opcode == hlo::Opcode::kGetTupleElement);
    REQUIRE(patch.to.size() == patch.nodes.size());
  }

  auto apart = export_module(in.module, in.import, *in.hlo, selection, Grouped::kOneByOne);
  REQUIRE(apart);
  CHECK_FALSE(apart->is_regrouped);
  text = frontends::write_text(apart->module);
  CHECK(contains(text, "all-gather(y)"));
  CHECK_FALSE(contains(text, "channel_id=5"));
}

TEST_CASE("collectives that came in as one stay apart while the one is still needed") {
  Imported in(kVariadic);
  Selection selection;
  selection.chosen[in.cls("gy")] = single_of(in, "gy");
  auto exported = export_module(in.module, in.import, *in.hlo, selection);
  REQUIRE(exported);
  CHECK_FALSE(exported->is_regrouped);
}

TEST_CASE("collectives that came in as one stay apart where one needs the other") {
  Imported in(kVariadic);
  // As a rule might: the second gather's operand is made of the first one's result.
  const ClassId sliced =
      in.hlo->slice(egraph::kNoId, in.cls("gx"), hlo::SliceDims{{0, 3, 1}, {0, 2, 1}});
  const NodeId single = single_of(in, "gy");
  const ClassId padding = *in.hlo->constant(in.hlo->op(single).region, hlo::ElementType::kF32, 0);
  const ClassId padded =
      in.hlo->pad(egraph::kNoId, sliced, padding, hlo::PaddingDims{{0, 0, 0}, {0, 3, 0}});
  const ClassId gathered = in.hlo->all_gather(padded, 0, in.hlo->op(single).collective, {single});
  in.hlo->graph().merge(in.cls("gy"), gathered);
  in.hlo->graph().rebuild();
  Selection selection;
  for (ClassId cls : {sliced, padding, padded}) selection.chosen[cls] = cls;
  selection.chosen[in.cls("gx")] = single_of(in, "gx");
  selection.chosen[in.cls("gy")] = gathered;
  auto exported = export_module(in.module, in.import, *in.hlo, selection);
  REQUIRE(exported);
  CHECK_FALSE(exported->is_regrouped);
  hlo::verify_module(exported->module, in.counts);
}

TEST_CASE("reductions that came in as one stay apart where they reduce in other types") {
  Imported in(
      module_text("  x = f32[3] parameter(0)\n"
                  "  y = f32[5] parameter(1)\n"
                  "  s = (f32[3], f32[5]) all-reduce(x, y), to_apply=add" +
                  kOverAll +
                  "\n"
                  "  sx = f32[3] get-tuple-element(s), index=0\n"
                  "  sy = f32[5] get-tuple-element(s), index=1\n"
                  "  r = bf16[3] convert(sx)\n"
                  "  ROOT t = (bf16[3], f32[5]) tuple(r, sy)\n"));
  const NodeId single = single_of(in, "sx");
  auto select = [&](bool narrows) {
    Selection selection;
    selection.chosen[in.cls("sx")] = single;
    selection.chosen[in.cls("sy")] = single_of(in, "sy");
    if (narrows) {
      const ClassId narrow = in.hlo->convert(in.node("r"), in.cls("x"));
      const CollectiveIndex other = in.hlo->collectives().with_reducer(
          in.hlo->op(single).collective,
          hlo::Reducer{hlo::ReducerKind::kAdd, hlo::ElementType::kBF16});
      const ClassId reduced = in.hlo->all_reduce(narrow, other, {single});
      in.hlo->graph().merge(in.cls("r"), reduced);
      in.hlo->graph().rebuild();
      selection.chosen.erase(in.cls("sx"));
      selection.chosen[narrow] = narrow;
      selection.chosen[in.cls("r")] = reduced;
    }
    return export_module(in.module, in.import, *in.hlo, selection);
  };
  auto alike = select(false);
  REQUIRE(alike);
  CHECK(alike->is_regrouped);
  auto unlike = select(true);
  REQUIRE(unlike);
  CHECK_FALSE(unlike->is_regrouped);
}

}  // namespace
}  // namespace flipsat::language
