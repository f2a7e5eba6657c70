// Which element type stands in for one that a device says nothing about.
#pragma once

#include "sim/graph/op.h"

namespace opyard::sim {

// The type whose arithmetic a device does instead of `dtype`'s: the next wider type of the same
// kind, f64 for c128, else f32. Repeated, it ends at f32, which stands in for itself.
[[nodiscard]] constexpr DType WiderType(DType dtype) {
  switch (dtype) {
    case DType::kI2:
      return DType::kI4;
    case DType::kI4:
      return DType::kI8;
    case DType::kF4:
      return DType::kF8;
    case DType::kC128:
      return DType::kF64;
    default:
      return DType::kF32;
  }
}

}  // namespace opyard::sim
