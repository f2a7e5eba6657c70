// The precision of a network's matrix products. Needs no LibTorch.
#pragma once

#include <cstdint>

namespace opyard::agents {

// bfloat16 has the exponents of float32 and 8 binary digits: a unit roundoff of 2⁻⁸.
enum class Precision : std::uint8_t { kFloat32, kBfloat16 };

}  // namespace opyard::agents
