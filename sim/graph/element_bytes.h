// How large one element of a tensor is.
#pragma once

#include <cstdint>

#include "sim/graph/op.h"

namespace opyard::sim {

// 4 for kOther.
[[nodiscard]] constexpr std::int64_t ElementBytes(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kI64:
      return 8;
    case DType::kF16:
    case DType::kBf16:
    case DType::kI16:
      return 2;
    case DType::kF8:
    case DType::kI8:
    case DType::kU8:
    case DType::kBool:
      return 1;
    case DType::kF32:
    case DType::kTf32:
    case DType::kI32:
    case DType::kOther:
      break;
  }
  return 4;
}

}  // namespace opyard::sim
