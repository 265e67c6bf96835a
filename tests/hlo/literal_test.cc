#include "hlo/literal.h"

#include "tests/catch.h"

namespace flipsat::hlo {
namespace {

uint64_t bits(ElementType type, int64_t value) { return *exact_scalar(type, value)->bits_at(0); }

TEST_CASE("scalars of any real type, where it holds the value") {
  CHECK(exact_scalar(ElementType::kS32, -3)->integer_at(0) == -3);
  CHECK(exact_scalar(ElementType::kPred, 1)->integer_at(0) == 1);
  CHECK(exact_scalar(ElementType::kS8, 128) == nullptr);
  CHECK(exact_scalar(ElementType::kU8, -1) == nullptr);
  CHECK(exact_scalar(ElementType::kPred, 2) == nullptr);
  CHECK(bits(ElementType::kF32, 0) == 0);
  CHECK(bits(ElementType::kF32, 1) == 0x3f800000);
  CHECK(bits(ElementType::kF32, -6) == 0xc0c00000);
  CHECK(bits(ElementType::kF64, 3) == 0x4008000000000000);
  CHECK(bits(ElementType::kBF16, 256) == 0x4380);
  CHECK(exact_scalar(ElementType::kBF16, 257) == nullptr);
  CHECK(bits(ElementType::kF16, 65504) == 0x7bff);
  CHECK(exact_scalar(ElementType::kF16, 65536) == nullptr);  // would be infinity
  CHECK(bits(ElementType::kF8E5M2, 8) == 0x48);
  CHECK(exact_scalar(ElementType::kC64, 1) == nullptr);
}

}  // namespace
}  // namespace flipsat::hlo
