#include "experiments/machines/quantity_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "experiments/text/number_format.h"
#include "sim/base/options.h"

namespace opyard::experiments {
namespace {

constexpr auto kBaseUnits = std::to_array<std::string_view>({"", "B", "B/s", "FLOP/s", "s"});

// Bytes and times beyond what their types hold are printed as they are.
constexpr double kMostSeconds = 4.6e6;
constexpr double kMostBytes = 4.6e18;

}  // namespace

std::optional<Quantity> FindQuantity(const std::string& text) {
  Quantity quantity;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, quantity.value);
  if (status != std::errc() || !std::isfinite(quantity.value)) {
    return std::nullopt;
  }
  quantity.unit.assign(rest != end && *rest == ' ' ? rest + 1 : rest, end);
  const bool is_known = std::ranges::find(kBaseUnits, quantity.unit) != kBaseUnits.end();
  return is_known ? std::optional(quantity) : std::nullopt;
}

std::string QuantityText(const std::string& text) {
  const std::optional<Quantity> quantity = FindQuantity(text);
  if (!quantity) {
    return text.empty() ? "(none)" : text;
  }
  if (quantity->unit == "B" && std::abs(quantity->value) < kMostBytes) {
    return BytesText(Bytes{static_cast<std::int64_t>(quantity->value)});
  }
  if (quantity->unit == "s" && std::abs(quantity->value) < kMostSeconds) {
    return TimeText(SimTime::FromSeconds(quantity->value));
  }
  if (quantity->unit == "B/s") {
    return ToText(quantity->value / 1e9) + " GB/s";
  }
  if (quantity->unit == "FLOP/s") {
    return ToText(quantity->value / 1e12) + " TFLOP/s";
  }
  return text;
}

}  // namespace opyard::experiments
