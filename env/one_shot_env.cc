#include "env/one_shot_env.h"

#include <algorithm>
#include <string>
#include <utility>

#include "env/evaluator.h"
#include "env/problem_words.h"
#include "sim/base/error.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"

namespace opyard::env {
namespace {

OneShotOptions Checked(OneShotOptions options) {
  Diagnostics diagnostics;
  if (options.graphs.empty()) {
    diagnostics.AddError("graph", "found an empty list, expected at least one graph");
  }
  if (options.machines.empty()) {
    diagnostics.AddError("hardware", "found an empty list, expected at least one machine");
  }
  static_cast<void>(
      ReadTasks(NamesOf(options.settings.tasks), "tasks", diagnostics));  // at least one
  diagnostics.ThrowIfAny();
  return options;
}

// `given` if it lies below `count`, else a random index; nothing is sampled where there is no
// choice.
std::size_t Choose(const std::string& what,
                   std::optional<std::size_t> given,
                   std::size_t count,
                   Rng& rng) {
  if (!given.has_value()) {
    return count == 1 ? 0 : static_cast<std::size_t>(rng.Below(count));
  }
  if (*given >= count) {
    throw InputError(what + ": found index " + std::to_string(*given) + ", expected one below " +
                     std::to_string(count));
  }
  return *given;
}

}  // namespace

// All that stays the same whenever one graph is played on one machine; copies share it.
struct OneShotEnv::Stage {
  explicit Stage(std::shared_ptr<const Problem> asked, std::int32_t num_levels)
      : problem(std::move(asked)),
        codec(problem, num_levels),
        observation(Observe(*problem)),
        reference(FindReference(*problem)) {}

  std::shared_ptr<const Problem> problem;
  ActionCodec codec;
  Observation observation;
  Reference reference;
  PaddedObservation padded;
  std::vector<std::uint8_t> action_mask;
};

struct OneShotEnv::Workspaces {
  std::vector<sim::Workspace> of_stage;
};

OneShotEnv::OneShotEnv(OneShotOptions options) : options_(Checked(std::move(options))) {
  std::vector<std::shared_ptr<Stage>> stages;
  for (const auto& graph : options_.graphs) {
    for (const auto& machine : options_.machines) {
      auto problem = std::make_shared<const Problem>(
          ProblemSpec{.graph = graph, .hardware = machine, .settings = options_.settings});
      stages.push_back(std::make_shared<Stage>(std::move(problem), options_.num_levels));
      const Observation& seen = stages.back()->observation;
      room_.max_ops = std::max(room_.max_ops, seen.num_ops);
      room_.max_edges = std::max(room_.max_edges, seen.num_edges);
      room_.max_devices = std::max(room_.max_devices, seen.num_devices);
      most_groups_ = std::max(most_groups_, static_cast<std::int32_t>(seen.num_groups));
    }
  }
  room_.max_ops = options_.max_ops.value_or(room_.max_ops);
  room_.max_edges = options_.max_edges.value_or(std::max<std::int64_t>(room_.max_edges, 1));
  const auto num_groups = static_cast<std::size_t>(most_groups_);
  num_choices_.assign(options_.settings.tasks.placement ? num_groups : 0,
                      static_cast<std::int32_t>(room_.max_devices));
  for (const bool has_levels :
       {options_.settings.tasks.scheduling, options_.settings.tasks.fusion}) {
    num_choices_.insert(num_choices_.end(), has_levels ? num_groups : 0, options_.num_levels);
  }
  for (const auto& each : stages) {
    each->padded = Pad(each->observation, room_);
    each->action_mask = WidenMask(each->codec);
  }
  stages_.assign(stages.begin(), stages.end());
  workspaces_ = std::make_unique<Workspaces>();
  workspaces_->of_stage.resize(stages_.size());
  Reset(0, {});
}

OneShotEnv::~OneShotEnv() = default;

OneShotEnv::OneShotEnv(const OneShotEnv& other)
    : options_(other.options_),
      rng_(other.rng_),
      most_groups_(other.most_groups_),
      room_(other.room_),
      num_choices_(other.num_choices_),
      stages_(other.stages_),
      workspaces_(std::make_unique<Workspaces>()),
      present_(other.present_),
      is_over_(other.is_over_),
      info_(other.info_) {
  workspaces_->of_stage.resize(stages_.size());
}

EpisodeState OneShotEnv::state() const {
  return {.rng = rng_.state(), .present = present_, .is_over = is_over_, .info = info_};
}

void OneShotEnv::Restore(const EpisodeState& state) {
  if (state.present >= stages_.size()) {
    throw InputError("state of an environment: found episode " + std::to_string(state.present) +
                     ", expected one below " + std::to_string(stages_.size()));
  }
  rng_ = Rng::FromState(state.rng);
  present_ = state.present;
  is_over_ = state.is_over;
  info_ = state.info;
}

void OneShotEnv::Reset(std::optional<std::uint64_t> seed, Choice choice) {
  if (seed.has_value()) {
    rng_ = Rng(*seed);
  }
  const std::size_t graph = Choose("graph", choice.graph, options_.graphs.size(), rng_);
  const std::size_t machine = Choose("hardware", choice.machine, options_.machines.size(), rng_);
  present_ = graph * options_.machines.size() + machine;
  is_over_ = false;
  info_ = EpisodeInfo{.lower_bound = problem().problem_bound(),
                      .problem_bound = problem().problem_bound(),
                      .reference = stage().reference.makespan};
}

EpisodeOutcome EpisodeOutcomeOf(sim::Outcome outcome) {
  switch (outcome) {
    case sim::Outcome::kCompleted:
      return EpisodeOutcome::kCompleted;
    case sim::Outcome::kOutOfMemory:
      return EpisodeOutcome::kOutOfMemory;
    case sim::Outcome::kDeadlock:
      return EpisodeOutcome::kDeadlock;
    case sim::Outcome::kCutOff:  // only runs with a limit
      break;
  }
  return EpisodeOutcome::kNotRun;
}

StepResult OneShotEnv::Step(std::span<const std::int32_t> action) {
  if (is_over_) {
    throw InputError("step: the episode is over after one step, expected a reset");
  }
  is_over_ = true;
  const std::vector<std::int32_t> narrow = NarrowAction(action);
  if (!stage().codec.IsLegal(narrow)) {
    info_.outcome = EpisodeOutcome::kIllegalAction;
    return {.reward = kFailureReward, .info = info_};
  }
  const sim::Plan plan = stage().codec.Decode(narrow);
  sim::Workspace& workspace = workspaces_->of_stage[present_];
  const Evaluation evaluation = EvaluateUncounted(problem(), plan, workspace);
  info_.outcome = EpisodeOutcomeOf(evaluation.result.outcome);
  info_.makespan = evaluation.result.makespan;
  info_.peak_memory = evaluation.result.peak_memory;
  info_.lower_bound = problem().simulator().PlanBound(plan, workspace);
  return {.reward = Reward(options_.reward, evaluation, stage().reference.score), .info = info_};
}

std::size_t OneShotEnv::action_mask_size() const {
  return stage().action_mask.size();
}

const Problem& OneShotEnv::problem() const {
  return *stage().problem;
}

const Observation& OneShotEnv::observation() const {
  return stage().observation;
}

const PaddedObservation& OneShotEnv::padded_observation() const {
  return stage().padded;
}

const std::vector<std::uint8_t>& OneShotEnv::action_mask() const {
  return stage().action_mask;
}

// The mask of `codec`'s problem, laid out for the largest problem.
std::vector<std::uint8_t> OneShotEnv::WidenMask(const ActionCodec& codec) const {
  const auto own_groups = static_cast<std::size_t>(codec.problem().grouping().num_groups);
  const auto num_groups = static_cast<std::size_t>(most_groups_);
  std::vector<std::uint8_t> mask;
  std::size_t first_own = 0;
  for (std::size_t decision = 0; decision < num_choices_.size(); ++decision) {
    const std::size_t first = mask.size();
    mask.resize(first + static_cast<std::size_t>(num_choices_[decision]), 0);
    if (decision % num_groups >= own_groups) {
      mask[first] = 1;
      continue;
    }
    const std::size_t own_decision = decision / num_groups * own_groups + decision % num_groups;
    const auto own_choices = static_cast<std::size_t>(codec.num_choices()[own_decision]);
    std::copy_n(codec.mask().begin() + static_cast<std::ptrdiff_t>(first_own),
                own_choices,
                mask.begin() + static_cast<std::ptrdiff_t>(first));
    first_own += own_choices;
  }
  return mask;
}

// The decisions of the present problem; empty if `action` has the wrong length.
std::vector<std::int32_t> OneShotEnv::NarrowAction(std::span<const std::int32_t> action) const {
  std::vector<std::int32_t> narrow;
  if (action.size() != num_choices_.size()) {
    return narrow;
  }
  const auto own_groups = static_cast<std::size_t>(problem().grouping().num_groups);
  for (std::size_t first = 0; first < action.size();
       first += static_cast<std::size_t>(most_groups_)) {
    const auto own = action.subspan(first, own_groups);
    narrow.insert(narrow.end(), own.begin(), own.end());
  }
  return narrow;
}

}  // namespace opyard::env
