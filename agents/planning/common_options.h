// Options that several agents take, each with one name, range and meaning.
#pragma once

#include <cstdint>

#include "agents/base/option_table.h"

namespace opyard::agents {

inline constexpr std::int64_t kDefaultLevels = 20;

// The option `levels`.
template <class Settings>
[[nodiscard]] OptionRow<Settings> LevelsRow(std::int64_t Settings::*member) {
  return {.name = "levels",
          .field = Whole(member, 1, 1'000'000),
          .meaning = "priorities that a group may have, where scheduling is a task"};
}

enum class Start : std::uint8_t { kSimple, kRandom };

// The option `start`.
template <class Settings>
[[nodiscard]] OptionRow<Settings> StartRow(Start Settings::*member) {
  return {.name = "start",
          .field = Word(member, {{"simple", Start::kSimple}, {"random", Start::kRandom}}),
          .meaning =
              "what is judged first: plans that need no search, such as all on one device or "
              "contiguous splits, or random ones",
          .paper = "random"};
}

}  // namespace opyard::agents
