#include "tests/agents/problems.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "env/action_codec.h"
#include "env/group_placement.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::testing {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;

sim::DeviceKindSet CpuOnly() {
  sim::DeviceKindSet kinds = sim::DeviceKindSet::None();
  kinds.Insert(sim::DeviceKind::kCpu);
  return kinds;
}

// a → {b, c} → d, with unequal times and sizes.
std::vector<sim::OpSpec> Diamond() {
  return {TimedOp("a", 2, {}, {3000}),
          TimedOp("b", 7, {{0, 0}}, {2000}),
          TimedOp("c", 5, {{0, 0}}, {1000}),
          TimedOp("d", 3, {{1, 0}, {2, 0}})};
}

std::shared_ptr<const sim::OpGraph> ColocatedGraph() {
  std::vector<sim::OpSpec> ops = Diamond();
  ops.push_back(opyard::testing::VariableOp("weights", 4000));
  ops.push_back(TimedOp("update", 2, {{3, 0}, {4, 0}}, {}));
  ops[1].colocation = "weights";
  ops[4].colocation = "weights";
  ops[5].colocation = "weights";
  return MakeGraph(std::move(ops));
}

std::shared_ptr<const sim::OpGraph> GraphWithHostOps() {
  std::vector<sim::OpSpec> ops = Diamond();
  ops[0].device_kinds = CpuOnly();
  ops[2].device_kinds = CpuOnly();
  ops[3].control_inputs = {0};
  return MakeGraph(std::move(ops));
}

// Four chains of two ops; each chain's parameters take 300 kB of a device's 1 MB.
std::shared_ptr<const sim::OpGraph> HeavyChains() {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 4; ++i) {
    ops.push_back(TimedOp("first" + std::to_string(i), 3 + i, {}, {2000}));
    ops.back().param_bytes = Bytes{300'000};
    ops.push_back(TimedOp("second" + std::to_string(i), 2, {{2 * i, 0}}));
  }
  return MakeGraph(std::move(ops));
}

NamedProblem RandomProblem(std::uint64_t seed,
                           env::TaskSet tasks,
                           const opyard::testing::CaseLimits& limits) {
  opyard::testing::RandomCase random =
      opyard::testing::MakeRandomCase(seed, opyard::testing::Values::kContinuous, limits);
  return {.name = "Random" + std::to_string(seed),
          .problem = MakeProblem(random.graph, random.hardware, tasks)};
}

void Enumerate(std::size_t group,
               env::GroupPlacement& placement,
               const env::Problem& problem,
               env::Evaluator& evaluator) {
  if (group == placement.size()) {
    static_cast<void>(evaluator.Evaluate(env::PlanFromGroups(problem, placement)));
    return;
  }
  for (const DeviceId device : problem.AllowedDevices(GroupId(group))) {
    placement[group] = device;
    Enumerate(group + 1, placement, problem, evaluator);
  }
}

}  // namespace

std::shared_ptr<const env::Problem> MakeProblem(std::shared_ptr<const sim::OpGraph> graph,
                                                sim::HardwareProfile machine,
                                                env::TaskSet tasks) {
  return std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = std::move(graph),
                       .hardware = std::make_shared<const sim::HardwareProfile>(std::move(machine)),
                       .settings = {.tasks = tasks}});
}

sim::OpSpec UnevenOp(const std::string& name,
                     const std::vector<std::int64_t>& us,
                     std::vector<sim::InputRef> inputs,
                     const std::vector<std::int64_t>& output_bytes) {
  sim::OpSpec op = TimedOp(name, 0, std::move(inputs), output_bytes);
  op.seconds.clear();
  for (std::size_t i = 0; i < us.size(); ++i) {
    op.seconds.push_back(
        {.where = "d" + std::to_string(i), .seconds = Microseconds(us[i]).seconds()});
  }
  return op;
}

sim::HardwareProfile MeshWithCpu(std::size_t num_gpus) {
  sim::HardwareProfile machine = MeshMachine(num_gpus + 1);
  machine.devices.back().kind = sim::DeviceKind::kCpu;
  machine.devices.back().type = "test-cpu";
  return machine;
}

// Only d0 and d2 of three devices and a host, and d2 runs no update: what is left is d0 and d2 for
// the network, d0 for the update and its partners.
NamedProblem ProblemOfSomeDevices(env::TaskSet tasks) {
  sim::HardwareProfile machine = MeshWithCpu(3);
  machine.devices[2].unsupported = {"Update"};
  std::vector<sim::OpSpec> ops = Diamond();
  ops.push_back(TimedOp("update", 2, {{3, 0}}, {}));
  ops.back().type = "Update";
  ops[1].colocation = "weights";
  ops.back().colocation = "weights";
  return {.name = "SomeDevices",
          .problem = std::make_shared<const env::Problem>(env::ProblemSpec{
              .graph = MakeGraph(std::move(ops)),
              .hardware = std::make_shared<const sim::HardwareProfile>(std::move(machine)),
              .settings = {.tasks = tasks, .devices = {"d0", "d2"}}})};
}

std::vector<NamedProblem> ConformanceProblems(env::TaskSet tasks) {
  return {
      {"OneOp", MakeProblem(MakeGraph({TimedOp("only", 5)}), MeshMachine(2), tasks)},
      {"OneDevice", MakeProblem(MakeGraph(Diamond()), MeshMachine(1), tasks)},
      {"Diamond", MakeProblem(MakeGraph(Diamond()), MeshMachine(3), tasks)},
      {"HostOps", MakeProblem(GraphWithHostOps(), MeshWithCpu(2), tasks)},
      {"Colocated", MakeProblem(ColocatedGraph(), MeshMachine(2), tasks)},
      {"MemoryTight", MakeProblem(HeavyChains(), MeshMachine(2), tasks)},
      ProblemOfSomeDevices(tasks),
      RandomProblem(3, tasks, {.least_ops = 10, .least_devices = 2}),
      RandomProblem(11, tasks, {.least_ops = 10, .least_devices = 2}),
      RandomProblem(12, tasks, {.least_ops = 10, .least_devices = 2, .fuses = true}),
  };
}

std::string TestName(std::string agent) {
  std::ranges::replace(agent, '-', '_');
  return agent;
}

Outcome RunAgent(const std::string& agent,
                 const std::shared_ptr<const env::Problem>& problem,
                 SearchSettings settings) {
  env::Evaluator evaluator(
      problem,
      {.budget = {.evaluations = settings.evaluations}, .num_threads = settings.num_threads});
  Rng rng(settings.seed);
  AgentsUnderTest().Make(agent, std::move(settings.options))->Search(*problem, evaluator, rng, {});
  return {.history = evaluator.history(),
          .best = evaluator.best(),
          .num_evaluations = evaluator.num_evaluations(),
          .num_failures = evaluator.num_failures()};
}

bool Reaches(const std::string& agent,
             const std::shared_ptr<const env::Problem>& problem,
             SimTime optimum,
             SearchSettings settings) {
  const auto has_optimum = [optimum](const env::Evaluator& evaluator) {
    const std::optional<env::BestPlan>& best = evaluator.best();
    return best.has_value() && best->evaluation.is_feasible() &&
           best->evaluation.result.makespan <= optimum;
  };
  InterruptFlag stop;
  env::Evaluator evaluator(problem,
                           {.budget = {.evaluations = settings.evaluations},
                            .num_threads = settings.num_threads,
                            .interrupt = &stop,
                            .on_progress = [&](const env::Evaluator& progress) {
                              if (has_optimum(progress)) {
                                stop.Raise();
                              }
                            }});
  Rng rng(settings.seed);
  AgentsUnderTest().Make(agent, std::move(settings.options))->Search(*problem, evaluator, rng, {});
  const bool is_reached = has_optimum(evaluator);
  EXPECT_TRUE(!is_reached || evaluator.best()->evaluation.result.makespan == optimum)
      << "a plan is better than the optimum";
  return is_reached;
}

Options Faithful() {
  Options options;
  options.Set("faithful", true);
  return options;
}

SimTime BestMakespanByBruteForce(const std::shared_ptr<const env::Problem>& problem) {
  env::Evaluator evaluator(problem, {});
  env::GroupPlacement placement(static_cast<std::size_t>(problem->grouping().num_groups));
  Enumerate(0, placement, *problem, evaluator);
  return evaluator.best()->evaluation.result.makespan;
}

bool SomePlacementFits(const std::shared_ptr<const env::Problem>& problem) {
  env::Evaluator evaluator(problem, {});
  env::GroupPlacement placement(static_cast<std::size_t>(problem->grouping().num_groups));
  Enumerate(0, placement, *problem, evaluator);
  return evaluator.best()->evaluation.is_feasible();
}

}  // namespace opyard::agents::testing
