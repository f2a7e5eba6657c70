// Quantities with their unit in the type: simulated time, bytes, floating-point operations.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

namespace opyard {

// A point or span of simulated time in whole picoseconds, so that sums are exact and ties are ties.
struct SimTime {
  std::int64_t picoseconds = 0;

  // The one place where seconds are rounded: to the nearest picosecond, halves to even.
  // REQUIRES: FitsInSimTime(seconds).
  [[nodiscard]] static SimTime FromSeconds(double seconds) {
    return SimTime{static_cast<std::int64_t>(std::nearbyint(seconds * 1e12))};
  }
  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(picoseconds) / 1e12; }

  friend constexpr auto operator<=>(SimTime, SimTime) = default;
  friend constexpr SimTime operator+(SimTime a, SimTime b) {
    return SimTime{a.picoseconds + b.picoseconds};
  }
  friend constexpr SimTime operator-(SimTime a, SimTime b) {
    return SimTime{a.picoseconds - b.picoseconds};
  }
  constexpr SimTime& operator+=(SimTime other) {
    picoseconds += other.picoseconds;
    return *this;
  }
};

// The longest time a file may state: half the range of SimTime, about 53 days.
inline constexpr double kLargestSeconds = 4.6e6;

// True if `seconds` is a finite, non-negative time that SimTime can hold with room for sums.
[[nodiscard]] inline bool FitsInSimTime(double seconds) {
  return seconds >= 0.0 && seconds <= kLargestSeconds;  // false for NaN
}

// Bytes of memory or traffic.
struct Bytes {
  std::int64_t count = 0;

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes{a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes{a.count - b.count}; }
  constexpr Bytes& operator+=(Bytes other) {
    count += other.count;
    return *this;
  }
  constexpr Bytes& operator-=(Bytes other) {
    count -= other.count;
    return *this;
  }
};

// Floating-point operations; a multiply-add counts as two.
struct Flops {
  double count = 0.0;

  friend constexpr auto operator<=>(Flops, Flops) = default;
  friend constexpr Flops operator+(Flops a, Flops b) { return Flops{a.count + b.count}; }
};

}  // namespace opyard
