// The words of a machine file's rules, each list in the order of its enumerators.
#pragma once

#include <array>
#include <string_view>

namespace opyard::sim {

inline constexpr std::array<std::string_view, 3> kRulesWords = {"opyard", "placeto", "regal"};
inline constexpr std::array<std::string_view, 3> kSharingWords = {"serial", "fair", "none"};
inline constexpr std::array<std::string_view, 3> kOnePerWords = {"destination", "output", "edge"};
inline constexpr std::array<std::string_view, 3> kOnExceedWords = {"fail", "wait", "ignore"};

}  // namespace opyard::sim
