#include "experiments/tuning/tuning.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "agents/base/search_run.h"
#include "env/parallel/thread_pool.h"
#include "experiments/base/version.h"
#include "experiments/store/folder_lock.h"
#include "experiments/tuning/trials.h"
#include "experiments/tuning/tuning_files.h"
#include "experiments/tuning/tuning_problems.h"
#include "sim/base/error.h"
#include "sim/base/rng.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

std::string BudgetText(const env::Budget& budget) {
  Json json = Json::object();
  if (budget.evaluations.has_value()) {
    json["evaluations"] = *budget.evaluations;
  }
  if (budget.seconds.has_value()) {
    json["seconds"] = *budget.seconds;
  }
  return json.dump();
}

// The conditions that must be equal where a tuning goes on, by name.
TuningRecord ConditionsOf(const ExperimentConfig& config, const TuningRequest& request) {
  return {{"agent", Json(request.agent.name).dump()},
          {"given_params", ParamsJson(request.agent.params)},
          {"space", TuningSpaceJson(config.tuning)},
          {"trials", std::to_string(config.tuning.trials)},
          {"shrink", std::to_string(config.tuning.shrink)},
          {"first_problems", std::to_string(config.tuning.first_problems)},
          {"problem", ProblemJson(config.problem)},
          {"tasks", TrainingTasksJson(config.training)},
          {"train", TrainingGraphsJson(config.training)},
          {"hardware", Json(config.hardware).dump()},
          {"budget", BudgetText(BudgetOf(config, request.agent))},
          {"seed", std::to_string(request.seed)}};
}

// Throws InputError for each end of a range that the agent refuses, and once for a parameter that
// it does not have.
void CheckSpace(const ExperimentConfig& config,
                const AgentConfig& agent,
                const agents::AgentRegistry& registry) {
  Diagnostics diagnostics;
  for (const TunedParam& param : config.tuning.space) {
    std::set<std::string> faults;
    for (TuningConfig one = config.tuning; const double end : {param.low, param.high}) {
      one.trials = 2;
      one.space = {param};
      one.space.front().low = one.space.front().high = end;
      const std::vector<Options> trials =
          SampleTrials(one, registry.Get(agent.name).info, agent.params, 0);
      for (const agents::OptionFault& fault : registry.Check(agent.name, trials.back())) {
        if (faults.insert(fault.message).second) {
          diagnostics.AddError(param.place, fault.message);
        }
      }
    }
  }
  diagnostics.ThrowIfAny();
}

class Tuning {
 public:
  Tuning(const ExperimentConfig& config,
         const TuningRequest& request,
         const agents::AgentRegistry& registry)
      : config_(config),
        request_(request),
        registry_(registry),
        lock_(request.folder),
        problems_(config, Rng(static_cast<std::uint64_t>(request.seed)).Fork(0)),
        rounds_(RoundsOf(config.tuning, problems_.size())),
        trials_(SampleTrials(config.tuning,
                             registry.Get(request.agent.name).info,
                             request.agent.params,
                             static_cast<std::uint64_t>(request.seed))),
        jobs_(request.num_jobs) {
    state_.conditions = ConditionsOf(config, request);
  }

  TuningAnswer Run() {
    Begin();
    std::vector<std::size_t> trials(trials_.size());
    std::iota(trials.begin(), trials.end(), std::size_t{0});
    Json standings = Json::array();
    for (round_ = 0; round_ < rounds_.size(); ++round_) {
      const TuningRound& round = rounds_[round_];
      trials.resize(std::min(trials.size(), round.num_trials));
      if (!RunRound(trials)) {
        Save();
        return {.so_far = SoFar(), .params = {}, .was_interrupted = true};
      }
      trials = Ranked(state_.scores, std::move(trials), round.num_problems);
      standings.push_back(StandingsOf(trials, round.num_problems));
      ReportRound(trials, round.num_problems);
    }
    Save();
    return Answer(trials.front(), standings);
  }

 private:
  [[nodiscard]] fs::path File(const char* name) const { return request_.folder / name; }

  void Begin() {
    std::error_code ignored;
    const bool is_there = fs::exists(File(kTuningFile), ignored);
    if (is_there && !request_.resume) {
      throw InputError(request_.folder.string() +
                       ": found a tuning here, expected none: go on with it by --resume, or give "
                       "another folder by --out");
    }
    if (is_there) {
      GoOn(ReadTuningState(File(kTuningFile)));
    }
    start_ = last_save_ = Clock::now();
  }

  void GoOn(TuningState found) {
    Diagnostics differences;
    for (const auto& [name, value] : state_.conditions) {
      const auto it = found.conditions.find(name);
      const std::string before = it == found.conditions.end() ? "nothing" : it->second;
      if (before != value) {
        differences.AddError(File(kTuningFile).string() + ": " + name,
                             "found " + before + ", expected " + value +
                                 ": a tuning goes on under the conditions that it was begun under");
      }
    }
    differences.ThrowIfAny();
    state_ = std::move(found);
    seconds_before_ = state_.seconds;
  }

  // The runs of this round that no earlier one has made.
  [[nodiscard]] std::vector<TrialRun> MissingRuns(std::vector<std::size_t> trials) const {
    if (std::ranges::find(trials, std::size_t{0}) == trials.end()) {
      trials.push_back(0);
    }
    std::vector<TrialRun> missing;
    for (const std::size_t trial : trials) {
      for (std::size_t problem = 0; problem < rounds_[round_].num_problems; ++problem) {
        if (!state_.scores.contains({.trial = trial, .problem = problem})) {
          missing.push_back({.trial = trial, .problem = problem});
        }
      }
    }
    return missing;
  }

  // Makes the runs that are missing; false if interrupted.
  bool RunRound(const std::vector<std::size_t>& trials) {
    const std::vector<TrialRun> missing = MissingRuns(trials);
    jobs_.ForEach(missing.size(),
                  [&](std::size_t /*worker*/, std::size_t item) { return RunOnce(missing[item]); });
    return MissingRuns(trials).empty();
  }

  // In any thread of `jobs_`; false if interrupted.
  bool RunOnce(const TrialRun& run) {
    const agents::SearchResult found = Search(run);
    if (found.was_interrupted) {
      return false;
    }
    const std::scoped_lock lock(mutex_);
    Keep(run, found);
    return true;
  }

  agents::SearchResult Search(const TrialRun& run) {
    return agents::RunSearch(
        {.problem = ProblemOf(run),
         .agent = request_.agent.name,
         .params = trials_[run.trial],
         .seed = request_.seed + static_cast<std::int64_t>(run.problem),
         .budget = BudgetOf(config_, request_.agent),
         .num_threads = std::max<std::size_t>(1, request_.num_threads / request_.num_jobs),
         .interrupt = request_.interrupt,
         .on_progress = {}},
        registry_);
  }

  std::shared_ptr<const env::Problem> ProblemOf(const TrialRun& run) {
    const std::scoped_lock lock(mutex_);
    return problems_.Get(run.problem);
  }

  void Keep(const TrialRun& run, const agents::SearchResult& found) {
    state_.scores[run] =
        found.is_feasible() ? std::optional(found.best->evaluation.score) : std::nullopt;
    state_.evaluations += found.evaluations;
    if (request_.on_run) {
      request_.on_run(SoFar());
    }
    if (request_.on_score) {
      request_.on_score({.run = run, .score = state_.scores.at(run), .params = trials_[run.trial]});
    }
    if (std::chrono::duration<double>(Clock::now() - last_save_).count() >=
        config_.training.save_seconds) {
      Save();
    }
  }

  void ReportRound(const std::vector<std::size_t>& ranked, std::size_t num_problems) const {
    if (!request_.on_round) {
      return;
    }
    TuningStandings standings{.num_problems = num_problems, .improvements = {}};
    for (const std::size_t trial : ranked) {
      standings.improvements.emplace_back(trial,
                                          MeanImprovement(state_.scores, trial, num_problems));
    }
    request_.on_round(standings);
  }

  [[nodiscard]] Json StandingsOf(const std::vector<std::size_t>& ranked,
                                 std::size_t num_problems) const {
    Json trials = Json::array();
    for (const std::size_t trial : ranked) {
      trials.push_back({{"trial", trial},
                        {"improvement", MeanImprovement(state_.scores, trial, num_problems)},
                        {"params", Json::parse(ParamsJson(trials_[trial]))}});
    }
    return {{"problems", num_problems}, {"trials", trials}};
  }

  [[nodiscard]] TuningAnswer Answer(std::size_t best, const Json& standings) const {
    const std::size_t num_problems = rounds_.back().num_problems;
    TuningRecord record = state_.conditions;
    record["command"] = Json("opyard tune " + config_.name + " --agent " + request_.agent.label +
                             " --seed " + std::to_string(request_.seed))
                            .dump();
    record["version"] = Json(Version()).dump();
    record["seconds"] = Json(seconds()).dump();
    record["evaluations"] = Json(state_.evaluations).dump();
    record["rounds"] = standings.dump();
    WriteTuned(File(kTunedFile), request_.agent.name, trials_[best], record);
    return {.so_far = SoFar(),
            .params = trials_[best],
            .improvement = MeanImprovement(state_.scores, best, num_problems),
            .num_problems = num_problems};
  }

  [[nodiscard]] double seconds() const {
    return seconds_before_ + std::chrono::duration<double>(Clock::now() - start_).count();
  }

  [[nodiscard]] TuningSoFar SoFar() const {
    TuningSoFar so_far{.round = std::min(round_ + 1, rounds_.size()),
                       .num_rounds = rounds_.size(),
                       .num_runs = state_.scores.size(),
                       .evaluations = state_.evaluations,
                       .seconds = seconds()};
    // A trial that goes on has the problems of the round before already.
    std::size_t before = 0;
    for (const TuningRound& round : rounds_) {
      so_far.planned_runs += round.num_trials * (round.num_problems - before);
      before = round.num_problems;
    }
    so_far.planned_runs = std::max(so_far.planned_runs, so_far.num_runs);
    return so_far;
  }

  void Save() {
    state_.seconds = seconds();
    WriteTuningState(File(kTuningFile), state_);
    last_save_ = Clock::now();
  }

  const ExperimentConfig& config_;
  const TuningRequest& request_;
  const agents::AgentRegistry& registry_;
  FolderLock lock_;
  TuningProblems problems_;
  std::vector<TuningRound> rounds_;
  std::vector<Options> trials_;
  env::ThreadPool jobs_;
  std::mutex mutex_;  // of `problems_` and `state_` while jobs run, and of whom they report to
  TuningState state_;
  std::size_t round_ = 0;
  Clock::time_point start_;
  Clock::time_point last_save_;
  double seconds_before_ = 0.0;
};

}  // namespace

TuningAnswer RunTuning(const ExperimentConfig& config,
                       const TuningRequest& request,
                       const agents::AgentRegistry& registry) {
  if (config.tuning.space.empty() || config.training.graphs.empty()) {
    throw InputError("experiment " + config.name +
                     ": found nothing to tune, expected graphs under split: train and parameters "
                     "under tuning: space");
  }
  CheckSpace(config, request.agent, registry);
  return Tuning(config, request, registry).Run();
}

}  // namespace opyard::experiments
