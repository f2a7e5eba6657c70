#include "experiments/cli/graph/sample.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include "env/parallel/thread_pool.h"
#include "env/problem.h"
#include "env/problem_words.h"
#include "experiments/cli/subcommand.h"
#include "experiments/cli/value_checks.h"
#include "experiments/console/console.h"
#include "experiments/matrix/hardness.h"
#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/graph/topology_digest.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
namespace {

struct GraphSampleOptions {
  std::string family;    // a reference without a seed: "random:regal?n=100"
  std::string hardware;  // what the graphs are hard for
  std::string out;       // a folder, made if it is not there
  std::string objective = "makespan";
  std::int64_t count = 0;
  std::int64_t seed = 0;         // of the first graph that is tried; then one more each
  std::int64_t few = 200;        // evaluations
  std::int64_t many = 5000;      // the same
  std::int64_t most_tried = 20;  // graphs per graph that is asked for
};

// Writes `count` hard graphs (hardness.h) of a random family, as OUT/SEED.graph.json.gz: a training
// set. No two of them have one topology (topology_digest.h). Decides placement and scheduling, on
// all cores. kAnswerIsNo if too few of those that it tries are hard.
[[nodiscard]] int SampleGraphs(const GraphSampleOptions& options, const Console& console);

}  // namespace

void AddGraphSampleArguments(CLI::App& group, Command& command) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "sample",
                     .summary = "write hard graphs of a family, to learn from",
                     .examples = "  opyard graph sample 'random:regal?n=100' --hardware "
                                 "p100x2-pcie --count 10 --out hard"});
  const auto options = std::make_shared<GraphSampleOptions>();
  subcommand.add_option("family", options->family, "generator without a seed: random:regal?n=100")
      ->required()
      ->type_name("FAMILY");
  subcommand.add_option("--hardware", options->hardware, "machine file or name")
      ->required()
      ->type_name("MACHINE");
  subcommand.add_option("--count", options->count, "graphs to write")
      ->required()
      ->check(WholeNumber(1, 1'000'000));
  subcommand.add_option("--out", options->out, "folder to write to")->required()->type_name("DIR");
  subcommand
      .add_option("--seed", options->seed, "seed of the first graph that is tried (default: 0)")
      ->check(WholeNumber(0, kMost));
  subcommand
      .add_option("--objective", options->objective, "as opyard place takes it (default: makespan)")
      ->type_name("OBJECTIVE");
  subcommand.add_option("--few", options->few, "plans of the short search (default: 200)")
      ->check(WholeNumber(1, kMost));
  subcommand.add_option("--many", options->many, "plans of the long one (default: 5000)")
      ->check(WholeNumber(1, kMost));
  Choose(subcommand, command, options, &SampleGraphs);
}

namespace {

void MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path, error)) {
    throw InputError("--out " + path + ": expected a folder, or a path where one can be made");
  }
}

env::Objective ObjectiveOf(const std::string& text) {
  Diagnostics diagnostics;
  const std::optional<env::Objective> objective =
      env::ReadObjective(text, "--objective", diagnostics);
  diagnostics.ThrowIfAny();
  return *objective;
}

std::shared_ptr<const env::Problem> ProblemOf(
    const env::Objective& objective,
    const std::string& reference,
    const std::shared_ptr<const sim::HardwareProfile>& hardware) {
  return std::make_shared<const env::Problem>(env::ProblemSpec{
      .graph = graphs::LoadGraph(reference),
      .hardware = hardware,
      .settings = {.tasks = {.placement = true, .scheduling = true}, .objective = objective}});
}

// Else the message is about a graph with a seed behind it, which the user did not name.
void CheckFamily(const std::string& family) {
  std::vector<std::string> names;
  for (const auto& source : graphs::GraphSources()) {
    if (source->name().starts_with("random:")) {
      names.push_back(source->name());
    }
  }
  const std::string name = family.substr(0, family.find('?'));
  const bool is_source = name.starts_with("random:") || name.starts_with("zoo:");
  if (!is_source) {
    throw InputError("family: found " + Quoted(family) + DidYouMean("random:" + name, names) +
                     ", expected a generator such as " + JoinNames(names));
  }
}

int SampleGraphs(const GraphSampleOptions& options, const Console& console) {
  if (options.few >= options.many) {
    throw InputError("--few: found " + std::to_string(options.few) + ", expected less than --many");
  }
  CheckFamily(options.family);
  const env::Objective objective = ObjectiveOf(options.objective);
  const auto hardware = sim::LoadMachine(options.hardware);
  MakeFolder(options.out);
  const bool has_options = options.family.find('?') != std::string::npos;
  std::set<std::uint64_t> topologies;  // of the graphs that are kept
  std::int64_t num_kept = 0;
  std::int64_t num_repeated = 0;
  std::int64_t num_tried = 0;
  for (; num_kept < options.count && num_tried < options.most_tried * options.count; ++num_tried) {
    const std::string seed = std::to_string(options.seed + num_tried);
    const auto problem =
        ProblemOf(objective, options.family + (has_options ? "&" : "?") + "seed=" + seed, hardware);
    const std::uint64_t topology = sim::TopologyDigest(problem->graph());
    if (topologies.contains(topology)) {
      ++num_repeated;
      continue;
    }
    const bool is_hard = IsHard(problem,
                                {.few_evaluations = options.few,
                                 .many_evaluations = options.many,
                                 .num_threads = env::ThreadPool::DefaultNumThreads(),
                                 .interrupt = &console.interrupt},
                                console.agents);
    if (console.interrupt.is_raised()) {
      console.err << "interrupted: " << num_kept << " graphs are written\n";
      return kInterrupted;
    }
    if (is_hard) {
      sim::WriteGraphFile(problem->graph(),
                          std::filesystem::path(options.out) / (seed + ".graph.json.gz"));
      topologies.insert(topology);
      ++num_kept;
    }
  }
  console.out << num_kept << " of " << num_tried << " graphs are hard; they are in " << options.out
              << '\n';
  if (num_repeated > 0) {
    console.out << num_repeated << " others repeat a topology and were not searched\n";
  }
  return num_kept == options.count ? kSuccess : kAnswerIsNo;
}

}  // namespace
}  // namespace opyard::experiments
