// A problem as GO's network sees it.
#pragma once

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "agents/learned/go/policy.h"
#include "env/observation.h"
#include "graphs/graph_sources.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::testing {

// With what the input points to: a row per group.
struct ShownProblem {
  explicit ShownProblem(const std::shared_ptr<const env::Problem>& posed,
                        std::vector<go::Task> tasks)
      : problem(posed),
        observation(env::Observe(*posed)),
        graph(MakeOpGraph(observation)),
        rows(go::MakeDecisionRows(
            graph,
            MakeGroupSequence(
                *posed,
                GroupingOptions{.rule = GroupingRule::kProblem,
                                .max_groups = std::numeric_limits<std::int32_t>::max()}))),
        devices(MakeDeviceFeatures(observation)),
        input{.graph = &graph, .rows = &rows, .devices = &devices, .tasks = std::move(tasks)} {}
  ShownProblem(const ShownProblem&) = delete;
  ShownProblem& operator=(const ShownProblem&) = delete;

  std::shared_ptr<const env::Problem> problem;
  env::Observation observation;
  OpGraph graph;
  go::DecisionRows rows;
  DeviceFeatures devices;
  go::PolicyInput input;
};

// The second op reads what the first one gives; each is faster on a device of its own.
inline std::shared_ptr<const env::Problem> TwoOpsOnTwoDevices() {
  return MakeProblem(
      opyard::testing::MakeGraph({UnevenOp("a", {3, 7}), UnevenOp("b", {11, 5}, {{0, 0}})}),
      opyard::testing::MeshMachine(2));
}

// A training step of a network as it is, on four cards and their host.
inline std::shared_ptr<const env::Problem> RealProblem() {
  return MakeProblem(graphs::LoadGraph("zoo:gnmt?layers=2&scale=tiny", {}),
                     *sim::LoadMachine("p100x4-pcie", {}));
}

// A chain of ops of 3 to 6 µs on equal devices.
inline std::shared_ptr<const env::Problem> ChainOfOps(std::int32_t num_ops,
                                                      std::size_t num_devices) {
  std::vector<sim::OpSpec> ops;
  for (std::int32_t i = 0; i < num_ops; ++i) {
    std::vector<sim::InputRef> inputs;
    if (i > 0) {
      inputs.push_back({i - 1, 0});
    }
    ops.push_back(UnevenOp(
        "op" + std::to_string(i), std::vector<std::int64_t>(num_devices, 3 + i % 4), inputs));
  }
  return MakeProblem(opyard::testing::MakeGraph(std::move(ops)),
                     opyard::testing::MeshMachine(num_devices));
}

}  // namespace opyard::agents::testing
