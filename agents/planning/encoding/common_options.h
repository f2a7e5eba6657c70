// Options that several agents take, each with one name, range and meaning.
#pragma once

#include <cstdint>
#include <string>

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

// Where a search begins; what an agent cannot begin at, its option does not take.
enum class Start : std::uint8_t { kHeuristics, kSimple, kSingleDevice, kRandom, kNetwork };

// The meanings of the words: "simple" and "single_device" alone; all, for agents that may begin
// anywhere, and for those whose plans a network samples.
[[nodiscard]] std::string SimpleStartMeaning();
[[nodiscard]] std::string StartMeaning();
[[nodiscard]] std::string NetworkStartMeaning();

// The words of agents that may begin anywhere.
[[nodiscard]] inline Words<Start> StartWords() {
  return {{"rules", Start::kHeuristics},
          {"simple", Start::kSimple},
          {"single_device", Start::kSingleDevice},
          {"random", Start::kRandom}};
}

// The option `start` of agents that may begin anywhere.
template <class Settings>
[[nodiscard]] OptionRow<Settings> StartRow(Start Settings::*member) {
  return {.name = "start",
          .field = Word(member, StartWords()),
          .meaning = StartMeaning(),
          .paper = "random"};
}

// The option `start` of agents whose plans a network samples.
template <class Settings>
[[nodiscard]] OptionRow<Settings> NetworkStartRow(Start Settings::*member) {
  return {.name = "start",
          .field = Word(member,
                        {{"network", Start::kNetwork},
                         {"rules", Start::kHeuristics},
                         {"simple", Start::kSimple},
                         {"single_device", Start::kSingleDevice}}),
          .meaning = NetworkStartMeaning(),
          .paper = "network"};
}

}  // namespace opyard::agents
