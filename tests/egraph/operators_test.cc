#include "egraph/operators.h"

#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

TEST_CASE("operators: one id for each pair of kind and payload") {
  Operators operators;
  const OperatorId a = operators.intern(3, 0);
  const OperatorId b = operators.intern(3, 4'000'000'000u);
  const OperatorId c = operators.intern(4, 0);
  CHECK(operators.intern(3, 0) == a);
  CHECK(a != b);
  CHECK(a != c);
  CHECK(operators.kind(b) == 3);
  CHECK(operators.payload(b) == 4'000'000'000u);
  CHECK(operators.size() == 3);
}

}  // namespace
}  // namespace flipsat::egraph
