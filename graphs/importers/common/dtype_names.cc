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

// Unsigned integers wider than a byte have no type of their own; their width does.
constexpr auto kNames = std::to_array<Entry>({
    {"bf16", DType::kBf16},        {"bfloat16", DType::kBf16},  {"bool", DType::kBool},
    {"f16", DType::kF16},          {"f32", DType::kF32},        {"f64", DType::kF64},
    {"f8e4m3", DType::kF8},        {"f8e4m3fn", DType::kF8},    {"f8e5m2", DType::kF8},
    {"float16", DType::kF16},      {"float32", DType::kF32},    {"float64", DType::kF64},
    {"float8_e4m3fn", DType::kF8}, {"float8_e5m2", DType::kF8}, {"int16", DType::kI16},
    {"int32", DType::kI32},        {"int64", DType::kI64},      {"int8", DType::kI8},
    {"pred", DType::kBool},        {"s16", DType::kI16},        {"s32", DType::kI32},
    {"s64", DType::kI64},          {"s8", DType::kI8},          {"u16", DType::kI16},
    {"u32", DType::kI32},          {"u64", DType::kI64},        {"u8", DType::kU8},
    {"uint16", DType::kI16},       {"uint32", DType::kI32},     {"uint64", DType::kI64},
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
