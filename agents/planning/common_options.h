// Options that several agents take, each with one name, range and meaning.
#pragma once

#include <cstdint>

#include "agents/base/option_table.h"

namespace opyard::agents {

// The option `levels`.
template <class Settings>
[[nodiscard]] OptionRow<Settings> LevelsRow(std::int64_t Settings::*member) {
  return {
      .name = "levels",
      .field = Whole(member, 1, 1'000'000),
      .meaning =
          "priorities that a group may have, where scheduling is a task; beside a rule's order of "
          "the ops: how far it goes before or behind its place there"};
}

enum class Start : std::uint8_t { kRules, kSimple, kRandom };

// The option `start`.
template <class Settings>
[[nodiscard]] OptionRow<Settings> StartRow(Start Settings::*member) {
  return {.name = "start",
          .field = Word(
              member,
              {{"rules", Start::kRules}, {"simple", Start::kSimple}, {"random", Start::kRandom}}),
          .meaning =
              "what is judged first: all on one device and contiguous splits, list schedules "
              "and METIS partitions; the first two of these alone; or random plans",
          .paper = "random"};
}

}  // namespace opyard::agents
