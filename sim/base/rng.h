// The project's own random generator and distributions: the same numbers on every platform.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace opyard {

// xoshiro256** (Blackman and Vigna 2018), seeded through SplitMix64. Not for secrets.
// Value type: a copy continues with the same numbers. Not thread-safe; give each task a Fork.
class Rng {
 public:
  using State = std::array<std::uint64_t, 4>;

  explicit Rng(std::uint64_t seed);
  // The generator whose state() that was. Throws InputError for zeros alone, which none has.
  static Rng FromState(const State& state);
  [[nodiscard]] const State& state() const { return state_; }

  [[nodiscard]] std::uint64_t Next();
  // Uniform in [0, bound), without bias (Lemire 2019). REQUIRES: bound > 0.
  [[nodiscard]] std::uint64_t Below(std::uint64_t bound);
  // Uniform in [low, high], both included. REQUIRES: low <= high.
  [[nodiscard]] std::int64_t Between(std::int64_t low, std::int64_t high);
  // Uniform in [0, 1): 53 random bits.
  [[nodiscard]] double Uniform();
  // Normal with mean 0 and variance 1 (Box-Muller, one value per call).
  [[nodiscard]] double Normal();
  // An independent generator, fixed by this one's state and `stream`; leaves this one as it is.
  [[nodiscard]] Rng Fork(std::uint64_t stream) const;

  // Uniform random order (Fisher-Yates).
  template <class T>
  void Shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[Below(i)]);
    }
  }

 private:
  State state_{};
};

}  // namespace opyard
