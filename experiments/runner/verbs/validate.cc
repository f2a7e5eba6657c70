#include "experiments/runner/verbs/validate.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "env/problem.h"
#include "experiments/runner/store/fingerprint.h"
#include "experiments/runner/store/result_store.h"
#include "experiments/text/figures.h"
#include "graphs/graph_source.h"
#include "sim/engine/simulator.h"
#include "sim/engine/workspace.h"
#include "sim/io/plan_json.h"
#include "sim/io/profile_yaml.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

// One graph on one machine as they are today, with their digests.
struct Today {
  std::unique_ptr<const env::Problem> problem;
  std::string graph_sha256;
  std::string hardware_sha256;
};

struct Tally {
  std::size_t runs = 0;
  std::size_t plans = 0;
  std::size_t agreed = 0;
  std::vector<std::string> differences;
};

class Validator {
 public:
  explicit Validator(const fs::path& results)
      : file_(ResultStore::FileOf(results)), store_(ResultStore::OpenToRead(results)) {
    folder_ = file_.parent_path() / store_.Info().experiment_folder;
  }

  // Stops early when `console` is interrupted.
  Tally Run(const Console& console) {
    Tally tally;
    for (const StoredRun& run : store_.Runs()) {
      if (console.interrupt.is_raised()) {
        break;
      }
      ++tally.runs;
      const std::string plan = store_.PlanOf(run.id);
      if (plan.empty()) {
        continue;
      }
      ++tally.plans;
      const std::string difference = DifferenceOf(run, plan);
      if (difference.empty()) {
        ++tally.agreed;
      } else {
        tally.differences.push_back(NameOf(run) + ": " + difference);
      }
    }
    return tally;
  }

 private:
  [[nodiscard]] std::string NameOf(const StoredRun& run) const {
    const CellKey& cell = run.record.cell;
    return OneLine(file_.string() + ": run " + std::to_string(run.id) + " (" + cell.graph + ", " +
                   cell.hardware + ", " + cell.agent + ", seed " + std::to_string(cell.seed) + ")");
  }

  const Today& TodayOf(const CellKey& cell) {
    Today& today = cache_[{cell.graph, cell.hardware}];
    if (today.problem == nullptr) {
      auto graph = graphs::LoadGraph(cell.graph, folder_);
      auto hardware = sim::LoadMachine(cell.hardware, folder_);
      today.graph_sha256 = Fingerprint(*graph);
      today.hardware_sha256 = Fingerprint(*hardware);
      today.problem = std::make_unique<const env::Problem>(
          env::ProblemSpec{.graph = std::move(graph), .hardware = std::move(hardware)});
    }
    return today;
  }

  std::string DifferenceOf(const StoredRun& run, const std::string& plan_text) {
    const RunRecord& record = run.record;
    const Today& today = TodayOf(record.cell);
    if (today.graph_sha256 != record.graph_sha256) {
      return "the graph has changed since the run";
    }
    if (today.hardware_sha256 != record.hardware_sha256) {
      return "the machine has changed since the run";
    }
    const env::Problem& problem = *today.problem;
    const sim::Plan plan =
        sim::ReadPlanText(plan_text, NameOf(run) + ": plan", problem.graph(), problem.hardware());
    const sim::SimResult result = problem.simulator().Run(plan, workspaces_[&problem]);
    return Compare(record, result);
  }

  static std::string Compare(const RunRecord& record, const sim::SimResult& result) {
    const std::string outcome = sim::NameOf(result.outcome);
    if (outcome != record.outcome) {
      return "stored outcome " + OneLine(record.outcome) + ", simulated " + outcome;
    }
    if (!record.makespan.has_value() || *record.makespan != result.makespan) {
      const std::string stored = record.makespan.has_value()
                                     ? std::to_string(record.makespan->picoseconds) + " ps"
                                     : std::string("none");
      return "stored makespan " + stored + ", simulated " +
             std::to_string(result.makespan.picoseconds) + " ps";
    }
    return "";
  }

  fs::path file_;
  ResultStore store_;
  fs::path folder_;  // the experiment's
  std::map<std::pair<std::string, std::string>, Today> cache_;
  std::map<const env::Problem*, sim::Workspace> workspaces_;
};

void Print(const Tally& tally, const ValidateOptions& options, const Console& console) {
  if (options.json) {
    const nlohmann::ordered_json json = {{"runs", tally.runs},
                                         {"plans", tally.plans},
                                         {"agreed", tally.agreed},
                                         {"differences", tally.differences}};
    console.out << json.dump() << '\n';
    return;
  }
  for (const std::string& difference : tally.differences) {
    console.out << difference << '\n';
  }
  console.out << tally.agreed << " of " << tally.plans << " stored plans agree to the picosecond";
  if (tally.runs > tally.plans) {
    console.out << "; " << tally.runs - tally.plans << " runs hold no plan";
  }
  console.out << '\n';
}

}  // namespace

int ValidateResults(const ValidateOptions& options, const Console& console) {
  const Tally tally = Validator(options.results).Run(console);
  if (console.interrupt.is_raised()) {
    console.err << "interrupted after " << tally.runs << " runs\n";
    return kInterrupted;
  }
  Print(tally, options, console);
  return tally.differences.empty() ? kSuccess : kAnswerIsNo;
}

}  // namespace opyard::experiments
