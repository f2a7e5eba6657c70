// A small graph and machine, on which fuzzers run the plans that they read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sim/base/check.h"
#include "sim/cost/cost_table.h"
#include "sim/cost/roofline.h"
#include "sim/engine/simulator.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/hardware/routes.h"
#include "sim/plan/plan.h"

namespace opyard::testing {

class FuzzProblem {
 public:
  FuzzProblem(std::shared_ptr<const sim::OpGraph> graph, sim::HardwareProfile hardware)
      : graph_(std::move(graph)),
        hardware_(std::make_shared<const sim::HardwareProfile>(std::move(hardware))),
        simulator_(sim::LowerProblem(
            graph_,
            hardware_,
            std::make_shared<const sim::CostTable>(*graph_, *hardware_, sim::RooflineModel()),
            sim::RouteTable(*hardware_))) {}

  [[nodiscard]] const sim::OpGraph& graph() const { return *graph_; }
  [[nodiscard]] const sim::HardwareProfile& hardware() const { return *hardware_; }

  // Runs `plan`, whose order has no cycle, with and without a report. Memory is ample, so that
  // without fusion it has to complete.
  void CheckRun(const sim::Plan& plan) const {
    sim::Workspace workspace;
    const sim::SimResult result = simulator_.Run(plan, workspace);
    OPYARD_CHECK(result == simulator_.RunReport(plan, workspace).result,
                 "a run with a report ends as the one without");
    OPYARD_CHECK(result.outcome == sim::Outcome::kCompleted ||
                     (result.outcome == sim::Outcome::kDeadlock && !plan.fusion_priority.empty()),
                 "a plan without a cycle completes");
  }

 private:
  std::shared_ptr<const sim::OpGraph> graph_;
  std::shared_ptr<const sim::HardwareProfile> hardware_;
  sim::Simulator simulator_;
};

// The devices gpu0, gpu1, …, each linked to the next.
inline sim::HardwareProfile ChainedMachine(std::int32_t num_devices) {
  sim::HardwareProfile machine{.name = "chain"};
  for (std::int32_t i = 0; i < num_devices; ++i) {
    const std::string number = std::to_string(i);
    machine.devices.push_back({.name = "gpu" + number,
                               .type = "t",
                               .kind = sim::DeviceKind::kGpu,
                               .memory = Bytes{std::int64_t{1} << 40},
                               .memory_bandwidth_bytes_per_s = 1e9,
                               .peak_flops_per_s = {{sim::DType::kF32, 1e13}}});
    if (i > 0) {
      machine.links.push_back(
          {.name = "cable" + number, .between = {i - 1, i}, .bandwidth_bytes_per_s = 1e9});
    }
  }
  return machine;
}

// Five ops, two of which read the first, on two devices; the output of one has no bytes.
inline FuzzProblem MakeToyProblem() {
  sim::OpGraphBuilder builder("toy");
  builder.AddOp({.name = "a", .type = "MatMul", .outputs = {{.bytes = Bytes{2}}}});
  builder.AddOp({.name = "b",
                 .type = "Relu",
                 .inputs = {{0, 0}},
                 .outputs = {{.bytes = Bytes{3}}, {.bytes = Bytes{5}}}});
  builder.AddOp({.name = "c", .type = "Relu", .inputs = {{1, 0}}, .colocation = "g"});
  builder.AddOp(
      {.name = "d", .type = "Relu", .inputs = {{0, 0}}, .outputs = {{.bytes = Bytes{0}}}});
  builder.AddOp({.name = "e", .type = "Add", .inputs = {{1, 1}, {3, 0}}, .colocation = "g"});
  return {builder.Build(), ChainedMachine(2)};
}

}  // namespace opyard::testing
