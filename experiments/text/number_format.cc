#include "experiments/text/number_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace opyard::experiments {
namespace {

struct UnitMeasure {
  const char* name;
  std::int64_t picoseconds;  // of one
  std::int64_t steps;        // that a rounded figure may take from one to the next, a power of ten
};

// By TimeUnit.
constexpr std::array<UnitMeasure, 4> kMeasures = {{{"ns", 1'000, 1'000},
                                                   {"us", 1'000'000, 1'000},
                                                   {"ms", 1'000'000'000, 1'000},
                                                   {"s", 1'000'000'000'000, 1'000'000}}};

const UnitMeasure& Measure(TimeUnit unit) {
  return kMeasures[static_cast<std::size_t>(unit)];
}

// The number of zeros of a power of ten.
std::size_t DigitsOf(std::int64_t power) {
  return std::to_string(power).size() - 1;
}

// `count` / `power` with all digits; `power` is one of ten.
std::string PointText(std::int64_t count, std::int64_t power) {
  const std::string digits = std::to_string(count % power);
  return std::to_string(count / power) + "." + std::string(DigitsOf(power) - digits.size(), '0') +
         digits;
}

}  // namespace

std::string Fixed(double value, int digits) {
  // The largest double has 309 digits before the point.
  std::array<char, 400> buffer{};
  const auto result = std::to_chars(
      buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data()));
  const bool is_zero = text.starts_with('-') && text.find_first_of("123456789") == text.npos;
  return std::string(is_zero && std::isfinite(value) ? text.substr(1) : text);
}

std::string Counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

const char* NameOf(TimeUnit unit) {
  return Measure(unit).name;
}

TimeUnit UnitOf(SimTime time) {
  if (time.picoseconds <= 0) {
    return TimeUnit::kMilliseconds;
  }
  // A time that three digits round up to one of a unit counts as one.
  constexpr std::int64_t kRounding = 2'000'000;
  for (const TimeUnit unit :
       {TimeUnit::kSeconds, TimeUnit::kMilliseconds, TimeUnit::kMicroseconds}) {
    const std::int64_t one = Measure(unit).picoseconds;
    if (time.picoseconds >= one - one / kRounding) {
      return unit;
    }
  }
  return TimeUnit::kNanoseconds;
}

std::string TimeFigure(double seconds, TimeUnit unit) {
  const double units = seconds * 1e12 / static_cast<double>(Measure(unit).picoseconds);
  return Fixed(units, static_cast<int>(DigitsOf(Measure(unit).steps)));
}

std::string TimeText(SimTime time) {
  return TimeText(time, UnitOf(time));
}

std::string TimeText(SimTime time, TimeUnit unit) {
  const UnitMeasure& measure = Measure(unit);
  const std::int64_t step = measure.picoseconds / measure.steps;
  const std::int64_t steps =
      time.picoseconds / step + (time.picoseconds % step * 2 >= step ? 1 : 0);
  return PointText(steps, measure.steps) + " " + measure.name;
}

std::string ExactTimeText(SimTime time, TimeUnit unit) {
  const UnitMeasure& measure = Measure(unit);
  return PointText(time.picoseconds, measure.picoseconds) + " " + measure.name;
}

std::string ChangeText(SimTime from, SimTime to, TimeUnit unit) {
  return (to < from ? "-" : "+") + TimeText(to < from ? from - to : to - from, unit);
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
