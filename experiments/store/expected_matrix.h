// The cells that a store is to hold once its experiment is finished.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/store/run_record.h"

namespace opyard::experiments {

struct ExpectedMatrix {
  struct Agent {
    std::string label;
    std::vector<std::int64_t> seeds;  // one for an agent that samples nothing
    friend bool operator==(const Agent&, const Agent&) = default;
  };
  std::vector<std::pair<std::string, std::string>> pairs;  // graph, machine; each once
  std::vector<Agent> agents;                               // each label once
  friend bool operator==(const ExpectedMatrix&, const ExpectedMatrix&) = default;
};

// Pairs outermost, then agents, then seeds.
[[nodiscard]] std::vector<CellKey> CellsOf(const ExpectedMatrix& matrix);

// One line of JSON, and back; nothing for what that is not, as "" of older stores.
[[nodiscard]] std::string TextOf(const ExpectedMatrix& matrix);
[[nodiscard]] std::optional<ExpectedMatrix> ReadMatrix(const std::string& text);

// Pairs, agents and seeds of both, those of `a` first.
[[nodiscard]] ExpectedMatrix Joined(ExpectedMatrix a, const ExpectedMatrix& b);

}  // namespace opyard::experiments
