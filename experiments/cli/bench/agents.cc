#include "experiments/cli/bench/agents.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "agents/base/search_run.h"
#include "env/problem.h"
#include "env/problem_words.h"
#include "experiments/cli/subcommand.h"
#include "experiments/config/config.h"
#include "experiments/console/console.h"
#include "experiments/machines/bench_machine.h"
#include "experiments/matrix/search_overhead.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "graphs/graph_sources.h"
#include "sim/base/options.h"

namespace opyard::experiments {
namespace {

// The cost of one search.
struct AgentSpeed {
  std::string agent;
  std::size_t num_ops = 0;
  std::size_t num_devices = 0;
  std::string fusion;      // "framework" or "none"
  std::string decide_per;  // "group" or "op"
  std::int64_t num_evaluations = 0;
  double seconds = 0.0;      // wall time
  double cpu_seconds = 0.0;  // of the processor: what else runs on the machine is not in it
  std::size_t num_threads = 1;
  Options params;
  // The time of the runs that a search asks for, if it is measured beside them (search_overhead.h).
  std::optional<double> runs_seconds;
};

// The answer with --json.
[[nodiscard]] std::string BenchAgentsJson(const std::vector<AgentSpeed>& speeds);

}  // namespace

void AddBenchAgentsArguments(CLI::App& group, Command& command) {
  CLI::App& agents =
      AddSubcommand(group,
                    {.name = "agents",
                     .summary = "seconds that HEFT and METIS take for 80,000 ops, and BRKGA's "
                                "beside the runs of its plans",
                     .examples = "  opyard bench agents --json"});
  const auto options = std::make_shared<BenchAgentsOptions>();
  AddJson(agents, options->json);
  Choose(agents, command, options, &BenchAgents);
}

namespace {

constexpr std::size_t kNumDevices = 8;
constexpr const char* kGenetic = "brkga";
constexpr std::size_t kNumGeneticDevices = 2;
constexpr std::size_t kRepeats = 3;

AgentSpeed Measure(const std::string& agent,
                   const std::shared_ptr<const env::Problem>& problem,
                   const Console& console) {
  const agents::SearchResult answer =
      agents::RunSearch({.problem = problem,
                         .agent = agent,
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

env::ProblemSettings BothTasks(env::DefaultFusion fusion, env::DecidePer decide_per) {
  return {.tasks = {.placement = true, .scheduling = true},
          .default_fusion = fusion,
          .decide_per = decide_per};
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
      const auto problem = std::make_shared<const env::Problem>(env::ProblemSpec{
          .graph = graph, .hardware = machine, .settings = BothTasks(fusion, decide_per)});
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

// `brkga` beside the runs of its plans; fewer if interrupted.
std::vector<AgentSpeed> MeasureGenetic(const BenchAgentsOptions& options, const Console& console) {
  const auto problem = std::make_shared<const env::Problem>(env::ProblemSpec{
      .graph = graphs::LoadGraph("random:layered?n=" + std::to_string(options.num_genetic_ops) +
                                 "&seed=1"),
      .hardware = StarMachine(kNumGeneticDevices, {}),
      .settings = BothTasks(env::DefaultFusion::kNone, env::DecidePer::kOp)});
  std::vector<AgentSpeed> speeds;
  for (const bool has_transfer_genes : {false, true}) {
    for (const std::size_t num_threads : {1, 2}) {
      const Options params(
          {{"start", std::string("random")}, {"transfer_genes", has_transfer_genes}});
      const SearchOverhead overhead =
          MeasureOverhead({.problem = problem,
                           .agent = kGenetic,
                           .params = params,
                           .budget = {.evaluations = options.num_decodes},
                           .num_threads = num_threads,
                           .interrupt = &console.interrupt,
                           .on_progress = {}},
                          kRepeats,
                          console.agents);
      speeds.push_back({.agent = kGenetic,
                        .num_ops = problem->graph().num_ops(),
                        .num_devices = kNumGeneticDevices,
                        .fusion = NameOf(env::DefaultFusion::kNone),
                        .decide_per = NameOf(env::DecidePer::kOp),
                        .num_evaluations = overhead.search.evaluations,
                        .seconds = overhead.search.seconds,
                        .cpu_seconds = overhead.search.cpu_seconds,
                        .num_threads = num_threads,
                        .params = params,
                        .runs_seconds = overhead.runs_seconds});
    }
  }
  return speeds;
}

std::string ParamsText(const Options& params) {
  std::string text;
  for (const auto& [name, value] : params.values()) {
    text += (text.empty() ? "" : " ") + name + "=" + ToText(value);
  }
  return text;
}

std::string TableOf(const std::vector<AgentSpeed>& speeds) {
  TextTable table({{.title = "agent"},
                   {.title = "ops", .align = Align::kRight},
                   {.title = "devices", .align = Align::kRight},
                   {.title = "fusion"},
                   {.title = "decide per"},
                   {.title = "threads", .align = Align::kRight},
                   {.title = "evaluations", .align = Align::kRight},
                   {.title = "seconds", .align = Align::kRight},
                   {.title = "CPU s", .align = Align::kRight},
                   {.title = "runs alone", .align = Align::kRight},
                   {.title = "params"}});
  for (const AgentSpeed& speed : speeds) {
    table.AddRow({speed.agent,
                  std::to_string(speed.num_ops),
                  std::to_string(speed.num_devices),
                  speed.fusion,
                  speed.decide_per,
                  std::to_string(speed.num_threads),
                  std::to_string(speed.num_evaluations),
                  Fixed(speed.seconds, 2),
                  Fixed(speed.cpu_seconds, 2),
                  speed.runs_seconds.has_value() ? Fixed(*speed.runs_seconds, 2) : "",
                  ParamsText(speed.params)});
  }
  return table.Text();
}

}  // namespace

int BenchAgents(const BenchAgentsOptions& options, const Console& console) {
  std::vector<AgentSpeed> speeds = MeasureAll(options, console);
  std::ranges::move(MeasureGenetic(options, console), std::back_inserter(speeds));
  if (console.interrupt.is_raised()) {
    console.err << "interrupted: no figures\n";
    return kInterrupted;
  }
  console.out << (options.json ? BenchAgentsJson(speeds) + "\n" : TableOf(speeds));
  return kSuccess;
}

namespace {

std::string BenchAgentsJson(const std::vector<AgentSpeed>& speeds) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const AgentSpeed& speed : speeds) {
    json.push_back({{"agent", speed.agent},
                    {"ops", speed.num_ops},
                    {"devices", speed.num_devices},
                    {"fusion", speed.fusion},
                    {"decide_per", speed.decide_per},
                    {"evaluations", speed.num_evaluations},
                    {"seconds", speed.seconds},
                    {"cpu_seconds", speed.cpu_seconds},
                    {"threads", speed.num_threads},
                    {"params", nlohmann::ordered_json::parse(ParamsJson(speed.params))}});
    if (speed.runs_seconds.has_value()) {
      json.back()["runs_seconds"] = *speed.runs_seconds;
    }
  }
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
