// The harness itself: rules from outside the catalogue, passes, choices, the judge.
#include "frontends/text/text.h"
#include "rules/vocabulary.h"
#include "tests/catch.h"
#include "tests/rules/fixture.h"
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

using optimizer::Counts;
using optimizer::Judge;
using optimizer::Judgement;

Space first_space(std::vector<Space> spaces) {
  spaces[0].sample = 400;
  return spaces[0];
}

// gather-dynamic-slice as one might first write it: nothing is asked of the starts.
constexpr OpVar kSlice{"slice"};
void add_slice_without_condition(RuleBook& book) {
  for (int rank = 1; rank <= 4; ++rank) {
    HloGraph& h = book.hlo();
    book.add(book.rule("forward/rank" + std::to_string(rank),
                       dynamic_slice(kSlice, all_gather(kGather, kX), rank))
                 .then([&h, rank](egraph::EGraph&, const Match& m) -> Outcome {
                   NodeId gather = m.node(kGather);
                   int dim = dim_of(h, gather);
                   const auto& ints = h.op(m.node(kSlice)).ints;
                   if (ints[dim] != h.op(gather).shape.dims[dim]) return refuse("d is cut");
                   hlo::Dims sizes(ints.begin(), ints.end());
                   sizes[dim] = h.dims(m[kX])[dim];
                   ClassId cut = h.dynamic_slice(m.node(kSlice), m[kX], starts_of(m, rank), sizes);
                   return h.all_gather(cut, dim, h.op(gather).collective, {gather});
                 }));
  }
}

TEST_CASE("harness: a rule of one's own without its condition is caught, with a small example") {
  Family family{{.name = "my-rule", .family = "mine", .equation = "", .condition = "none"},
                add_slice_without_condition};
  Counts counts = optimizer::check(first_space(gather_dynamic_slice_spaces()),
                                   optimizer::rule_rewriter(family, "forward"));
  CHECK(counts.wrong > 0);
  REQUIRE(counts.smallest);
  CHECK(counts.smallest->devices == 2);
  CHECK(counts.smallest->elements < 40);
  INFO(frontends::write_text(counts.smallest->module));
  Judge judge(counts.smallest->module);
  CHECK(judge.of(counts.smallest->rewritten, Promise::kBits).verdict == Judgement::kWrong);
}

TEST_CASE("harness: passes are tried like rules") {
  passes::GreedyOptions options;
  options.order = {"aws_neuron_flip_all_gather_dynamic_slice"};
  Counts counts = optimizer::check(first_space(gather_dynamic_slice_spaces()),
                                   optimizer::pass_rewriter(options, Promise::kBits));
  CHECK(counts.fired > 0);
  CHECK(counts.wrong == 0);
  CHECK(counts.not_run == 0);
}

TEST_CASE("harness: choices run through all cases, each once, and can be replayed") {
  Choices choices = Choices::first();
  std::vector<std::vector<int64_t>> all;
  do {
    std::vector<int64_t> dims(static_cast<size_t>(choices.between(0, 2)));
    for (int64_t& dim : dims) dim = choices.between(1, 3);
    all.push_back(dims);
  } while (choices.advance());
  CHECK(all.size() == 1 + 3 + 9);
  CHECK(std::set(all.begin(), all.end()).size() == all.size());
  Choices replayed = Choices::replayed({2, 1, 99});
  CHECK(replayed.between(0, 2) == 2);
  CHECK(replayed.below(3) == 1);
  CHECK(replayed.below(3) == 2);  // as many as there are
  CHECK(replayed.below(3) == 0);  // the script has ended
}

TEST_CASE("harness: ordered groupings of few devices") {
  CHECK(optimizer::ordered_groups(2).size() == 3);
  CHECK(optimizer::ordered_groups(3).size() == 7);
  CHECK(optimizer::ordered_groups(4).size() == 37);
}

hlo::Module read(const std::string& lines) {
  return frontends::read_text(program(lines), "small.hlo");
}

TEST_CASE("harness: a sum may be made in a wider type, never in a narrower one") {
  hlo::Module narrow = read(
      "x = bf16[64] parameter(0)\n"
      "s = bf16[64] all-reduce(x), to_apply=add_bf16" +
      kOverAll + "\nROOT r = f32[64] convert(s)\n");
  hlo::Module wide = read(
      "x = bf16[64] parameter(0)\n"
      "c = f32[64] convert(x)\n"
      "ROOT r = f32[64] all-reduce(c), to_apply=add_f32" +
      kOverAll + "\n");
  CHECK(Judge(narrow).of(wide, Promise::kPrecise).verdict == Judgement::kRight);
  CHECK(Judge(narrow).of(wide, Promise::kBits).verdict == Judgement::kWrong);
  CHECK(Judge(wide).of(narrow, Promise::kPrecise).verdict == Judgement::kWrong);
}

TEST_CASE("harness: the sign of a zero and the order of a sum count where they must") {
  auto of = [](const std::string& lines) { return read("x = f32[64] parameter(0)\n" + lines); };
  hlo::Module plain = of("ROOT r = f32[64] copy(x)\n");
  hlo::Module unsigned_zero =
      of("z = f32[] constant(0)\nb = f32[64] broadcast(z), dimensions={}\n"
         "ROOT r = f32[64] add(x, b)\n");
  CHECK(Judge(plain).of(unsigned_zero, Promise::kBits).verdict == Judgement::kWrong);
  CHECK(Judge(plain).of(unsigned_zero, Promise::kReassoc).verdict == Judgement::kRight);
  // A gather of the members in another order, added up: another order of the same sum.
  auto summed = [&](const std::string& groups) {
    return of("g = f32[256] all-gather(x), dimensions={0}" + in_groups(groups) +
              "\nm = f32[4,64] reshape(g)\nz = f32[] constant(0)\n"
              "ROOT r = f32[64] reduce(m, z), dimensions={0}, to_apply=add_f32\n");
  };
  hlo::Module sum = summed("{{0,1,2,3}}"), turned = summed("{{3,1,0,2}}");
  CHECK(Judge(sum).of(turned, Promise::kBits).verdict == Judgement::kWrong);
  CHECK(Judge(sum).of(turned, Promise::kOrderOpen).verdict == Judgement::kRight);
  CHECK(Judge(sum).of(of("ROOT r = f32[64] copy(x)\n"), Promise::kOrderOpen).verdict ==
        Judgement::kWrong);
}

}  // namespace
}  // namespace flipsat::rules::testing
