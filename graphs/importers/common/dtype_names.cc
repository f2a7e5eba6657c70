#include "graphs/importers/common/dtype_names.h"

#include <algorithm>
#include <array>

namespace opyard::graphs {
namespace {

using sim::DType;

struct Entry {
  std::string_view name;
  DType dtype;
};

// Unsigned integers that have no type of their own go by their width. PyTorch's types of packed
// pairs and quadruples count bytes, not elements, in their shapes.
constexpr auto kNames = std::to_array<Entry>({
    {"bf16", DType::kBf16},
    {"bfloat16", DType::kBf16},
    {"bool", DType::kBool},
    {"c128", DType::kC128},
    {"c64", DType::kC64},
    {"complex128", DType::kC128},
    {"complex64", DType::kC64},
    {"f16", DType::kF16},
    {"f32", DType::kF32},
    {"f4e2m1fn", DType::kF4},
    {"f64", DType::kF64},
    {"f8e3m4", DType::kF8},
    {"f8e4m3", DType::kF8},
    {"f8e4m3b11fnuz", DType::kF8},
    {"f8e4m3fn", DType::kF8},
    {"f8e4m3fnuz", DType::kF8},
    {"f8e5m2", DType::kF8},
    {"f8e5m2fnuz", DType::kF8},
    {"f8e8m0fnu", DType::kF8},
    {"float16", DType::kF16},
    {"float32", DType::kF32},
    {"float4_e2m1fn", DType::kF4},
    {"float4_e2m1fn_x2", DType::kF8},
    {"float64", DType::kF64},
    {"float8_e3m4", DType::kF8},
    {"float8_e4m3", DType::kF8},
    {"float8_e4m3b11fnuz", DType::kF8},
    {"float8_e4m3fn", DType::kF8},
    {"float8_e4m3fnuz", DType::kF8},
    {"float8_e5m2", DType::kF8},
    {"float8_e5m2fnuz", DType::kF8},
    {"float8_e8m0fnu", DType::kF8},
    {"int16", DType::kI16},
    {"int2", DType::kI2},
    {"int32", DType::kI32},
    {"int4", DType::kI4},
    {"int64", DType::kI64},
    {"int8", DType::kI8},
    {"pred", DType::kBool},
    {"qint16", DType::kI16},
    {"qint32", DType::kI32},
    {"qint8", DType::kI8},
    {"quint16", DType::kI16},
    {"quint2x4", DType::kU8},
    {"quint4x2", DType::kU8},
    {"quint8", DType::kU8},
    {"s16", DType::kI16},
    {"s2", DType::kI2},
    {"s32", DType::kI32},
    {"s4", DType::kI4},
    {"s64", DType::kI64},
    {"s8", DType::kI8},
    {"u16", DType::kI16},
    {"u2", DType::kI2},
    {"u32", DType::kI32},
    {"u4", DType::kI4},
    {"u64", DType::kI64},
    {"u8", DType::kU8},
    {"uint16", DType::kI16},
    {"uint2", DType::kI2},
    {"uint32", DType::kI32},
    {"uint4", DType::kI4},
    {"uint64", DType::kI64},
    {"uint8", DType::kU8},
});
static_assert(std::ranges::is_sorted(kNames, {}, &Entry::name));

}  // namespace

std::optional<DType> DTypeNamed(std::string_view name) {
  if (name.starts_with("torch.")) {
    name.remove_prefix(6);
  }
  const auto found = std::ranges::lower_bound(kNames, name, {}, &Entry::name);
  return found != kNames.end() && found->name == name ? std::optional(found->dtype) : std::nullopt;
}

}  // namespace opyard::graphs
