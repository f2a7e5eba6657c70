#include "agents/learned/coloc_rl/reinforce_lstm.h"

#include <algorithm>
#include <numeric>

#include "agents/learned/coloc_rl/trainer.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned_infos.h"
#include "agents/planning/decisions.h"
#include "agents/planning/simple_plans.h"

namespace opyard::agents {
namespace {

GroupingRule ReadRule(Options& options, GroupingRule fallback) {
  const std::vector<std::string> names = GroupingRuleNames();
  const std::string name =
      options.Text("grouping", names.at(static_cast<std::size_t>(fallback)), names);
  return static_cast<GroupingRule>(std::ranges::find(names, name) - names.begin());
}

ColocRlOptions ReadOptions(Options& options) {
  ColocRlOptions read;
  read.groups.rule = ReadRule(options, read.groups.rule);
  read.groups.max_ops =
      static_cast<std::int32_t>(options.Int("group_ops", read.groups.max_ops, 1, 1'000'000));
  read.groups.max_groups =
      static_cast<std::int32_t>(options.Int("max_groups", read.groups.max_groups, 1, 4096));
  ColocRlSizes& sizes = read.sizes;
  sizes.hidden = options.Int("hidden", sizes.hidden, 1, 4096);
  sizes.attention = options.Int("attention", sizes.attention, 1, 4096);
  sizes.embedding = options.Int("embedding", sizes.embedding, 1, 4096);
  sizes.temperature = options.Double("temperature", sizes.temperature, 1e-3, 1e6);
  sizes.tanh_constant = options.Double("tanh_constant", sizes.tanh_constant, 1e-3, 1e3);
  read.samples = options.Int("samples", read.samples, 1, 4096);
  read.learning_rate = options.Double("learning_rate", read.learning_rate, 1e-8, 1.0);
  EntropySchedule& entropy = read.entropy;
  entropy.weight = options.Double("entropy", entropy.weight, 0.0, 100.0);
  entropy.share = options.Double("entropy_share", entropy.share, 0.0, 1.0);
  entropy.num_updates =
      options.Int("entropy_updates", entropy.num_updates, 0, std::int64_t{1} << 40);
  read.restart_updates =
      options.Int("restart_updates", read.restart_updates, 0, std::int64_t{1} << 40);
  read.normalise_advantages = options.Bool("normalise_advantages", read.normalise_advantages);
  read.clip = options.Double("clip", read.clip, 1e-6, 1e6);
  read.baseline_decay = options.Double("baseline_decay", read.baseline_decay, 0.0, 0.9999);
  read.failure_updates =
      options.Int("failure_updates", read.failure_updates, 0, std::int64_t{1} << 40);
  return read;
}

TrainingPoint PointOf(const UpdateReport& report, const env::Evaluator& evaluator) {
  const auto num_samples = static_cast<double>(report.rewards.size());
  TrainingPoint point{
      .num_updates = report.update,
      .values = {
          {"completed", static_cast<double>(report.num_completed) / num_samples},
          {"entropy", report.entropy},
          {"entropy_weight", report.entropy_weight},
          {"gradient_norm", report.gradient_norm},
          {"loss", report.loss},
          {"restarts", static_cast<double>(report.num_restarts)},
          {"mean_reward",
           std::accumulate(report.rewards.begin(), report.rewards.end(), 0.0) / num_samples}}};
  if (report.baseline.has_value()) {
    point.values["baseline"] = *report.baseline;
  }
  if (!evaluator.history().empty()) {
    point.values["best_makespan_s"] = evaluator.history().back().result.makespan.seconds();
  }
  return point;
}

class ReinforceLstm final : public Agent {
 public:
  explicit ReinforceLstm(Options& options)
      : options_(ReadOptions(options)),
        num_threads_(static_cast<int>(options.Int("threads", 1, 1, 1024))),
        load_(options.Text("load", "")),
        save_(options.Text("save", "")) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const TrainingListener& listener) override {
    const std::uint64_t seed = rng.Next();
    if (!problem.tasks().placement || !MakeGroupSequence(problem, options_.groups).has_choice()) {
      evaluator.Evaluate(OnlyPlan(problem));
      return;
    }
    const TorchSession session(num_threads_);
    ColocRlTrainer trainer(problem, options_, seed);
    if (!load_.empty()) {
      trainer.Load(load_);
    }
    while (const std::optional<UpdateReport> report = trainer.Update(evaluator)) {
      if (listener) {
        listener(PointOf(*report, evaluator));
      }
    }
    if (!save_.empty()) {
      trainer.Save(save_);
    }
  }

 private:
  // Where no device is left to choose: the default one of each group.
  static sim::Plan OnlyPlan(const env::Problem& problem) {
    Decisions decisions;
    if (problem.tasks().placement) {
      decisions.device_of_group = DeviceOfGroups(problem, problem.default_placement());
    }
    if (problem.tasks().scheduling) {
      decisions.priority_of_group = LevelsByUpwardRank(problem, 20);
    }
    return ToPlan(problem, decisions);
  }

  ColocRlOptions options_;
  int num_threads_;
  std::string load_;
  std::string save_;
};

}  // namespace

AgentEntry ReinforceLstmEntry() {
  return {.info = ReinforceLstmInfo(), .make = [](Options& options) -> std::unique_ptr<Agent> {
            return std::make_unique<ReinforceLstm>(options);
          }};
}

}  // namespace opyard::agents
