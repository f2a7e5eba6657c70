#include "experiments/runner/verbs/bench_agents.h"

#include <memory>

#include "env/problem.h"
#include "env/problem_words.h"
#include "experiments/runner/answers/bench_agents_answer.h"
#include "experiments/runner/config/config.h"
#include "experiments/runner/machines/bench_machine.h"
#include "experiments/runner/runs/search.h"
#include "experiments/text/figures.h"
#include "experiments/text/table.h"
#include "graphs/graph_sources.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kNumDevices = 8;

AgentSpeed Measure(const std::string& agent,
                   const std::shared_ptr<const env::Problem>& problem,
                   const Console& console) {
  const SearchAnswer answer = RunSearch({.problem = problem,
                                         .agent = {.label = agent, .name = agent, .params = {}},
                                         .budget = {.evaluations = kDefaultEvaluations},
                                         .interrupt = &console.interrupt,
                                         .on_progress = {}},
                                        console.agents);
  return {.agent = agent,
          .num_ops = problem->graph().num_ops(),
          .num_devices = kNumDevices,
          .fusion = {},
          .decide_per = {},
          .num_evaluations = answer.evaluations,
          .seconds = answer.seconds,
          .cpu_seconds = answer.cpu_seconds};
}

// Every agent on every kind of problem; fewer if interrupted.
std::vector<AgentSpeed> MeasureAll(const BenchAgentsOptions& options, const Console& console) {
  const auto graph =
      graphs::LoadGraph("random:layered?n=" + std::to_string(options.num_ops) + "&seed=1");
  const auto machine = StarMachine(kNumDevices, {});
  std::vector<AgentSpeed> speeds;
  for (const env::DefaultFusion fusion :
       {env::DefaultFusion::kNone, env::DefaultFusion::kFramework}) {
    for (const env::DecidePer decide_per : {env::DecidePer::kGroup, env::DecidePer::kOp}) {
      const auto problem = std::make_shared<const env::Problem>(
          SpecOf({.default_fusion = fusion, .decide_per = decide_per}, graph, machine));
      for (const std::string& agent : options.agents) {
        if (!console.interrupt.is_raised()) {
          AgentSpeed speed = Measure(agent, problem, console);
          speed.fusion = NameOf(fusion);
          speed.decide_per = NameOf(decide_per);
          speeds.push_back(std::move(speed));
        }
      }
    }
  }
  return speeds;
}

std::string TableOf(const std::vector<AgentSpeed>& speeds) {
  TextTable table({{.title = "agent"},
                   {.title = "ops", .align = Align::kRight},
                   {.title = "devices", .align = Align::kRight},
                   {.title = "fusion"},
                   {.title = "decide per"},
                   {.title = "evaluations", .align = Align::kRight},
                   {.title = "seconds", .align = Align::kRight},
                   {.title = "CPU s", .align = Align::kRight}});
  for (const AgentSpeed& speed : speeds) {
    table.AddRow({speed.agent,
                  std::to_string(speed.num_ops),
                  std::to_string(speed.num_devices),
                  speed.fusion,
                  speed.decide_per,
                  std::to_string(speed.num_evaluations),
                  Fixed(speed.seconds, 2),
                  Fixed(speed.cpu_seconds, 2)});
  }
  return table.Text();
}

}  // namespace

int BenchAgents(const BenchAgentsOptions& options, const Console& console) {
  const std::vector<AgentSpeed> speeds = MeasureAll(options, console);
  if (console.interrupt.is_raised()) {
    console.err << "interrupted: no figures\n";
    return kInterrupted;
  }
  console.out << (options.json ? BenchAgentsJson(speeds) + "\n" : TableOf(speeds));
  return kSuccess;
}

}  // namespace opyard::experiments
