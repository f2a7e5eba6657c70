// Runs plans of one case one after the other, for instructions.py to count what a run takes. Usage:
//
//   engine_runs                 prints the names of all cases
//   engine_runs CASE COUNT      runs COUNT plans, at most 16, and prints "OPS CHECKSUM".
//
// All 16 plans are sampled whatever COUNT is, so two calls differ in nothing but runs.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/machines/bench_machine.h"
#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "sim/base/rng.h"
#include "sim/cost/roofline.h"
#include "sim/engine/simulator.h"
#include "sim/hardware/routes.h"

namespace opyard {
namespace {

constexpr std::size_t kNumPlans = 16;
constexpr SimTime kNoLimit{std::numeric_limits<std::int64_t>::max()};

// The way in which a plan is run.
enum class Way : std::uint8_t { kRun, kReport, kRemember, kNeighbour };

struct Case {
  std::string_view name;
  std::size_t num_devices = 2;
  std::int64_t num_ops = 10'000;
  void (*set_rules)(sim::HardwareProfile& machine) = [](sim::HardwareProfile&) {};
  bool fuses = false;
  std::int64_t num_priorities = 20;
  Way way = Way::kRun;
};

void UsePairs(sim::HardwareProfile& machine) {
  machine.transfers.channels = {.links = false, .egress = false, .ingress = false, .pair = true};
}

void UsePorts(sim::HardwareProfile& machine) {
  machine.transfers.channels = {.links = false, .egress = true, .ingress = true, .pair = false};
}

void ShareFairly(sim::HardwareProfile& machine) {
  machine.transfers.sharing = sim::Sharing::kFair;
}

void Rest(sim::HardwareProfile& machine) {
  machine.execution.gap_after_op = SimTime::FromSeconds(1e-6);
  machine.execution.dispatch = SimTime::FromSeconds(1e-6);
  machine.transfers.gap_after = SimTime::FromSeconds(1e-6);
}

void SendOutputs(sim::HardwareProfile& machine) {
  machine.transfers.one_per = sim::OnePer::kOutput;
}

void SendEdges(sim::HardwareProfile& machine) {
  machine.transfers.one_per = sim::OnePer::kEdge;
}

void Wait(sim::HardwareProfile& machine) {
  machine.memory.on_exceed = sim::OnExceed::kWait;
}

void ObeyPlaceto(sim::HardwareProfile& machine) {
  machine.rules = sim::Rules::kPlaceto;
}

constexpr Case kCases[] = {
    {.name = "links-2", .num_devices = 2},
    {.name = "links-8", .num_devices = 8},
    {.name = "pair-8", .num_devices = 8, .set_rules = UsePairs},
    {.name = "port-8", .num_devices = 8, .set_rules = UsePorts},
    {.name = "ranks-8", .num_devices = 8, .num_priorities = 1'000},
    {.name = "fair-2", .num_devices = 2, .set_rules = ShareFairly},
    {.name = "fair-8", .num_devices = 8, .set_rules = ShareFairly},
    {.name = "fusion-2", .num_devices = 2, .fuses = true},
    {.name = "fusion-8", .num_devices = 8, .fuses = true},
    {.name = "large-8", .num_devices = 8, .num_ops = 40'000},
    {.name = "devices-16", .num_devices = 16},
    {.name = "rests-8", .num_devices = 8, .set_rules = Rest},
    {.name = "outputs-8", .num_devices = 8, .set_rules = SendOutputs},
    {.name = "edges-8", .num_devices = 8, .set_rules = SendEdges},
    {.name = "wait-8", .num_devices = 8, .set_rules = Wait},
    {.name = "placeto-8", .num_devices = 8, .num_ops = 1'000, .set_rules = ObeyPlaceto},
    {.name = "report-2", .num_devices = 2, .way = Way::kReport},
    {.name = "remember-8", .num_devices = 8, .way = Way::kRemember},
    {.name = "neighbour-8", .num_devices = 8, .way = Way::kNeighbour},
};

sim::Simulator SimulatorOf(const Case& c) {
  sim::HardwareProfile machine = *experiments::StarMachine(c.num_devices, {});
  c.set_rules(machine);
  const auto hardware = std::make_shared<const sim::HardwareProfile>(std::move(machine));
  const auto graph = graphs::LoadGraph("random:layered?n=" + std::to_string(c.num_ops) + "&seed=1" +
                                       (c.fuses ? "" : "&variables=0&backward=0"));
  const auto costs =
      std::make_shared<const sim::CostTable>(*graph, *hardware, sim::RooflineModel());
  return sim::Simulator(sim::LowerProblem(graph, hardware, costs, sim::RouteTable(*hardware)));
}

// Every op on a random device with a random priority; where ops fuse, with one for that, too.
std::vector<sim::Plan> SamplePlans(const Case& c, std::size_t num_ops) {
  Rng rng(1);
  std::vector<sim::Plan> plans(kNumPlans);
  for (sim::Plan& plan : plans) {
    plan.queue = sim::QueueDiscipline::kPriority;
    for (std::size_t op = 0; op < num_ops; ++op) {
      plan.placement.emplace_back(static_cast<std::size_t>(rng.Below(c.num_devices)));
      plan.op_priority.push_back(rng.Between(0, c.num_priorities - 1));
      if (c.fuses) {
        plan.fusion_priority.push_back(static_cast<std::int32_t>(rng.Between(0, 19)));
      }
    }
  }
  return plans;
}

// Runs plans in the way of a case.
class Runner {
 public:
  Runner(const Case& c, const sim::Simulator& simulator, const sim::Plan& first)
      : case_(c), simulator_(simulator) {
    if (c.way == Way::kNeighbour) {
      static_cast<void>(simulator_.RunWithCheckpoints(first, workspace_, history_));
    }
  }

  [[nodiscard]] sim::SimResult Run(const sim::Plan& plan, std::size_t index) {
    switch (case_.way) {
      case Way::kRun:
        return simulator_.Run(plan, workspace_);
      case Way::kReport:
        return simulator_.RunReport(plan, workspace_).result;
      case Way::kRemember:
        return simulator_.RunWithCheckpoints(plan, workspace_, history_);
      case Way::kNeighbour:
        return ResimulateFrom(plan, index);
    }
    std::abort();
  }

 private:
  // With one op changed as in `plan`, a seventeenth of the graph further on each time.
  [[nodiscard]] sim::SimResult ResimulateFrom(const sim::Plan& plan, std::size_t index) {
    const auto order = simulator_.problem().graph->topological_order();
    const OpId op = order[(index + 1) * order.size() / (kNumPlans + 1)];
    const sim::OpChange change{
        .op = op, .device = plan.placement[op.index()], .priority = plan.op_priority[op.index()]};
    return simulator_.ResimulateFrom(history_, std::span(&change, 1), kNoLimit, workspace_);
  }

  const Case& case_;
  const sim::Simulator& simulator_;
  sim::Workspace workspace_;
  sim::RunHistory history_;
};

int RunCase(const Case& c, std::size_t count) {
  const sim::Simulator simulator = SimulatorOf(c);
  const std::size_t num_ops = simulator.problem().graph->num_ops();
  const std::vector<sim::Plan> plans = SamplePlans(c, num_ops);
  Runner runner(c, simulator, plans.back());
  std::uint64_t checksum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const sim::SimResult result = runner.Run(plans[i], i);
    checksum = checksum * 31 + static_cast<std::uint64_t>(result.makespan.picoseconds) +
               static_cast<std::uint64_t>(result.num_transfers);
  }
  std::cout << num_ops << ' ' << checksum << '\n';
  return EXIT_SUCCESS;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    for (const Case& c : kCases) {
      std::cout << c.name << '\n';
    }
    return EXIT_SUCCESS;
  }
  for (const Case& c : kCases) {
    if (arguments.size() == 2 && arguments[0] == c.name) {
      return RunCase(c, std::min<std::size_t>(std::stoul(arguments[1]), kNumPlans));
    }
  }
  throw InputError("engine_runs: found \"" + arguments[0] +
                   "\", expected nothing, or the name of a case and a count");
}

}  // namespace
}  // namespace opyard

int main(int argc, char** argv) {
  try {
    return opyard::Main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
