// Quantities as they stand in YAML files, the unit with the value: 16 GiB, 900 GB/s, 5 us.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/base/units.h"

namespace opyard::sim {

// A value, or why the text is none.
template <class T>
struct TextReading {
  std::optional<T> value;
  std::string problem;  // "a unit is missing in "16", expected for example 16 GiB"
};

// Numbers are decimal, without sign: 16, 2.5, 1e3; spaces before the unit may be left out. kB, MB,
// GB, TB, PB are powers of 1000, KiB … PiB of 1024. Bare numbers, other units and other spellings
// are refused with a hint.

// B, kB … PB, KiB … PiB; a whole number of bytes, at most 2^62.
[[nodiscard]] TextReading<Bytes> ParseSize(std::string_view text);
// The same per second; b/s, kb/s … Tb/s are bits.
[[nodiscard]] TextReading<double> ParseBytesPerSecond(std::string_view text);
// FLOP/s with k, M, G, T, P or E.
[[nodiscard]] TextReading<double> ParseFlopsPerSecond(std::string_view text);
// s, ms, us, ns, ps; at most kLargestSeconds.
[[nodiscard]] TextReading<double> ParseSeconds(std::string_view text);

}  // namespace opyard::sim
