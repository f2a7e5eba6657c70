// Sizes of the elements of tensors.
#pragma once

#include <cstdint>

#include "sim/graph/op.h"

namespace opyard::sim {

// 32 for kOther.
[[nodiscard]] constexpr std::int64_t ElementBits(DType dtype) {
  switch (dtype) {
    case DType::kC128:
      return 128;
    case DType::kF64:
    case DType::kI64:
    case DType::kC64:
      return 64;
    case DType::kF16:
    case DType::kBf16:
    case DType::kI16:
      return 16;
    case DType::kF8:
    case DType::kI8:
    case DType::kU8:
    case DType::kBool:
      return 8;
    case DType::kF4:
    case DType::kI4:
      return 4;
    case DType::kI2:
      return 2;
    case DType::kF32:
    case DType::kTf32:
    case DType::kI32:
    case DType::kOther:
      break;
  }
  return 32;
}

// The bytes that `count` >= 0 elements occupy: several share a byte where they are smaller than
// one. Less than 2^59 elements of at most 128 bits stay within int64.
[[nodiscard]] constexpr std::int64_t PackedBytes(DType dtype, std::int64_t count) {
  const std::int64_t bits = ElementBits(dtype);
  return bits >= 8 ? count * (bits / 8) : count / (8 / bits) + (count % (8 / bits) != 0 ? 1 : 0);
}

}  // namespace opyard::sim
