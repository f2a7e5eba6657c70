// The parts of the simulator, each timed by itself. Every run has a placement of its own: a
// repeated one lets the branch predictor learn the run.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "env/observation.h"
#include "env/problem.h"
#include "experiments/machines/bench_machine.h"
#include "graphs/graph_sources.h"
#include "sim/base/rng.h"
#include "sim/engine/queues/event_queue.h"
#include "sim/engine/queues/ready_queue.h"
#include "sim/engine/simulator.h"
#include "sim/fusion/fuser.h"
#include "sim/io/graph/graph_json.h"

namespace opyard {
namespace {

constexpr std::size_t kNumPlans = 64;  // sampled ahead, taken in turn
constexpr SimTime kNoLimit{std::numeric_limits<std::int64_t>::max()};

std::shared_ptr<const sim::OpGraph> Layered(std::int64_t num_ops) {
  return graphs::LoadGraph("random:layered?n=" + std::to_string(num_ops) +
                           "&seed=1&variables=0&backward=0");
}

// With Variables, views and backward ops: what fuses as a training step does.
std::shared_ptr<const sim::OpGraph> Training(std::int64_t num_ops) {
  return graphs::LoadGraph("random:layered?n=" + std::to_string(num_ops) + "&seed=1");
}

// A graph of range(0) ops on range(1) devices.
env::Problem ProblemOf(const benchmark::State& state, std::shared_ptr<const sim::OpGraph> graph) {
  return env::Problem(
      {.graph = std::move(graph),
       .hardware = experiments::StarMachine(static_cast<std::size_t>(state.range(1)), {})});
}

DeviceId SampleDevice(const env::Problem& problem, Rng& rng) {
  return DeviceId(static_cast<std::size_t>(rng.Below(problem.hardware().num_devices())));
}

std::vector<sim::Plan> SamplePlans(const env::Problem& problem, Rng& rng) {
  std::vector<sim::Plan> plans(kNumPlans);
  for (sim::Plan& plan : plans) {
    plan.queue = sim::QueueDiscipline::kPriority;
    for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
      plan.placement.push_back(SampleDevice(problem, rng));
      plan.op_priority.push_back(rng.Between(0, 19));
    }
  }
  return plans;
}

std::vector<sim::Plan> SampleFusingPlans(const env::Problem& problem, Rng& rng) {
  std::vector<sim::Plan> plans = SamplePlans(problem, rng);
  for (sim::Plan& plan : plans) {
    for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
      plan.fusion_priority.push_back(static_cast<std::int32_t>(rng.Between(0, 19)));
    }
  }
  return plans;
}

void CountOps(benchmark::State& state) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

// Holds `range(0)` events and replaces the first one again and again.
void BM_EventQueue(benchmark::State& state) {
  Rng rng(1);
  sim::EventQueue queue;
  queue.Reset(static_cast<std::size_t>(state.range(0)) + 1);
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    queue.Push(
        {rng.Between(0, 1'000'000), sim::EventKind::kTransferDone, static_cast<std::int32_t>(i)});
  }
  for (auto _ : state) {
    const sim::Event next = queue.Pop();
    queue.Push({next.time_ps() + rng.Between(1, 1'000'000), next.kind(), next.subject()});
  }
}
BENCHMARK(BM_EventQueue)->Arg(4)->Arg(16)->Arg(1024);

// The queue of ready kernels: holds `range(0)` of them with priorities from 0 to `range(1)` − 1 and
// replaces the first one, 10,000 times an iteration. Under narrow keys few priorities are levels,
// many are a heap; wide keys are always one.
template <class Key>
void BM_ReadyQueue(benchmark::State& state) {
  constexpr std::uint32_t kNumSteps = 10'000;
  Rng rng(1);
  const std::int64_t least = 1 - state.range(1);
  const auto layout = std::is_same_v<Key, sim::NarrowKey>
                          ? sim::KeyLayout::Narrow(least, 0, std::uint64_t{1} << 20U)
                          : sim::KeyLayout{};
  const auto push = [&](sim::ReadyQueues<Key>& queues, std::uint32_t instant, std::int32_t kernel) {
    queues.Push(0, {Key::Of(layout.PriorityPart(rng.Between(least, 0)), instant, kernel)});
  };
  const std::vector<std::int32_t> sizes(layout.num_levels(),
                                        static_cast<std::int32_t>(kNumSteps + state.range(0)));
  sim::ReadyQueues<Key> queues;
  for (auto _ : state) {
    queues.Reset(sizes, layout);
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      push(queues, 0, static_cast<std::int32_t>(i));
    }
    for (std::uint32_t instant = 1; instant <= kNumSteps; ++instant) {
      push(queues, instant, queues.Pop(0).kernel());
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kNumSteps);
}
BENCHMARK(BM_ReadyQueue<sim::NarrowKey>)->Args({16, 20})->Args({16, 1000})->Args({1024, 20});
BENCHMARK(BM_ReadyQueue<sim::WideKey>)->Args({16, 20})->Args({1024, 20});

void BM_ReadGraph(benchmark::State& state) {
  const std::string text = sim::WriteGraphText(*Layered(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(sim::ReadGraphText(text, "graph"));
  }
  CountOps(state);
}
BENCHMARK(BM_ReadGraph)->Arg(10'000)->Unit(benchmark::kMillisecond);

void BM_MakeProblem(benchmark::State& state) {
  const auto graph = Layered(state.range(0));
  const auto machine = experiments::StarMachine(static_cast<std::size_t>(state.range(1)), {});
  for (auto _ : state) {
    benchmark::DoNotOptimize(env::Problem({.graph = graph, .hardware = machine}));
  }
  CountOps(state);
}
BENCHMARK(BM_MakeProblem)->Args({10'000, 2})->Args({10'000, 8})->Unit(benchmark::kMillisecond);

// The observation of a training step by a learner, worked out once per problem.
void BM_Observe(benchmark::State& state) {
  const env::Problem problem = ProblemOf(state, Training(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(env::Observe(problem));
  }
  CountOps(state);
}
BENCHMARK(BM_Observe)->Args({80'000, 2})->Args({80'000, 8})->Unit(benchmark::kMillisecond);

// One plan after the other.
void RunPlans(benchmark::State& state,
              const env::Problem& problem,
              const std::vector<sim::Plan>& plans) {
  sim::Workspace workspace;
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(problem.simulator().Run(plans[next++ % kNumPlans], workspace));
  }
  CountOps(state);
}

void BM_Run(benchmark::State& state) {
  const env::Problem problem = ProblemOf(state, Layered(state.range(0)));
  Rng rng(1);
  RunPlans(state, problem, SamplePlans(problem, rng));
}
BENCHMARK(BM_Run)->Args({1'000, 2})->Args({10'000, 2})->Args({10'000, 8});

// The same training step without fusion: what BM_FuseAndRun is compared with.
void BM_RunTraining(benchmark::State& state) {
  const env::Problem problem = ProblemOf(state, Training(state.range(0)));
  Rng rng(1);
  RunPlans(state, problem, SamplePlans(problem, rng));
}
BENCHMARK(BM_RunTraining)->Args({10'000, 2})->Args({10'000, 8});

// Kernels alone, without the run.
void BM_Fuse(benchmark::State& state) {
  const env::Problem problem = ProblemOf(state, Training(state.range(0)));
  const sim::FusionGraph graph = sim::PrepareFusion(problem.graph(), problem.hardware().fusion);
  Rng rng(1);
  const std::vector<sim::Plan> plans = SampleFusingPlans(problem, rng);
  sim::FusionWorkspace workspace;
  std::size_t next = 0;
  for (auto _ : state) {
    const sim::Plan& plan = plans[next++ % kNumPlans];
    sim::Fuse(graph, plan.placement, plan.fusion_priority, workspace);
  }
  CountOps(state);
}
BENCHMARK(BM_Fuse)->Args({10'000, 2})->Args({80'000, 2})->Unit(benchmark::kMillisecond);

void BM_FuseAndRun(benchmark::State& state) {
  const env::Problem problem = ProblemOf(state, Training(state.range(0)));
  Rng rng(1);
  RunPlans(state, problem, SampleFusingPlans(problem, rng));
}
BENCHMARK(BM_FuseAndRun)->Args({10'000, 2})->Args({10'000, 8});

// A run that keeps its states.
void BM_Remember(benchmark::State& state) {
  const env::Problem problem = ProblemOf(state, Layered(state.range(0)));
  Rng rng(1);
  const std::vector<sim::Plan> plans = SamplePlans(problem, rng);
  sim::Workspace workspace;
  sim::RunHistory history;
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        problem.simulator().RunWithCheckpoints(plans[next++ % kNumPlans], workspace, history));
  }
  CountOps(state);
}
BENCHMARK(BM_Remember)->Args({10'000, 2})->Args({10'000, 8});

// One op moves, at a uniform position in the last range(2) per cent of the topological order; and
// the whole run of the same changed plan, to compare.
void BM_Neighbour(benchmark::State& state, bool is_whole) {
  const env::Problem problem = ProblemOf(state, Layered(state.range(0)));
  Rng rng(1);
  const std::vector<sim::Plan> plans = SamplePlans(problem, rng);
  sim::Workspace workspace;
  sim::RunHistory history;
  static_cast<void>(problem.simulator().RunWithCheckpoints(plans.front(), workspace, history));
  const auto order = problem.graph().topological_order();
  const std::size_t range = order.size() * static_cast<std::size_t>(state.range(2)) / 100;
  sim::Plan whole = plans.front();
  for (auto _ : state) {
    const OpId op = order[order.size() - 1 - static_cast<std::size_t>(rng.Below(range))];
    const std::vector<sim::OpChange> move = {{.op = op,
                                              .device = SampleDevice(problem, rng),
                                              .priority = whole.op_priority[op.index()]}};
    if (is_whole) {
      sim::Apply(move, whole);
      benchmark::DoNotOptimize(problem.simulator().Run(whole, workspace));
    } else {
      benchmark::DoNotOptimize(
          problem.simulator().ResimulateFrom(history, move, kNoLimit, workspace));
    }
  }
  CountOps(state);
}
BENCHMARK_CAPTURE(BM_Neighbour, Replayed, false)
    ->Args({10'000, 2, 100})
    ->Args({10'000, 2, 25})
    ->Args({10'000, 8, 100})
    ->Args({10'000, 8, 25});
BENCHMARK_CAPTURE(BM_Neighbour, Whole, true)->Args({10'000, 2, 100})->Args({10'000, 8, 100});

}  // namespace
}  // namespace opyard
