#include "experiments/cli/subcommands/results_list.h"

#include <algorithm>
#include <map>

#include "experiments/cli/json/results_answer.h"
#include "experiments/maintenance/run_failure.h"
#include "experiments/store/result_store.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kMostShown = 20;  // of the missing cells

std::string NameOf(const CellKey& cell) {
  return OneLine(cell.graph + " · " + cell.hardware + " · " + cell.agent + " · seed " +
                 std::to_string(cell.seed));
}

ListedStore ListedOf(const std::string& results, ResultStore& store, const RunFilter& filter) {
  return {.results = results,
          .overview = OverviewOf(store, filter),
          .num_trainings = store.Trainings().size()};
}

std::string MissingText(const StoreOverview& overview) {
  return overview.missing.has_value() ? std::to_string(overview.missing->size()) : "unknown";
}

std::string HeadOf(const StoreOverview& overview) {
  std::string text = "experiment " + OneLine(overview.info.experiment);
  if (!overview.info.shard.empty()) {
    text += ", piece " + overview.info.shard;
  }
  return text + ": " + std::to_string(overview.runs.size() - overview.num_failed) + " done, " +
         std::to_string(overview.num_failed) + " failed, " + MissingText(overview) + " missing\n";
}

// A line per agent, in the order in which the runs name them first.
std::string AgentsText(const std::vector<StoredRun>& runs) {
  struct Count {
    std::size_t num_done = 0;
    std::size_t num_failed = 0;
    double seconds = 0.0;
  };
  std::vector<std::string> labels;
  std::map<std::string, Count> counts;
  for (const StoredRun& run : runs) {
    const auto [count, is_new] = counts.try_emplace(run.record.cell.agent);
    if (is_new) {
      labels.push_back(run.record.cell.agent);
    }
    ++(run.record.status == RunStatus::kDone ? count->second.num_done : count->second.num_failed);
    count->second.seconds += run.record.seconds;
  }
  TextTable table({{.title = "agent"},
                   {.title = "done", .align = Align::kRight},
                   {.title = "failed", .align = Align::kRight},
                   {.title = "seconds", .align = Align::kRight}});
  for (const std::string& label : labels) {
    const Count& count = counts[label];
    table.AddRow({OneLine(label),
                  std::to_string(count.num_done),
                  std::to_string(count.num_failed),
                  Fixed(count.seconds, 2)});
  }
  return table.Text();
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

}  // namespace

int ListResults(const ResultsListOptions& options, const Console& console) {
  std::vector<ListedStore> stores;
  TextTable table({{.title = "results"},
                   {.title = "experiment"},
                   {.title = "piece"},
                   {.title = "done", .align = Align::kRight},
                   {.title = "failed", .align = Align::kRight},
                   {.title = "missing", .align = Align::kRight},
                   {.title = "size", .align = Align::kRight}});
  for (const std::string& results : options.results) {
    ResultStore store = ResultStore::OpenToRead(results);
    const StoreOverview& overview = stores.emplace_back(ListedOf(results, store, {})).overview;
    table.AddRow({OneLine(results),
                  OneLine(overview.info.experiment),
                  overview.info.shard.empty() ? "all" : overview.info.shard,
                  std::to_string(overview.runs.size() - overview.num_failed),
                  std::to_string(overview.num_failed),
                  MissingText(overview),
                  BytesText(Bytes{static_cast<std::int64_t>(overview.bytes)})});
  }
  console.out << (options.json ? ResultsListJson(stores) + "\n" : table.Text());
  return kSuccess;
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

}  // namespace opyard::experiments
