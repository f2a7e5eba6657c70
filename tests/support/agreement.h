// Runs the engine beside the reference simulator and compares every figure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/engine/simulator.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::testing {

// One problem with the engine and the reference simulator over it.
class EngineAndReference {
 public:
  EngineAndReference(std::shared_ptr<const sim::OpGraph> graph,
                     const sim::HardwareProfile& hardware);

  // The differences between engine and reference in running `plan`, one per line: op spans,
  // transfers, makespan, peaks and their instants, busy times, channels, outcome and failure, and
  // the engine's fast path against its own report. Empty if they agree to the picosecond and byte.
  // At a failure, times of what was still under way are not compared.
  [[nodiscard]] std::vector<std::string> FindDifferences(const sim::Plan& plan,
                                                         sim::Workspace& workspace) const;

  [[nodiscard]] sim::SimReport RunEngine(const sim::Plan& plan, sim::Workspace& workspace) const;

  [[nodiscard]] const sim::OpGraph& graph() const { return *graph_; }
  [[nodiscard]] const sim::HardwareProfile& hardware() const { return *hardware_; }
  [[nodiscard]] const sim::CostTable& costs() const { return *costs_; }
  [[nodiscard]] const sim::Simulator& simulator() const { return *simulator_; }

 private:
  std::shared_ptr<const sim::OpGraph> graph_;
  std::shared_ptr<const sim::HardwareProfile> hardware_;
  std::shared_ptr<const sim::CostTable> costs_;
  std::unique_ptr<const sim::Simulator> simulator_;
};

// The engine's report on `plan`; fails the running test where the reference disagrees.
[[nodiscard]] sim::SimReport Simulate(std::shared_ptr<const sim::OpGraph> graph,
                                      const sim::HardwareProfile& hardware,
                                      const sim::Plan& plan);

}  // namespace opyard::testing
