// The options of agents that search by BRKGA.
#pragma once

#include <cstdint>

#include "agents/base/option_table.h"
#include "agents/genetic/gene_layout.h"
#include "agents/planning/encoding/common_options.h"

namespace opyard::agents {

struct BrkgaOptions {
  std::int64_t population = 0;  // 0: a twentieth of the evaluations, from 20 to 100
  double elite_share = 0.2;
  double mutant_share = 0.15;
  double elite_bias = 0.7;  // in [0.5, 1)
  Start start = Start::kHeuristics;
  GeneChoice genes;
};

// The greatest elite bias: with 1 a child would be its parent.
inline constexpr double kMostEliteBias = 0.999;

// The rows of all of them.
[[nodiscard]] OptionTable<BrkgaOptions> BrkgaOptionTable();

}  // namespace opyard::agents
