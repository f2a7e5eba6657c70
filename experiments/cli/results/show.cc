#include "experiments/cli/results/show.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/results/results_json.h"
#include "experiments/cli/results/stores.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/maintenance/run_failure.h"
#include "experiments/maintenance/store_overview.h"
#include "experiments/store/result_store.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

struct ResultsShowOptions {
  std::string results;
  RunFilter filter;
  bool resolved = false;  // print the experiment's file instead
  bool json = false;
};

// Prints the content of a store: its agents, why runs failed, what is missing, trainings and
// bounds.
[[nodiscard]] int ShowResults(const ResultsShowOptions& options, const Console& console);

}  // namespace

void AddResultsShowArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "show",
                     .summary = "what a store holds: why runs failed, what is missing",
                     .examples = "  opyard results show results/mine\n"
                                 "  opyard results show results/mine --agent brkga --json\n"
                                 "  opyard results show results/mine --resolved"});
  const auto options = std::make_shared<ResultsShowOptions>();
  AddStore(subcommand, options->results);
  AddRunFilter(subcommand, options->filter);
  subcommand.add_flag(
      "--resolved", options->resolved, "print the experiment instead, with all that it was run by");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ShowResults);
}

namespace {

constexpr std::size_t kMostShown = 20;  // of the missing cells

std::string NameOf(const CellKey& cell) {
  return OneLine(cell.graph + " · " + cell.hardware + " · " + cell.agent + " · seed " +
                 std::to_string(cell.seed));
}

std::string HeadOf(const StoreOverview& overview) {
  std::string text = "experiment " + OneLine(overview.info.experiment);
  if (!overview.info.shard.empty()) {
    text += ", piece " + overview.info.shard;
  }
  return text + ": " + std::to_string(overview.runs.size() - overview.num_failed) + " done, " +
         std::to_string(overview.num_failed) + " failed, " + MissingText(overview) + " missing\n";
}

// The runs of an agent.
struct AgentCount {
  std::size_t num_done = 0;
  std::size_t num_failed = 0;
  double seconds = 0.0;
  std::size_t num_bounds = 0;  // runs with a plan and a bound that the agent proved
  std::size_t num_optimal = 0;
  double gap_sum = 0.0;  // of score / bound - 1, over the bounds above 0
};

void AddBound(const RunRecord& record, AgentCount& count) {
  if (!record.agent_bound.has_value() || !record.score.has_value()) {
    return;
  }
  ++count.num_bounds;
  count.num_optimal += *record.score <= *record.agent_bound ? 1 : 0;
  count.gap_sum +=
      *record.agent_bound > 0.0 ? std::max(0.0, *record.score / *record.agent_bound - 1.0) : 0.0;
}

// A line per agent that has proven bounds: how far its plans are from them.
std::string AgentBoundsText(const std::vector<std::string>& labels,
                            const std::map<std::string, AgentCount>& counts) {
  std::string text;
  for (const std::string& label : labels) {
    const AgentCount& count = counts.at(label);
    if (count.num_bounds > 0) {
      text += "bounds of " + OneLine(label) + ": " + std::to_string(count.num_bounds) +
              " proven, reached by " + std::to_string(count.num_optimal) + " plans, mean gap " +
              Fixed(100.0 * count.gap_sum / static_cast<double>(count.num_bounds), 2) + " %\n";
    }
  }
  return text;
}

// A line per agent, in the order in which the runs name them first, then their bounds.
std::string AgentsText(const std::vector<StoredRun>& runs) {
  std::vector<std::string> labels;
  std::map<std::string, AgentCount> counts;
  for (const StoredRun& run : runs) {
    const auto [count, is_new] = counts.try_emplace(run.record.cell.agent);
    if (is_new) {
      labels.push_back(run.record.cell.agent);
    }
    ++(run.record.status == RunStatus::kDone ? count->second.num_done : count->second.num_failed);
    count->second.seconds += run.record.seconds;
    AddBound(run.record, count->second);
  }
  TextTable table({{.title = "agent"},
                   {.title = "done", .align = Align::kRight},
                   {.title = "failed", .align = Align::kRight},
                   {.title = "seconds", .align = Align::kRight}});
  for (const std::string& label : labels) {
    const AgentCount& count = counts[label];
    table.AddRow({OneLine(label),
                  std::to_string(count.num_done),
                  std::to_string(count.num_failed),
                  Fixed(count.seconds, 2)});
  }
  return table.Text() + AgentBoundsText(labels, counts);
}

void PrintFailures(const ShownStore& shown, std::ostream& out) {
  for (std::size_t i = 0; i < shown.failures.size(); ++i) {
    if (!shown.failures[i].empty()) {
      out << "failed: " << NameOf(shown.store.overview.runs[i].record.cell) << ": "
          << shown.failures[i] << '\n';
    }
  }
}

void PrintMissing(const StoreOverview& overview, std::ostream& out) {
  if (!overview.missing.has_value()) {
    out << "missing: unknown, because an older opyard made this store; run --resume says so\n";
    return;
  }
  const std::vector<CellKey>& missing = *overview.missing;
  for (std::size_t i = 0; i < std::min(kMostShown, missing.size()); ++i) {
    out << "missing: " << NameOf(missing[i]) << '\n';
  }
  if (missing.size() > kMostShown) {
    out << "missing: and " << missing.size() - kMostShown << " more\n";
  }
}

void PrintRest(const ShownStore& shown, std::ostream& out) {
  for (const StoredTraining& training : shown.trainings) {
    out << "training of " << OneLine(training.agent) << ": " << training.num_updates << " updates, "
        << Fixed(training.cpu_seconds, 1) << " CPU seconds, weights in "
        << OneLine(training.weights) << '\n';
  }
  for (const StoredBound& bound : shown.bounds) {
    out << bound.kind << " of " << OneLine(bound.graph + " · " + bound.hardware) << ": "
        << TimeText(bound.makespan) << " (" << OneLine(bound.source) << ")\n";
  }
}

ShownStore ShownOf(const ResultsShowOptions& options, ResultStore& store) {
  ShownStore shown{.store = ListedOf(options.results, store, options.filter),
                   .trainings = store.Trainings()};
  for (const StoredRun& run : shown.store.overview.runs) {
    shown.failures.push_back(FailureOf(store, run));
  }
  for (StoredBound& bound : store.Bounds()) {
    if (bound.graph == options.filter.graph.value_or(bound.graph) &&
        bound.hardware == options.filter.hardware.value_or(bound.hardware)) {
      shown.bounds.push_back(std::move(bound));
    }
  }
  return shown;
}

int ShowResults(const ResultsShowOptions& options, const Console& console) {
  ResultStore store = ResultStore::OpenToRead(options.results);
  if (options.resolved) {
    const std::string resolved = store.Info().resolved;
    if (resolved.empty()) {
      throw InputError(store.place() +
                       ": found no experiment in it, expected one of an opyard that keeps it; "
                       "run --resume adds it");
    }
    console.out << resolved << '\n';
    return kSuccess;
  }
  const ShownStore shown = ShownOf(options, store);
  if (options.json) {
    console.out << ResultsShowJson(shown) << '\n';
    return kSuccess;
  }
  console.out << HeadOf(shown.store.overview) << '\n' << AgentsText(shown.store.overview.runs);
  PrintFailures(shown, console.out);
  PrintMissing(shown.store.overview, console.out);
  PrintRest(shown, console.out);
  return kSuccess;
}

}  // namespace
}  // namespace opyard::experiments
