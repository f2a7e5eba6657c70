#include "experiments/cli/bench/sim.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "env/problem.h"
#include "experiments/cli/bench/engine_runs.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/machines/bench_machine.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "graphs/graph_sources.h"
#include "sim/base/rng.h"
#include "sim/engine/run/workspace.h"

namespace opyard::experiments {
namespace {

// The speed of one case.
struct SimulatorSpeed {
  std::string kind;  // of the graph: "layered" or "training"
  std::size_t num_ops = 0;
  std::size_t num_devices = 0;
  std::string sharing;   // "serial" or "fair"
  std::string channels;  // "pair" or "default"
  std::size_t num_threads = 1;
  double ops_per_second = 0.0;  // over all threads
};

// The answer with --json.
[[nodiscard]] std::string BenchSimJson(const std::vector<SimulatorSpeed>& speeds);

}  // namespace

void AddBenchSimArguments(CLI::App& group, Command& command) {
  CLI::App& sim =
      AddSubcommand(group,
                    {.name = "sim",
                     .summary = "ops per second of the simulator, fastest batch of each case",
                     .examples = "  opyard bench sim --quick --json"});
  const auto options = std::make_shared<BenchSimOptions>();
  AddJson(sim, options->json);
  sim.add_flag("--quick", options->quick, "shorter measurements");
  Choose(sim, command, options, &BenchSim);
}

namespace {

struct Case {
  std::string name;  // of the kind of graph
  std::shared_ptr<const sim::OpGraph> graph;
  std::size_t num_devices = 2;
  sim::Sharing sharing = sim::Sharing::kSerial;
  std::string channels;  // "pair" or "default"
  std::size_t threads = 1;
};

// A layered graph whose ops read two tensors on average, and a training step: the same with
// Variables and views, its forward ops mirrored by backward ones that read what both sides made.
struct GraphKind {
  const char* name;
  const char* options;
};
constexpr GraphKind kGraphKinds[] = {{"layered", "&variables=0&backward=0"}, {"training", ""}};

sim::ChannelKinds ChannelsOf(const Case& c) {
  return c.channels == "pair"
             ? sim::ChannelKinds{.links = false, .egress = false, .ingress = false, .pair = true}
             : sim::ChannelKinds{};
}

std::shared_ptr<const sim::HardwareProfile> MachineOf(const Case& c) {
  sim::HardwareProfile machine = *StarMachine(c.num_devices, ChannelsOf(c));
  machine.transfers.sharing = c.sharing;
  return std::make_shared<const sim::HardwareProfile>(std::move(machine));
}

// Every op on a random device with a random priority of 0 … 19.
sim::Plan RandomPlan(const env::Problem& problem, Rng& rng) {
  const std::size_t num_ops = problem.graph().num_ops();
  sim::Plan plan{.placement = {}, .queue = sim::QueueDiscipline::kPriority};
  plan.placement.reserve(num_ops);
  plan.op_priority.reserve(num_ops);
  for (std::size_t op = 0; op < num_ops; ++op) {
    plan.placement.emplace_back(
        static_cast<std::size_t>(rng.Below(problem.hardware().num_devices())));
    plan.op_priority.push_back(static_cast<std::int64_t>(rng.Below(20)));
  }
  return plan;
}

// Ops per second over all threads in the fastest of the batches that `seconds` and one for warming
// up leave time for: what else runs on the machine only slows.
double Measure(const Case& c, double seconds, const InterruptFlag& interrupt) {
  const env::Problem problem({.graph = c.graph, .hardware = MachineOf(c)});
  const std::size_t num_ops = problem.graph().num_ops();
  const std::size_t num_plans = std::max<std::size_t>(1, 100'000 / num_ops) * c.threads;
  std::vector<sim::Workspace> workspaces(c.threads);
  Rng rng(1000 * c.num_devices);
  const auto time_batch = [&](std::size_t count) {
    std::vector<sim::Plan> plans;
    for (std::size_t i = 0; i < count; ++i) {
      plans.push_back(RandomPlan(problem, rng));
    }
    return TimeRuns(problem, plans, workspaces, interrupt);
  };
  static_cast<void>(time_batch(c.threads));
  double spent = 0.0;
  double fastest = std::numeric_limits<double>::infinity();
  while (spent < seconds && !interrupt.is_raised()) {
    const double batch_seconds = time_batch(num_plans);
    spent += batch_seconds;
    fastest = std::min(fastest, batch_seconds);
  }
  return static_cast<double>(num_plans * num_ops) / fastest;
}

// The settings under which a graph is run; `kind` names it.
std::vector<Case> CasesOf(const char* kind, const std::shared_ptr<const sim::OpGraph>& graph) {
  std::vector<Case> cases;
  for (const std::size_t num_devices : {2, 4, 8}) {
    for (const std::size_t threads : {1, 2}) {
      const Case common{.name = kind,
                        .graph = graph,
                        .num_devices = num_devices,
                        .sharing = sim::Sharing::kSerial,
                        .channels = "default",
                        .threads = threads};
      cases.push_back(common);
      cases.push_back(common);
      cases.back().channels = "pair";
      cases.push_back(common);
      cases.back().sharing = sim::Sharing::kFair;
    }
  }
  return cases;
}

SimulatorSpeed SpeedOf(const Case& c, double seconds, const InterruptFlag& interrupt) {
  return {.kind = c.name,
          .num_ops = c.graph->num_ops(),
          .num_devices = c.num_devices,
          .sharing = c.sharing == sim::Sharing::kFair ? "fair" : "serial",
          .channels = c.channels,
          .num_threads = c.threads,
          .ops_per_second = Measure(c, seconds, interrupt)};
}

// The speeds on all graphs. Each is made when its turn comes: making a large one takes longer than
// an interrupt may. Unfinished if interrupted.
std::vector<SimulatorSpeed> MeasureAll(const BenchSimOptions& options,
                                       const InterruptFlag& interrupt) {
  const double seconds = options.quick ? 0.25 : 1.0;
  std::vector<SimulatorSpeed> speeds;
  for (const GraphKind& kind : kGraphKinds) {
    for (const std::int64_t num_ops : options.op_counts) {
      const auto graph = graphs::LoadGraph("random:layered?n=" + std::to_string(num_ops) +
                                           "&seed=1" + kind.options);
      for (const Case& c : CasesOf(kind.name, graph)) {
        if (interrupt.is_raised()) {
          return speeds;
        }
        speeds.push_back(SpeedOf(c, seconds, interrupt));
      }
    }
  }
  return speeds;
}

std::string TableOf(const std::vector<SimulatorSpeed>& speeds) {
  TextTable table({{.title = "case"},
                   {.title = "ops", .align = Align::kRight},
                   {.title = "devices", .align = Align::kRight},
                   {.title = "sharing"},
                   {.title = "channels"},
                   {.title = "threads", .align = Align::kRight},
                   {.title = "M ops/s", .align = Align::kRight}});
  for (const SimulatorSpeed& speed : speeds) {
    table.AddRow({speed.kind,
                  std::to_string(speed.num_ops),
                  std::to_string(speed.num_devices),
                  speed.sharing,
                  speed.channels,
                  std::to_string(speed.num_threads),
                  Fixed(speed.ops_per_second / 1e6, 2)});
  }
  return table.Text();
}

}  // namespace

int BenchSim(const BenchSimOptions& options, const Console& console) {
  const std::vector<SimulatorSpeed> speeds = MeasureAll(options, console.interrupt);
  if (console.interrupt.is_raised()) {
    console.err << "interrupted: no figures\n";
    return kInterrupted;
  }
  console.out << (options.json ? BenchSimJson(speeds) + "\n" : TableOf(speeds));
  return kSuccess;
}

namespace {

std::string BenchSimJson(const std::vector<SimulatorSpeed>& speeds) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const SimulatorSpeed& speed : speeds) {
    json.push_back({{"case", speed.kind},
                    {"ops", speed.num_ops},
                    {"devices", speed.num_devices},
                    {"sharing", speed.sharing},
                    {"channels", speed.channels},
                    {"threads", speed.num_threads},
                    {"ops_per_second", speed.ops_per_second}});
  }
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
