// Rules written as text: what is read, and what is said of what cannot be.
#include "hlo/input_error.h"
#include "rules/text/reader.h"
#include "tests/catch.h"

namespace flipsat::rules::text {
namespace {

std::string error_of(const std::string& text) {
  try {
    read_rules(text, "r");
  } catch (const hlo::InputError& error) {
    return error.what();
  }
  return "read";
}

const std::string kGood =
    "rule a   # a comment\n"
    "  class precise order-open\n"
    "  convert[t](all-reduce[add, G](x))   # ends here\n"
    "    ~> all-reduce[add, G](convert[t](x))\n"
    "  where float(type(x)),\n"
    "        keeps-values(type(x), t)\n"
    "rule b negate(negate(x)) => x\n";

TEST_CASE("text rules: what a rule says of itself") {
  std::vector<TextRuleRef> rules = read_rules(kGood, "r");
  REQUIRE(rules.size() == 2);
  CHECK(rules[0]->name == "a");
  CHECK(rules[0]->numerics == hlo::Numerics::kPrecise);
  CHECK(rules[0]->order_open);
  CHECK(rules[0]->relation == Relation::kRefined);
  CHECK(rules[0]->equation ==
        "convert[t](all-reduce[add, G](x)) ~> all-reduce[add, G](convert[t](x))");
  CHECK(rules[0]->condition == "float(type(x)), keeps-values(type(x), t)");
  CHECK(rules[1]->numerics == hlo::Numerics::kExact);
  CHECK(rules[1]->relation == Relation::kOneWay);
  CHECK(rules[1]->condition.empty());
  CHECK(read_rules("# nothing\n", "r").empty());
}

TEST_CASE("text rules: errors of syntax have their place") {
  CHECK(error_of("negate(x) => x") == "r:1:1: error: expected 'rule' instead of 'negate'");
  CHECK(error_of("rule") ==
        "r:1:5: error: expected the rule's name instead of the end of the file");
  CHECK(error_of("rule a\n  negate(x)") ==
        "r:2:12: error: expected '=', '=>' or '~>' instead of the end of the file");
  CHECK(error_of("rule a negate(x) => x y") ==
        "r:1:23: error: expected 'where' or the next 'rule' instead of 'y'");
  CHECK(error_of("rule a negate(x) => x where rank(x) == 1 y") ==
        "r:1:42: error: expected ',' or the next 'rule' instead of 'y'");
  CHECK(error_of("rule a class sloppy negate(x) => x") ==
        "r:1:14: error: there is no class 'sloppy' (exact, precise or reassoc)");
  CHECK(error_of("rule a negate(x => x") == "r:1:17: error: expected ',' instead of '=>'");
  CHECK(error_of("rule a transpose[[0, 1](x) => x") ==
        "r:1:24: error: expected ',' instead of '('");
  CHECK(error_of("rule a negate(x) => x where rank(x) == 99999999999999999999") ==
        "r:1:40: error: no number: '99999999999999999999'");
}

TEST_CASE("text rules: unknown names and wrong numbers of things have their place") {
  CHECK(error_of("rule a negat(x) => x") == "r:1:8: error: there is no operation 'negat'");
  CHECK(error_of("rule a all-gather[d](x) => x") ==
        "r:1:18: error: all-gather has 2 attributes [dim, groups], not 1");
  CHECK(error_of("rule a negate(x, y) => x") == "r:1:14: error: negate has 1 operand, not 2");
  CHECK(error_of("rule a dynamic-slice[s](x, i) => x") ==
        "r:1:28: error: the start indices must stand here, as 'i...'");
  CHECK(error_of("rule a negate(i...) => x") ==
        "r:1:15: error: start indices are the last operand of a dynamic-slice");
  CHECK(error_of("rule a negate(x) => x where frobs(x)") ==
        "r:1:29: error: there is no function 'frobs'");
  CHECK(error_of("rule a negate(x) => x where rank(y) == 1") ==
        "r:1:34: error: 'y' stands nowhere in the equation");
  CHECK(error_of("rule a all-gather[d, G](x) => x where 1 == d-one * 2") ==
        "r:1:44: error: 'd-one' stands nowhere in the equation (a difference wants blanks around "
        "its minus)");
  CHECK(error_of("rule a negate(x) => x where rank(x)") ==
        "r:1:29: error: a condition must stand here, not a number");
  CHECK(error_of("rule a negate(x) => x where uniform(x, 3)") ==
        "r:1:29: error: 'uniform' is of an operand, groups; or an operand, pairs of devices; or "
        "start indices, groups; or start indices, groups, a list of numbers, a list of numbers; "
        "here of an operand, a number");
}

TEST_CASE("text rules: a name has one meaning") {
  CHECK(error_of("rule a all-gather[x, G](x) => x") ==
        "r:1:19: error: 'x' stands for an operand, and a number must stand here");
  CHECK(error_of("rule a negate(add) => add") ==
        "r:1:15: error: 'add' is a reducer or an element type, no variable");
  CHECK(error_of("rule a negate(x) as x => x") ==
        "r:1:21: error: 'x' stands for something else already");
  CHECK(error_of("rule a negate(x) => x\nrule a abs(x) => x") ==
        "r:2:6: error: there is a rule 'a' already");
  CHECK(error_of("rule gather-convert negate(x) => x") ==
        "r:1:6: error: there is a rule 'gather-convert' already");
  CHECK(error_of("rule a convert[3](x) => x") ==
        "r:1:16: error: the element type of convert is an element type, not a number");
}

TEST_CASE("text rules: what a direction needs, it binds") {
  CHECK(error_of("rule a negate(x) => y") ==
        "r:1:21: error: 'y' is not bound when the rule is read from left to right");
  CHECK(error_of("rule a negate(negate(x)) = x") ==
        "r:1:28: error: a variable alone would match everything, read from right to left ('=>' "
        "has one direction)");
  CHECK(error_of("rule a reshape[s](all-gather[d, G](x)) = all-gather[e, G](reshape[t](x))") ==
        "r:1:53: error: 'e' is not bound when the rule is read from left to right");
  CHECK(error_of("rule a all-gather[d, G](x) as w = all-gather[d, G](negate(x)) where rank(w) == "
                 "2") ==
        "r:1:31: error: 'w' is not bound when the rule is read from right to left");
  CHECK(error_of("rule a x => negate(x)") ==
        "r:1:8: error: a variable alone would match everything, read from left to right ('=>' "
        "has one direction)");
  CHECK(error_of("rule a own-shard[d, G](x) => x") ==
        "r:1:8: error: own-shard cannot be matched, read from left to right");
  CHECK(error_of("rule a add(x, y) => compare(x, y)") ==
        "r:1:21: error: which compare must be said: compare[f]");
  CHECK(error_of("rule a negate(_) => _") ==
        "r:1:21: error: '_' is not bound when the rule is read from left to right");
  CHECK(error_of("rule a compare[f](_, x) => compare[f](x, x)") == "read");
}

TEST_CASE("text rules: nothing that is too large") {
  auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  CHECK(error_of("rule a " + repeated("negate(", 5000) + "x" + repeated(")", 5000) + " => x")
            .ends_with("too many operations on one side"));
  CHECK(error_of("rule a negate(x) => x where rank(x) == " + repeated("(", 100000))
            .ends_with("nested too deep"));
  CHECK(error_of("rule a negate(x) => x where rank(x) == 1" + repeated(" + 1", 100000))
            .ends_with("nested too deep"));
  CHECK(error_of("rule a negate(x) => x where rank(x) == 1" + repeated(", rank(x) == 1", 100))
            .ends_with("too many conditions"));
}

// Words of a good file dropped, doubled and exchanged: read or refused, never more.
TEST_CASE("text rules: any text is read or refused") {
  std::vector<std::string> words;
  std::string word;
  for (char c : kGood +
                    "rule c dynamic-slice[s](x, i...) => dynamic-slice[set(s, 0, -1)](x, i...) "
                    "where 0 not in s, length(s) / 2 <= s[0] % 3, s[0] in [1, 2]\n") {
    const bool is_part = std::isalnum(static_cast<unsigned char>(c)) || c == '-';
    if (!is_part && !word.empty()) words.push_back(std::exchange(word, {}));
    if (is_part) word += c;
    if (!is_part) words.emplace_back(1, c);
  }
  uint64_t state = 1;
  auto random = [&](size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state >> 33) % below;
  };
  int read = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<std::string> changed = words;
    for (size_t times = 1 + random(3); times > 0; --times) {
      size_t at = random(changed.size()), other = random(changed.size());
      switch (random(3)) {
        case 0:
          changed.erase(changed.begin() + static_cast<long>(at));
          break;
        case 1:
          changed.insert(changed.begin() + static_cast<long>(at), changed[other]);
          break;
        default:
          std::swap(changed[at], changed[other]);
      }
    }
    std::string text;
    for (const std::string& part : changed) text += part;
    read += error_of(text) == "read";
  }
  CHECK(read > 0);
  CHECK(read < 4000);
}

}  // namespace
}  // namespace flipsat::rules::text
