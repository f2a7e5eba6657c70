#include "experiments/text/figures.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace opyard::experiments {

std::string Fixed(double value, int digits) {
  // The largest double has 309 digits before the point.
  std::array<char, 400> buffer{};
  const auto result = std::to_chars(
      buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits);
  return {buffer.data(), result.ptr};
}

std::string Milliseconds(SimTime time) {
  return Fixed(time.seconds() * 1e3, 3) + " ms";
}

std::string ExactMilliseconds(SimTime time) {
  constexpr std::int64_t kPicoseconds = 1'000'000'000;
  const std::string digits = std::to_string(time.picoseconds % kPicoseconds);
  return std::to_string(time.picoseconds / kPicoseconds) + "." +
         std::string(9 - digits.size(), '0') + digits + " ms";
}

std::string PercentText(SimTime part, SimTime whole) {
  const double share = whole.picoseconds == 0 ? 0.0 : part.seconds() / whole.seconds();
  return Fixed(100.0 * share, 1) + " %";
}

std::string BytesText(Bytes bytes) {
  constexpr std::array<const char*, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  constexpr double kStep = 1024.0;
  if (bytes.count < 1024) {
    return std::to_string(bytes.count) + " B";
  }
  double value = static_cast<double>(bytes.count) / kStep;
  std::size_t unit = 0;
  while (value >= kStep && unit + 1 < kUnits.size()) {
    value /= kStep;
    ++unit;
  }
  return Fixed(value, 2) + " " + kUnits[unit];
}

std::string OneLine(std::string_view name) {
  std::string line(name);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return line;
}

std::size_t ColumnsOf(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace opyard::experiments
