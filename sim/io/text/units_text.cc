#include "sim/io/text/units_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace opyard::sim {
namespace {

// value · numerator / denominator; one of the two is 1, so that decimal fractions stay exact.
struct Unit {
  std::string_view name;
  double numerator;
  double denominator;
};

struct Hint {
  std::string_view wrong;
  std::string_view hint;
};

// All that differs between kinds of quantities.
struct UnitTable {
  std::string_view example;
  std::span<const Unit> units;
  std::span<const Hint> hints;
};

constexpr double kKibi = 1024.0;
constexpr double kMebi = kKibi * kKibi;
constexpr double kGibi = kMebi * kKibi;
constexpr double kTebi = kGibi * kKibi;
constexpr double kPebi = kTebi * kKibi;

constexpr std::array<Unit, 11> kSizeUnits = {{{"B", 1, 1},
                                              {"kB", 1e3, 1},
                                              {"MB", 1e6, 1},
                                              {"GB", 1e9, 1},
                                              {"TB", 1e12, 1},
                                              {"PB", 1e15, 1},
                                              {"KiB", kKibi, 1},
                                              {"MiB", kMebi, 1},
                                              {"GiB", kGibi, 1},
                                              {"TiB", kTebi, 1},
                                              {"PiB", kPebi, 1}}};
constexpr std::array<Hint, 12> kSizeHints = {
    {{"KB", "KB is ambiguous: write kB (1000 bytes) or KiB (1024 bytes)"},
     {"K", "write kB (1000 bytes) or KiB (1024 bytes)"},
     {"k", "write kB (1000 bytes) or KiB (1024 bytes)"},
     {"M", "write MB (1e6 bytes) or MiB (2^20 bytes)"},
     {"G", "write GB (1e9 bytes) or GiB (2^30 bytes)"},
     {"T", "write TB (1e12 bytes) or TiB (2^40 bytes)"},
     {"Gb", "Gb is bits: write GB or GiB"},
     {"Mb", "Mb is bits: write MB or MiB"},
     {"gb", "write GB (1e9 bytes) or GiB (2^30 bytes)"},
     {"mb", "write MB (1e6 bytes) or MiB (2^20 bytes)"},
     {"kib", "write KiB"},
     {"gib", "write GiB"}}};

constexpr std::array<Unit, 16> kRateUnits = {{{"B/s", 1, 1},
                                              {"kB/s", 1e3, 1},
                                              {"MB/s", 1e6, 1},
                                              {"GB/s", 1e9, 1},
                                              {"TB/s", 1e12, 1},
                                              {"PB/s", 1e15, 1},
                                              {"KiB/s", kKibi, 1},
                                              {"MiB/s", kMebi, 1},
                                              {"GiB/s", kGibi, 1},
                                              {"TiB/s", kTebi, 1},
                                              {"PiB/s", kPebi, 1},
                                              {"b/s", 1, 8},
                                              {"kb/s", 125, 1},
                                              {"Mb/s", 125e3, 1},
                                              {"Gb/s", 125e6, 1},
                                              {"Tb/s", 125e9, 1}}};
constexpr std::array<Hint, 11> kRateHints = {
    {{"GB", "a rate is per second: write GB/s"},
     {"GiB", "a rate is per second: write GiB/s"},
     {"MB", "a rate is per second: write MB/s"},
     {"Gb", "a rate is per second: write Gb/s (bits) or GB/s (bytes)"},
     {"Gbps", "write Gb/s (bits) or GB/s (bytes)"},
     {"GBps", "write GB/s"},
     {"Mbps", "write Mb/s (bits) or MB/s (bytes)"},
     {"MBps", "write MB/s"},
     {"KB/s", "KB is ambiguous: write kB/s (1000 bytes) or KiB/s (1024 bytes)"},
     {"gb/s", "write Gb/s (bits) or GB/s (bytes)"},
     {"G/s", "write Gb/s (bits) or GB/s (bytes)"}}};

constexpr std::array<Unit, 7> kFlopUnits = {{{"FLOP/s", 1, 1},
                                             {"kFLOP/s", 1e3, 1},
                                             {"MFLOP/s", 1e6, 1},
                                             {"GFLOP/s", 1e9, 1},
                                             {"TFLOP/s", 1e12, 1},
                                             {"PFLOP/s", 1e15, 1},
                                             {"EFLOP/s", 1e18, 1}}};
constexpr std::array<Hint, 10> kFlopHints = {{{"TFLOPS", "write TFLOP/s"},
                                              {"TFLOPs", "write TFLOP/s"},
                                              {"TFlops", "write TFLOP/s"},
                                              {"TFLOP", "a rate is per second: write TFLOP/s"},
                                              {"TF", "write TFLOP/s"},
                                              {"TFLOPS/s", "write TFLOP/s"},
                                              {"TOPS", "write TFLOP/s"},
                                              {"GFLOPS", "write GFLOP/s"},
                                              {"GFLOPs", "write GFLOP/s"},
                                              {"GFLOP", "a rate is per second: write GFLOP/s"}}};

constexpr std::array<Unit, 5> kTimeUnits = {
    {{"s", 1, 1}, {"ms", 1, 1e3}, {"us", 1, 1e6}, {"ns", 1, 1e9}, {"ps", 1, 1e12}}};
constexpr std::array<Hint, 10> kTimeHints = {{{"\u00b5s", "write us"},
                                              {"\u03bcs", "write us"},
                                              {"sec", "write s"},
                                              {"seconds", "write s"},
                                              {"msec", "write ms"},
                                              {"usec", "write us"},
                                              {"m", "write ms or s"},
                                              {"min", "write s"},
                                              {"h", "write s"},
                                              {"u", "write us"}}};

constexpr UnitTable kSize = {"16 GiB", kSizeUnits, kSizeHints};
constexpr UnitTable kRate = {"900 GB/s", kRateUnits, kRateHints};
constexpr UnitTable kFlopRate = {"15.7 TFLOP/s", kFlopUnits, kFlopHints};
constexpr UnitTable kTime = {"5 us", kTimeUnits, kTimeHints};

constexpr double kMostBytes = 4611686018427387904.0;  // 2^62
constexpr double kMostRate = 1e24;

std::string Quoted(std::string_view text) {
  constexpr std::size_t kMostShown = 40;
  return "\"" + std::string(text.substr(0, kMostShown)) + (text.size() > kMostShown ? "…\"" : "\"");
}

TextReading<double> Refuse(std::string problem) {
  return {.value = std::nullopt, .problem = std::move(problem)};
}

std::string UnitNames(const UnitTable& table) {
  std::string names;
  for (const Unit& unit : table.units) {
    names += (names.empty() ? "" : ", ") + std::string(unit.name);
  }
  return names;
}

// Why `name` is not one of the units.
std::string UnitProblem(std::string_view text, std::string_view name, const UnitTable& table) {
  const std::string example = ", for example " + std::string(table.example);
  if (name.empty()) {
    return "a bare number " + Quoted(text) + ", expected a number with its unit" + example;
  }
  const auto hint = std::ranges::find(table.hints, name, &Hint::wrong);
  if (hint != table.hints.end()) {
    return "unit " + Quoted(name) + " in " + Quoted(text) + ": " + std::string(hint->hint);
  }
  return "unknown unit " + Quoted(name) + " in " + Quoted(text) + ", expected one of " +
         UnitNames(table) + example;
}

TextReading<double> ParseQuantity(std::string_view text, const UnitTable& table) {
  if (text.empty() || text.front() < '0' || text.front() > '9') {
    const bool is_negative = text.starts_with('-');
    return Refuse(Quoted(text) + (is_negative ? " is negative" : " is not a number with its unit") +
                  ", expected for example " + std::string(table.example));
  }
  double number = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc()) {
    return Refuse(Quoted(text) + " is too large or too small a number");
  }
  std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  const auto unit = std::ranges::find(table.units, name, &Unit::name);
  if (unit == table.units.end()) {
    return Refuse(UnitProblem(text, name, table));
  }
  return {.value = number * unit->numerator / unit->denominator, .problem = ""};
}

TextReading<double> ParseRate(std::string_view text, const UnitTable& table) {
  TextReading<double> reading = ParseQuantity(text, table);
  if (reading.value && !(*reading.value <= kMostRate)) {
    return Refuse(Quoted(text) + " is beyond any machine, expected at most 1e24 per second");
  }
  return reading;
}

}  // namespace

TextReading<Bytes> ParseSize(std::string_view text) {
  const TextReading<double> reading = ParseQuantity(text, kSize);
  if (!reading.value) {
    return {.value = std::nullopt, .problem = reading.problem};
  }
  if (!(*reading.value <= kMostBytes)) {
    return {.value = std::nullopt, .problem = Quoted(text) + " is more than 2^62 bytes"};
  }
  // A decimal fraction such as 0.3 GB may miss its whole number by the rounding of a double.
  const double whole = std::nearbyint(*reading.value);
  if (std::abs(whole - *reading.value) > 1e-12 * whole) {
    return {.value = std::nullopt, .problem = Quoted(text) + " is not a whole number of bytes"};
  }
  return {.value = Bytes{static_cast<std::int64_t>(whole)}, .problem = ""};
}

TextReading<double> ParseBytesPerSecond(std::string_view text) {
  return ParseRate(text, kRate);
}

TextReading<double> ParseFlopsPerSecond(std::string_view text) {
  return ParseRate(text, kFlopRate);
}

TextReading<double> ParseSeconds(std::string_view text) {
  TextReading<double> reading = ParseQuantity(text, kTime);
  if (reading.value && !FitsInSimTime(*reading.value)) {
    return Refuse(Quoted(text) + " is too long a time, expected at most 4.6e6 s");
  }
  return reading;
}

}  // namespace opyard::sim
