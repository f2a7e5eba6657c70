// Why a plan takes as long as it does, and what would change it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "env/problem.h"
#include "experiments/explain/counterfactuals.h"
#include "experiments/explain/what_if.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/timeline.h"
#include "sim/base/interrupt.h"
#include "sim/result/sim_result.h"

namespace opyard::experiments {

struct Explanation {
  sim::Timeline timeline;
  std::vector<sim::CriticalPart> path;                     // empty unless the step completed
  std::vector<std::vector<sim::Resident>> peak_residents;  // by device: at most ten, largest first
  std::vector<WhatIf> what_ifs;
  std::optional<Counterfactuals> counterfactuals;  // nothing unless the step completed

  [[nodiscard]] bool was_interrupted() const {
    return counterfactuals.has_value() && counterfactuals->was_interrupted;
  }
};

// kOneRun leaves out what runs with something changed say: what ifs and counterfactuals.
enum class ExplainDepth : std::uint8_t { kOneRun, kWithChanges };

struct ExplainOptions {
  ExplainDepth depth = ExplainDepth::kWithChanges;
  std::size_t num_threads = 1;  // changes nothing in the answer
  const InterruptFlag* interrupt = nullptr;
};

// The critical path of a step that completed, else nothing.
[[nodiscard]] std::vector<sim::CriticalPart> PathOf(const sim::SimulatedStep& step,
                                                    const sim::Timeline& timeline);

// Explains `step`, a step of `problem`, unless `options` say otherwise by simulating it again and
// again with something changed. REQUIRES: the problem decides per op, or the depth is kOneRun.
[[nodiscard]] Explanation Explain(const std::shared_ptr<const env::Problem>& problem,
                                  const sim::SimulatedStep& step,
                                  const ExplainOptions& options);

}  // namespace opyard::experiments
