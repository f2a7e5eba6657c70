#include "sim/base/rng.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "sim/base/error.h"

namespace opyard {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): the next state's mixed value.
std::uint64_t SplitMix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

}  // namespace

Rng::Rng(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {
    word = SplitMix(seed);
  }
}

Rng Rng::FromState(const State& state) {
  if (std::ranges::all_of(state, [](std::uint64_t word) { return word == 0; })) {
    throw InputError("state of a random generator: found zeros alone, expected any other");
  }
  Rng rng(0);
  rng.state_ = state;
  return rng;
}

std::uint64_t Rng::Next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Rng::Below(std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(Next()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<Wide>(Next()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64U);
}

std::int64_t Rng::Between(std::int64_t low, std::int64_t high) {
  const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t offset = width == 0 ? Next() : Below(width);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

double Rng::Uniform() {
  return static_cast<double>(Next() >> 11U) * 0x1.0p-53;
}

double Rng::Normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * Uniform());
}

Rng Rng::Fork(std::uint64_t stream) const {
  std::uint64_t seed = state_[0] ^ std::rotl(state_[2], 21) ^ (stream * 0xd1342543de82ef95ULL);
  return Rng(SplitMix(seed));
}

}  // namespace opyard
