#include "experiments/explain/what_if.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "env/parallel/thread_pool.h"
#include "sim/analysis/metrics.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/simulator.h"
#include "sim/graph/op_graph_parts.h"
#include "sim/hardware/routes.h"

namespace opyard::experiments {
namespace {

using GraphPointer = std::shared_ptr<const sim::OpGraph>;

struct ChangedProblem {
  std::string change;
  sim::HardwareProfile hardware;
  GraphPointer graph;
};

// Collects the changes of one graph and its machine.
class Changes {
 public:
  Changes(GraphPointer graph, const sim::HardwareProfile& hardware)
      : graph_(std::move(graph)), hardware_(hardware) {}

  // Adds the machine as `change` leaves it.
  template <class Change>
  void Add(std::string name, const Change& change) {
    problems_.push_back({.change = std::move(name), .hardware = hardware_, .graph = graph_});
    change(problems_.back().hardware);
  }
  // Adds another graph of the same ops.
  void AddGraph(std::string name, GraphPointer graph) {
    problems_.push_back(
        {.change = std::move(name), .hardware = hardware_, .graph = std::move(graph)});
  }

  std::vector<ChangedProblem> Take() { return std::move(problems_); }

 private:
  GraphPointer graph_;
  const sim::HardwareProfile& hardware_;
  std::vector<ChangedProblem> problems_;
};

// The links with the greatest load, most loaded first; those without any are left out.
std::vector<std::size_t> MostLoaded(const std::vector<SimTime>& loads, std::size_t most) {
  std::vector<std::size_t> links(loads.size());
  std::iota(links.begin(), links.end(), std::size_t{0});
  std::ranges::stable_sort(links, std::ranges::greater(), [&](std::size_t i) { return loads[i]; });
  const auto idle = std::ranges::find(links, SimTime{}, [&](std::size_t i) { return loads[i]; });
  links.erase(idle, links.end());
  links.resize(std::min(links.size(), most));
  return links;
}

void MakeTransfersFree(sim::HardwareProfile& machine) {
  machine.transfers.sharing = sim::Sharing::kNone;
  for (sim::Link& link : machine.links) {
    link.bandwidth_bytes_per_s = std::numeric_limits<double>::infinity();
    link.latency = SimTime{};
  }
  for (sim::ExplicitRoute& route : machine.routes) {
    route.latency = SimTime{};
  }
}

bool HasReleases(const sim::OpGraph& graph) {
  return std::ranges::any_of(graph.ops(), [](const sim::Op& op) { return op.release > SimTime{}; });
}

GraphPointer WithoutReleases(const sim::OpGraph& graph) {
  sim::OpGraphBuilder builder(graph.name(), graph.origin());
  builder.SetMeasured(graph.measured());
  for (sim::OpSpec& op : sim::SpecsOf(graph)) {
    op.release = SimTime{};
    builder.AddOp(std::move(op));
  }
  return builder.Build();
}

std::vector<ChangedProblem> ChangedProblems(const GraphPointer& graph,
                                            const sim::SimulatedStep& step,
                                            const sim::Timeline& timeline,
                                            std::size_t most_links) {
  const sim::HardwareProfile& hardware = step.hardware;
  Changes changes(graph, hardware);
  const std::vector<std::size_t> loaded = MostLoaded(sim::LinkLoads(step, timeline), most_links);
  for (const std::size_t link : loaded) {
    changes.Add("link " + hardware.links[link].name + " twice as fast",
                [&](auto& machine) { machine.links[link].bandwidth_bytes_per_s *= 2.0; });
  }
  if (!loaded.empty() && hardware.links.size() > 1) {
    changes.Add("all links twice as fast", [](auto& machine) {
      for (sim::Link& link : machine.links) {
        link.bandwidth_bytes_per_s *= 2.0;
      }
    });
  }
  if (hardware.memory.on_exceed != sim::OnExceed::kIgnore) {
    changes.Add("no memory limit",
                [](auto& machine) { machine.memory.on_exceed = sim::OnExceed::kIgnore; });
  }
  if (!hardware.memory_pools.empty()) {
    changes.Add("memory pools twice as fast", [](auto& machine) {
      for (sim::MemoryPool& pool : machine.memory_pools) {
        pool.bandwidth_bytes_per_s *= 2.0;
      }
    });
  }
  if (timeline.num_transfers() > 0 && hardware.rules != sim::Rules::kRegal) {
    changes.Add("free transfers", MakeTransfersFree);
  }
  if (hardware.execution.dispatch > SimTime{}) {
    changes.Add("no dispatch time", [](auto& machine) { machine.execution.dispatch = SimTime{}; });
  }
  if (hardware.execution.gap_after_op > SimTime{} || hardware.transfers.gap_after > SimTime{}) {
    changes.Add("no gaps", [](auto& machine) {
      machine.execution.gap_after_op = SimTime{};
      machine.transfers.gap_after = SimTime{};
    });
  }
  if (HasReleases(*graph)) {
    changes.AddGraph("no releases", WithoutReleases(*graph));
  }
  return changes.Take();
}

sim::SimResult Simulate(const ChangedProblem& changed,
                        const std::shared_ptr<const sim::CostTable>& costs,
                        const sim::Plan& plan) {
  const auto hardware = std::make_shared<const sim::HardwareProfile>(changed.hardware);
  // No change touches a device or the work of an op, so the costs stay.
  const sim::Simulator simulator(
      sim::LowerProblem(changed.graph, hardware, costs, sim::RouteTable(*hardware)));
  sim::Workspace workspace;
  return simulator.Run(plan, workspace);
}

}  // namespace

std::vector<WhatIf> AskWhatIf(const env::Problem& problem,
                              const sim::SimulatedStep& step,
                              const sim::Timeline& timeline,
                              std::size_t most_links,
                              std::size_t num_threads) {
  const std::vector<ChangedProblem> problems =
      ChangedProblems(problem.shared_graph(), step, timeline, most_links);
  std::vector<WhatIf> answers(problems.size());
  env::ThreadPool pool(num_threads);
  pool.ForEach(problems.size(), [&](std::size_t /*worker*/, std::size_t item) {
    answers[item] = {
        .change = problems[item].change,
        .result = Simulate(problems[item], problem.simulator().problem().costs, step.plan)};
    return true;
  });
  return answers;
}

}  // namespace opyard::experiments
