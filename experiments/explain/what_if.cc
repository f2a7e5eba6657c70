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
#include "sim/hardware/routes.h"

namespace opyard::experiments {
namespace {

struct ChangedMachine {
  std::string change;
  sim::HardwareProfile hardware;
};

// Collects the changes of one machine.
class Changes {
 public:
  explicit Changes(const sim::HardwareProfile& hardware) : hardware_(hardware) {}

  // Adds the machine as `change` leaves it.
  template <class Change>
  void Add(std::string name, const Change& change) {
    machines_.push_back({.change = std::move(name), .hardware = hardware_});
    change(machines_.back().hardware);
  }

  std::vector<ChangedMachine> Take() { return std::move(machines_); }

 private:
  const sim::HardwareProfile& hardware_;
  std::vector<ChangedMachine> machines_;
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

std::vector<ChangedMachine> ChangedMachines(const sim::SimulatedStep& step,
                                            const sim::Timeline& timeline,
                                            std::size_t most_links) {
  const sim::HardwareProfile& hardware = step.hardware;
  Changes changes(hardware);
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
  return changes.Take();
}

sim::SimResult Simulate(const env::Problem& problem,
                        const sim::HardwareProfile& hardware,
                        const sim::Plan& plan) {
  const auto shared = std::make_shared<const sim::HardwareProfile>(hardware);
  // No change touches a device, so the costs stay.
  const sim::Simulator simulator(sim::LowerProblem(problem.shared_graph(),
                                                   shared,
                                                   problem.simulator().problem().costs,
                                                   sim::RouteTable(hardware)));
  sim::Workspace workspace;
  return simulator.Run(plan, workspace);
}

}  // namespace

std::vector<WhatIf> AskWhatIf(const env::Problem& problem,
                              const sim::SimulatedStep& step,
                              const sim::Timeline& timeline,
                              std::size_t most_links,
                              std::size_t num_threads) {
  const std::vector<ChangedMachine> machines = ChangedMachines(step, timeline, most_links);
  std::vector<WhatIf> answers(machines.size());
  env::ThreadPool pool(num_threads);
  pool.ForEach(machines.size(), [&](std::size_t /*worker*/, std::size_t item) {
    answers[item] = {.change = machines[item].change,
                     .result = Simulate(problem, machines[item].hardware, step.plan)};
    return true;
  });
  return answers;
}

}  // namespace opyard::experiments
