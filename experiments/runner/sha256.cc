#include "experiments/runner/sha256.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace opyard::experiments {
namespace {

using State = std::array<std::uint32_t, 8>;
constexpr std::size_t kBlock = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
// The same of the square roots of the first 8 primes.
constexpr State kStart = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::uint32_t WordAt(const char* bytes) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    word = (word << 8U) | static_cast<unsigned char>(bytes[i]);
  }
  return word;
}

std::array<std::uint32_t, 64> Schedule(const char* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = WordAt(block + 4 * i);
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15];
    const std::uint32_t b = w[i - 2];
    const std::uint32_t s0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3U);
    const std::uint32_t s1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10U);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  return w;
}

void Absorb(State& state, const char* block) {
  const std::array<std::uint32_t, 64> w = Schedule(block);
  State s = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t big1 = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
    const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const std::uint32_t t1 = s[7] + big1 + choice + kRound[i] + w[i];
    const std::uint32_t big0 = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
    const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    s = {t1 + big0 + majority, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
  }
  for (std::size_t i = 0; i < state.size(); ++i) {
    state[i] += s[i];
  }
}

// The last bytes, a one bit, zeros, and the length in bits: one block or two.
std::string PaddedTail(std::string_view bytes) {
  std::string tail(bytes.substr(bytes.size() / kBlock * kBlock));
  tail += '\x80';
  while (tail.size() % kBlock != kBlock - 8) {
    tail += '\0';
  }
  const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size()) * 8;
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    tail += static_cast<char>((bits >> (shift - 8)) & 0xFFU);
  }
  return tail;
}

}  // namespace

std::string Sha256(std::string_view bytes) {
  State state = kStart;
  for (std::size_t i = 0; i + kBlock <= bytes.size(); i += kBlock) {
    Absorb(state, bytes.data() + i);
  }
  const std::string tail = PaddedTail(bytes);
  for (std::size_t i = 0; i < tail.size(); i += kBlock) {
    Absorb(state, tail.data() + i);
  }
  std::string text;
  for (const std::uint32_t word : state) {
    for (unsigned shift = 32; shift > 0; shift -= 4) {
      text += "0123456789abcdef"[(word >> (shift - 4)) & 0xFU];
    }
  }
  return text;
}

}  // namespace opyard::experiments
