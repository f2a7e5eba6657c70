// The words of a machine file's rules, each list in the order of its enumerators.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace opyard::sim {

inline constexpr auto kRulesWords = std::to_array<std::string_view>({"opyard", "placeto", "regal"});
inline constexpr auto kSharingWords = std::to_array<std::string_view>({"serial", "fair", "none"});
inline constexpr auto kOnePerWords =
    std::to_array<std::string_view>({"destination", "output", "edge"});
inline constexpr auto kOnExceedWords = std::to_array<std::string_view>({"fail", "wait", "ignore"});
inline constexpr auto kStreamRuleWords = std::to_array<std::string_view>({"serial", "parallel"});

// The word of `value`. Throws std::out_of_range for an enumerator that has none.
template <class E, std::size_t kCount>
[[nodiscard]] constexpr std::string_view WordOf(const std::array<std::string_view, kCount>& words,
                                                E value) {
  return words.at(static_cast<std::size_t>(value));
}

}  // namespace opyard::sim
