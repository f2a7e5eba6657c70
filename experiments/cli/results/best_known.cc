#include "experiments/cli/results/best_known.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/maintenance/best_known_merge.h"
#include "experiments/statistics/best_known.h"
#include "experiments/statistics/head_room.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

struct BestKnownOptions {
  std::vector<std::string> results;  // with `out` results of `opyard run`, else one folder of plans
  std::string out;                   // folder of plans that keeps the best of them; "" for none
  bool json = false;
};

// Prints the table of best known plans, after the best of `results` went into `out` if that is
// given. kInterrupted if they did so in part. Throws InputError for what cannot be read or written.
[[nodiscard]] int ShowBestKnown(const BestKnownOptions& options, const Console& console);

// Every plan, and the head-rooms.
[[nodiscard]] std::string BestKnownJson(const std::vector<BestKnownPlan>& plans);

}  // namespace

void AddBestKnownArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "best-known",
                     .summary = "the best plans found so far, beside the expert's and bounds",
                     .examples = "  opyard results best-known results/mine --out results/best\n"
                                 "  opyard results best-known results/best --json"});
  const auto options = std::make_shared<BestKnownOptions>();
  subcommand
      .add_option("results",
                  options->results,
                  "a folder of best known plans; with --out, results folders or files")
      ->required()
      ->type_name("RESULTS");
  subcommand.add_option("--out", options->out, "folder that keeps the best plans of RESULTS")
      ->type_name("DIR");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ShowBestKnown);
}

namespace {

namespace fs = std::filesystem;

fs::path TableOf(const BestKnownOptions& options) {
  if (!options.out.empty()) {
    return fs::path(options.out) / kBestKnownFile;
  }
  if (options.results.size() > 1) {
    throw InputError("found " + std::to_string(options.results.size()) +
                     " results, expected one folder of best known plans, or --out DIR for the best "
                     "of all of them");
  }
  const std::string& path = options.results.front();
  const std::optional<fs::path> table = FindBestKnown(path);
  if (!table.has_value()) {
    throw InputError(path + ": found no " + kBestKnownFile +
                     ", expected a folder that --out has made of the results of `opyard run`");
  }
  return *table;
}

std::string SummaryOf(const BestKnownMerge& merge, const fs::path& table) {
  return table.string() + ": " + std::to_string(merge.num_runs) + " runs gave " +
         std::to_string(merge.num_new) + " new and " + std::to_string(merge.num_better) +
         " better plans, " + std::to_string(merge.num_kept) + " stay as they were\n";
}

int ShowBestKnown(const BestKnownOptions& options, const Console& console) {
  const fs::path table = TableOf(options);
  std::string summary;
  if (!options.out.empty()) {
    const BestKnownMerge merge =
        MergeBestKnown(options.results, options.out, console.agents, console.interrupt);
    summary = "\n" + SummaryOf(merge, table);
    if (merge.was_interrupted) {
      console.err << "interrupted after " << merge.num_runs << " runs\n";
      return kInterrupted;
    }
  }
  const std::vector<BestKnownPlan> plans = ReadBestKnown(table);
  if (options.json) {
    console.out << BestKnownJson(plans) << '\n';
  } else {
    console.out << BestKnownText(plans) << summary;
  }
  return kSuccess;
}

using Json = nlohmann::ordered_json;

template <class T>
Json ValueOrNull(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

Json PlanJson(const BestKnownPlan& plan) {
  const SearchEffort effort = EffortOf(plan);
  const bool has_expert = plan.expert.has_value();
  return {{"graph", plan.problem.graph},
          {"hardware", plan.problem.machine},
          {"tasks", plan.problem.tasks},
          {"objective", plan.problem.objective},
          {"queue", plan.problem.queue},
          {"fusion", plan.problem.fusion},
          {"makespan_s", plan.best.makespan.seconds()},
          {"score", plan.best.score},
          {"expert_s", has_expert ? Json(plan.expert->makespan.seconds()) : Json(nullptr)},
          {"expert_score", has_expert ? Json(plan.expert->score) : Json(nullptr)},
          {"ratio", ValueOrNull(RatioOf(plan))},
          {"problem_bound_s", plan.lower_bound.seconds()},
          {"agent", plan.agent},
          {"seed", plan.seed},
          {"evaluations", plan.evaluations},
          {"agents", effort.num_agents},
          {"seeds", effort.num_seeds},
          {"least_evaluations", ValueOrNull(effort.least_evaluations)},
          {"version", plan.version},
          {"plan", plan.file},
          {"reproduce", plan.reproduce}};
}

Json HeadRoomJson(const HeadRoom& room) {
  return {{"tasks", room.tasks.empty() ? Json(nullptr) : Json(room.tasks)},
          {"problems", room.num_problems},
          {"ratios", room.num_ratios},
          {"geomean", ValueOrNull(room.geomean)}};
}

std::string BestKnownJson(const std::vector<BestKnownPlan>& plans) {
  Json json = {{"plans", Json::array()}, {"head_room", Json::array()}};
  std::ranges::transform(plans, std::back_inserter(json["plans"]), PlanJson);
  std::ranges::transform(HeadRoomsOf(plans), std::back_inserter(json["head_room"]), HeadRoomJson);
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
