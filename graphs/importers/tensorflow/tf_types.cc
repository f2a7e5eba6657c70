#include "graphs/importers/tensorflow/tf_types.h"

#include <algorithm>
#include <array>
#include <string>

#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

using enum sim::DType;

constexpr std::int64_t kReference = 100;
constexpr std::string_view kReferenceSuffix = "_REF";

struct TfType {
  std::string_view name;
  sim::DType dtype;
};

// By number, as in tensorflow/core/framework/types.proto. Unsigned types wider than a byte and
// quantised ones are as wide as ours of their number of bits.
constexpr auto kTypes = std::to_array<TfType>({
    {"DT_INVALID", kOther},
    {"DT_FLOAT", kF32},
    {"DT_DOUBLE", kF64},
    {"DT_INT32", kI32},
    {"DT_UINT8", kU8},
    {"DT_INT16", kI16},
    {"DT_INT8", kI8},
    {"DT_STRING", kOther},
    {"DT_COMPLEX64", kC64},
    {"DT_INT64", kI64},
    {"DT_BOOL", kBool},
    {"DT_QINT8", kI8},
    {"DT_QUINT8", kU8},
    {"DT_QINT32", kI32},
    {"DT_BFLOAT16", kBf16},
    {"DT_QINT16", kI16},
    {"DT_QUINT16", kI16},
    {"DT_UINT16", kI16},
    {"DT_COMPLEX128", kC128},
    {"DT_HALF", kF16},
    {"DT_RESOURCE", kOther},
    {"DT_VARIANT", kOther},
    {"DT_UINT32", kI32},
    {"DT_UINT64", kI64},
    {"DT_FLOAT8_E5M2", kF8},
    {"DT_FLOAT8_E4M3FN", kF8},
    {"DT_FLOAT8_E4M3FNUZ", kF8},
    {"DT_FLOAT8_E4M3B11FNUZ", kF8},
    {"DT_FLOAT8_E5M2FNUZ", kF8},
    {"DT_INT4", kI4},
    {"DT_UINT4", kI4},
    {"DT_INT2", kI2},
    {"DT_UINT2", kI2},
    {"DT_FLOAT4_E2M1FN", kF4},
});

std::int64_t WithoutReference(std::int64_t type) {
  return type > kReference ? type - kReference : type;
}

}  // namespace

sim::DType TfDType(std::int64_t type) {
  const std::int64_t index = WithoutReference(type);
  if (index < 0 || index >= std::ssize(kTypes)) {
    throw InputError("found the element type " + std::to_string(type) +
                     ", expected a DataType of TensorFlow, from 1 to " +
                     std::to_string(kTypes.size() - 1));
  }
  return kTypes[static_cast<std::size_t>(index)].dtype;
}

bool HasTfElements(std::int64_t type) {
  const std::int64_t plain = WithoutReference(type);
  return plain != 0 && plain != kTfString && plain != kTfResource && plain != kTfVariant;
}

std::optional<std::int64_t> FindTfType(std::string_view name) {
  const bool is_reference = name.ends_with(kReferenceSuffix);
  if (is_reference) {
    name.remove_suffix(kReferenceSuffix.size());
  }
  const auto found = std::ranges::find(kTypes, name, &TfType::name);
  if (found == kTypes.end()) {
    return std::nullopt;
  }
  return (found - kTypes.begin()) + (is_reference ? kReference : 0);
}

}  // namespace opyard::graphs
