#include "agents/learned/common/declaration.h"

namespace opyard::agents {

OptionTable<TrainingSession> TrainingSessionOptions() {
  return OptionTable<TrainingSession>(
      {{.name = "threads",
        .field = Whole(&TrainingSession::num_threads, 1, 1024),
        .meaning = "threads of the network; with one, plans are the same on every machine"},
       {.name = "device",
        .field = Word(&TrainingSession::device,
                      {{"cpu", NetworkDevice::kCpu}, {"cuda", NetworkDevice::kCuda}}),
        .meaning = "what the network computes on: the processor (cpu), or the first CUDA device "
                   "that LibTorch sees (cuda), whose sums, and so plans, may differ from run to "
                   "run"},
       {.name = "checkpoint",
        .field = Text(&TrainingSession::checkpoint),
        .meaning = "file of weights that the search begins with, whose network it then has: "
                   "`opyard train` writes them, and `save`; empty: fresh ones"},
       {.name = "save",
        .field = Text(&TrainingSession::save),
        .meaning = "file that the weights at the end of the search are written to"}});
}

OptionTable<GroupingOptions> GroupRuleOptions(const std::string& paper) {
  return OptionTable<GroupingOptions>(
      {{.name = "grouping",
        .field = Word(&GroupingOptions::rule, GroupingRuleWords()),
        .meaning = "which ops are placed together: those of a group of the problem (problem); "
                   "with them those whose only consumer it is (single_consumer), or these beyond "
                   "max_groups only, in groups as small as will do (as_needed); those of one of "
                   "max_groups parts that METIS makes (metis), that are dealt at random (random), "
                   "or that are runs of the network's layers, forward and backward (stages)",
        .paper = paper},
       {.name = "group_ops",
        .field = Whole(&GroupingOptions::max_ops, 1, 1'000'000),
        .meaning = "ops that a group of single_consumer and as_needed may have",
        .paper = paper.empty() ? "" : "no limit"},
       {.name = "group_seed",
        .field = Whole(&GroupingOptions::seed, 0, 1'000'000'000),
        .meaning = "seed of the groups of metis and random"}});
}

OptionTable<EntropySchedule> EntropyScheduleOptions(const std::string& paper) {
  return OptionTable<EntropySchedule>(
      {{.name = "entropy",
        .field = Real(&EntropySchedule::weight, 0.0, 100.0),
        .meaning = "weight of the mean entropy of a decision, in nats, at the start",
        .paper = paper},
       {.name = "entropy_share",
        .field = Real(&EntropySchedule::share, 0.0, 1.0),
        .meaning = "share of the budget over which that weight falls linearly to 0; 0: it stays"},
       {.name = "entropy_updates",
        .field = Whole(&EntropySchedule::num_updates, 0, kMostUpdates),
        .meaning = "updates over which it falls instead; 0: entropy_share counts"}});
}

OptionTable<LearningRule> LearningRuleOptions(const std::string& paper) {
  const OptionTable<PpoOptions> ppo(
      {{.name = "n_epochs",
        .field = Whole(&PpoOptions::n_epochs, 1, 1000),
        .meaning = "epochs of an update by ppo over its plans"},
       {.name = "num_minibatches",
        .field = Whole(&PpoOptions::num_minibatches, 1, 4096),
        .meaning = "minibatches of an epoch, one gradient step each"},
       {.name = "clip_range",
        .field = Real(&PpoOptions::clip_range, 1e-3, 1.0),
        .meaning =
            "clip range of the ratio of a decision's probability to that when it was sampled, "
            "around 1"},
       {.name = "target_kl",
        .field = Real(&PpoOptions::target_kl, 0.0, 1e3),
        .meaning = "estimated KL divergence of a decision, in nats, from the policy that sampled "
                   "it, beyond which an update by ppo ends; 0: no limit"}});
  return OptionTable<LearningRule>(
             {{.name = "algorithm",
               .field = Word(&LearningRule::algorithm,
                             {{"reinforce", Algorithm::kReinforce}, {"ppo", Algorithm::kPpo}}),
               .meaning =
                   "an update is one gradient step (reinforce), or several near the policy that "
                   "sampled its plans (ppo)",
               .paper = paper}})
      .With(&LearningRule::ppo, ppo);
}

OptionTable<BaselineRule> BaselineRuleOptions(const std::string& decay,
                                              const std::string& failure_updates) {
  return OptionTable<BaselineRule>(
      {{.name = "baseline_momentum",
        .field = Real(&BaselineRule::momentum, 0.0, 0.9999),
        .meaning = "momentum of the moving average of rewards, the baseline",
        .paper = decay},
       {.name = "baseline_start",
        .field = Word(&BaselineRule::start,
                      {{"first_rewards", BaselineStart::kFirstRewards},
                       {"failure", BaselineStart::kFailure}}),
        .meaning = "first value of the baseline: the mean reward of the first update with a plan "
                   "that completes (first_rewards), or the reward of a failed plan, -10 (failure)",
        .paper = "failure"},
       {.name = "failure_updates",
        .field = Whole(&BaselineRule::failure_updates, 0, kMostUpdates),
        .meaning = "updates in which failed plans, those that run out of memory, train, too",
        .paper = failure_updates},
       {.name = "failure_baseline",
        .field = Flag(&BaselineRule::includes_failures),
        .meaning = "whether failed plans move the baseline in those updates",
        .paper = "true"}});
}

}  // namespace opyard::agents
