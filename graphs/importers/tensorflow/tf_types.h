// TensorFlow's element types (enum DataType) in ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/graph/op.h"

namespace opyard::graphs {

// Numbers of DataType that are named here.
inline constexpr std::int64_t kTfFloat = 1;
inline constexpr std::int64_t kTfInt32 = 3;
inline constexpr std::int64_t kTfString = 7;
inline constexpr std::int64_t kTfInt64 = 9;
inline constexpr std::int64_t kTfBool = 10;
inline constexpr std::int64_t kTfQint32 = 13;
inline constexpr std::int64_t kTfResource = 20;
inline constexpr std::int64_t kTfVariant = 21;

// The element type of tensors of `type`; kOther for texts, resources and variants, which have no
// size, and for 0, which stands for no type. References (100 more) are as what they refer to.
// Throws InputError without a place for a number that TensorFlow does not define.
[[nodiscard]] sim::DType TfDType(std::int64_t type);

// False for texts, resources, variants and 0: tensors of them count no bytes.
[[nodiscard]] bool HasTfElements(std::int64_t type);

// The number of a type by its name in the text form: 1 for "DT_FLOAT".
[[nodiscard]] std::optional<std::int64_t> FindTfType(std::string_view name);

}  // namespace opyard::graphs
