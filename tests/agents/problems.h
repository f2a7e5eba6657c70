// Problems and searches for the tests of agents.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::agents::testing {

inline constexpr env::TaskSet kPlacement{.placement = true, .scheduling = false};
inline constexpr env::TaskSet kScheduling{.placement = false, .scheduling = true};
inline constexpr env::TaskSet kBoth{.placement = true, .scheduling = true};
inline constexpr env::TaskSet kFusion{.placement = false, .fusion = true};
inline constexpr env::TaskSet kAll{.placement = true, .scheduling = true, .fusion = true};

[[nodiscard]] std::shared_ptr<const env::Problem> MakeProblem(
    std::shared_ptr<const sim::OpGraph> graph,
    sim::HardwareProfile machine,
    env::TaskSet tasks = kPlacement);

// An op that takes `us[i]` microseconds on device d<i>.
[[nodiscard]] sim::OpSpec UnevenOp(const std::string& name,
                                   const std::vector<std::int64_t>& us,
                                   std::vector<sim::InputRef> inputs = {},
                                   const std::vector<std::int64_t>& output_bytes = {1000});

// MeshMachine(num_gpus) and one more device, a CPU, linked to each GPU likewise.
[[nodiscard]] sim::HardwareProfile MeshWithCpu(std::size_t num_gpus);

struct NamedProblem {
  std::string name;
  std::shared_ptr<const env::Problem> problem;
};

// Small problems that differ in what may go wrong: one op, one device, CPU-only ops, co-location,
// memory too tight for one device, control edges and random graphs.
[[nodiscard]] std::vector<NamedProblem> ConformanceProblems(env::TaskSet tasks);

// The name of an agent as GoogleTest takes it: without hyphens.
[[nodiscard]] std::string TestName(std::string agent);

// The agents that this test program is about; each program defines its own.
[[nodiscard]] AgentRegistry AgentsUnderTest();

// The outcome of a search.
struct Outcome {
  std::vector<env::HistoryPoint> history;
  std::optional<env::BestPlan> best;
  std::int64_t num_evaluations = 0;
  std::int64_t num_failures = 0;
};

struct SearchSettings {
  std::int64_t evaluations = 100;
  std::uint64_t seed = 1;
  std::size_t num_threads = 1;
  Options options;
};

[[nodiscard]] Outcome RunAgent(const std::string& agent,
                               const std::shared_ptr<const env::Problem>& problem,
                               SearchSettings settings);

// Whether a search within the settings meets a plan that completes in `optimum`; it is stopped
// there. Expects that no plan is better.
[[nodiscard]] bool Reaches(const std::string& agent,
                           const std::shared_ptr<const env::Problem>& problem,
                           SimTime optimum,
                           SearchSettings settings);

// {faithful: true}: as the agent's paper has it.
[[nodiscard]] Options Faithful();

// The least makespan over all placements, first come first served. O(devices^groups).
[[nodiscard]] SimTime BestMakespanByBruteForce(const std::shared_ptr<const env::Problem>& problem);

// Whether any of those placements completes.
[[nodiscard]] bool SomePlacementFits(const std::shared_ptr<const env::Problem>& problem);

}  // namespace opyard::agents::testing
