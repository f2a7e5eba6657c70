#include "experiments/cli/subcommands/graph/sample.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include "env/parallel/thread_pool.h"
#include "env/problem.h"
#include "env/problem_words.h"
#include "experiments/matrix/hardness.h"
#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "sim/graph/topology_digest.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
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
  return std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = graphs::LoadGraph(reference),
                       .hardware = hardware,
                       .tasks = {.placement = true, .scheduling = true},
                       .objective = objective});
}

}  // namespace

int SampleGraphs(const GraphSampleOptions& options, const Console& console) {
  if (options.few >= options.many) {
    throw InputError("--few: found " + std::to_string(options.few) + ", expected less than --many");
  }
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

}  // namespace opyard::experiments
