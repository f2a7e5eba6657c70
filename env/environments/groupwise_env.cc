#include "env/environments/groupwise_env.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "env/environments/queued_plan.h"
#include "env/evaluation.h"
#include "env/reward.h"
#include "sim/base/array_index.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/engine/simulator.h"
#include "sim/plan/validate.h"

namespace opyard::env {
namespace {

constexpr std::int32_t kOpen = -1;

// Throws PlanError if the plan does not fit, or InputError if it splits a group or has an order
// where levels are decided.
void CheckPlan(const Stage& stage, const sim::Plan& plan) {
  sim::ValidatePlan(stage.problem->graph(), stage.problem->hardware(), plan);
  if (stage.problem->tasks().scheduling && plan.queue == sim::QueueDiscipline::kOrder) {
    throw InputError(
        "plan#: found queue order, expected fifo or priority: scheduling is a task, whose levels "
        "of "
        "priority say no order");
  }
  for (std::int32_t group = 0; group < stage.num_groups(); ++group) {
    const std::span<const std::int32_t> ops = stage.OpsOf(group);
    for (const std::int32_t op : ops) {
      if (plan.placement[At(op)] != plan.placement[At(ops.front())]) {
        throw InputError("plan#: found ops " + std::to_string(ops.front()) + " and " +
                         std::to_string(op) +
                         " on two devices, expected one: they are decided together; group: none "
                         "decides each op by itself");
      }
    }
  }
}

}  // namespace

GroupwiseEnv::GroupwiseEnv(std::shared_ptr<const Stages> stages, const GroupwiseOptions& options)
    : stages_(std::move(stages)), options_(options) {
  OPYARD_CHECK(options.sweeps >= 1 && (options.improves || options.sweeps == 1),
               "only a whole plan can be visited again");
  for (const Task task : {kDevice, kPriority, kFusion}) {
    if (IsTask(task)) {
      tasks_.push_back(task);
      num_choices_.push_back(task == kDevice
                                 ? static_cast<std::int32_t>(stages_->room().max_devices)
                                 : stages_->options().num_levels);
    }
  }
  if (options_.turns == Turns::kInTurn) {
    num_choices_ = {*std::ranges::max_element(num_choices_)};
  }
  mask_.resize(
      static_cast<std::size_t>(std::accumulate(num_choices_.begin(), num_choices_.end(), 0)));
  state_.is_over = true;
  state_.choices.assign(stage().codec.num_decisions(), kOpen);
  state_.info = BlankInfo(stage());
  state_.rng = rng_.state();
  Rebuild();
}

bool GroupwiseEnv::IsTask(Task task) const {
  const TaskSet& tasks = stages_->tasks();
  return task == kDevice ? tasks.placement : task == kPriority ? tasks.scheduling : tasks.fusion;
}

std::int64_t GroupwiseEnv::SweepLength() const {
  const auto num_turns = options_.turns == Turns::kJoint ? 1 : std::ssize(tasks_);
  return std::int64_t{stage().num_groups()} * num_turns;
}

std::int64_t GroupwiseEnv::episode_length() const {
  return SweepLength() * options_.sweeps;
}

std::int32_t GroupwiseEnv::GroupOf(std::int64_t step) const {
  return stage().group_order[static_cast<std::size_t>(step % stage().num_groups())];
}

std::span<const GroupwiseEnv::Task> GroupwiseEnv::TasksOf(std::int64_t step) const {
  if (options_.turns == Turns::kJoint) {
    return tasks_;
  }
  const std::int64_t turn = step % SweepLength() / stage().num_groups();
  return std::span(tasks_).subspan(static_cast<std::size_t>(turn), 1);
}

std::size_t GroupwiseEnv::IndexOf(Task task, std::int32_t group) const {
  const auto before = std::ranges::find(tasks_, task) - tasks_.begin();
  return static_cast<std::size_t>(before * stage().num_groups() + group);
}

std::int32_t& GroupwiseEnv::Choice(Task task, std::int32_t group) {
  return state_.choices[IndexOf(task, group)];
}

std::int32_t GroupwiseEnv::Choice(Task task, std::int32_t group) const {
  return state_.choices[IndexOf(task, group)];
}

void GroupwiseEnv::Reset(std::optional<std::uint64_t> seed,
                         const EpisodeStart& start,
                         StageWorkspaces& workspaces) {
  if (seed.has_value()) {
    rng_ = Rng(*seed);
  }
  const std::size_t present = ChooseStage(*stages_, start.choice, rng_);
  const Noise noise = SampleNoise(*stages_, start.noise, rng_);
  if (start.plan != nullptr) {
    CheckPlan((*stages_)[present], *start.plan);
  }
  state_.present = present;
  state_.noise = noise;
  state_.rng = rng_.state();
  state_.is_over = false;
  state_.num_steps = 0;
  state_.ratio = 0.0;
  state_.info = BlankInfo(stage());
  state_.choices.assign(stage().codec.num_decisions(), kOpen);
  if (options_.improves) {
    TakePlan(start.plan);
  }
  Rebuild();
  if (simulates_each_step()) {
    static_cast<void>(Simulate(workspaces));
  }
}

StepResult GroupwiseEnv::Step(std::span<const std::int32_t> action, StageWorkspaces& workspaces) {
  if (state_.is_over) {
    throw InputError("step: the episode is over, expected a reset");
  }
  if (!IsLegal(action)) {
    state_.is_over = true;
    UpdateMask();
    state_.info.outcome = EpisodeOutcome::kIllegalAction;
    return {.reward = kFailureReward, .info = state_.info};
  }
  const std::int32_t group = CurrentGroup();
  const std::span<const Task> tasks = CurrentTasks();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Decide(tasks[i], group, action[i]);
  }
  state_.is_over = ++state_.num_steps == episode_length();
  UpdateMask();
  const RewardKind kind = stages_->options().reward;
  const bool is_rewarded = state_.is_over || RewardsEachStep(kind);
  if (!is_rewarded && !options_.improves) {
    return {.reward = 0.0, .info = state_.info};
  }
  const double ratio_before = state_.ratio;
  const Evaluation evaluation = Simulate(workspaces);
  return {.reward = is_rewarded
                        ? StepReward(kind, ratio_before, evaluation, stage().reference.score)
                        : 0.0,
          .info = state_.info};
}

Evaluation GroupwiseEnv::Simulate(StageWorkspaces& workspaces) {
  workspaces.resize(stages_->size());
  sim::Workspace& workspace = workspaces[state_.present];
  const std::optional<sim::Plan> other = FindOtherPlan(*stage().problem, plan_);
  const sim::Plan& simulated = other.has_value() ? *other : plan_;
  const Evaluation evaluation =
      EvaluationOf(*stage().problem, simulator_->Run(simulated, workspace));
  state_.ratio = RatioOf(evaluation, stage().reference.score);
  state_.info.outcome = EpisodeOutcomeOf(evaluation.result.outcome);
  state_.info.makespan = evaluation.result.makespan;
  state_.info.peak_memory = evaluation.result.peak_memory;
  if (state_.is_over) {
    state_.info.lower_bound =
        std::max(simulator_->PlanBound(simulated, workspace), stage().problem->problem_bound());
  }
  return evaluation;
}

bool GroupwiseEnv::MayBeOn(std::int32_t group, std::size_t device) const {
  return device < stage().num_devices() &&
         stage().codec.mask()[At(group) * stage().num_devices() + device] != 0;
}

std::span<std::int8_t> GroupwiseEnv::WriteMaskOf(Task task, std::span<std::int8_t> mask) const {
  if (task != kDevice) {
    const auto num_levels = static_cast<std::size_t>(stages_->options().num_levels);
    std::ranges::fill(mask.first(num_levels), std::int8_t{1});
    return mask.subspan(num_levels);
  }
  const std::int32_t group = CurrentGroup();
  const auto write = [&](bool needs_room) {
    bool is_any = false;
    for (std::size_t device = 0; device < stage().num_devices(); ++device) {
      const std::int64_t own = Choice(kDevice, group) == static_cast<std::int32_t>(device)
                                   ? stage().group_params[At(group)]
                                   : 0;
      const bool has_room =
          params_[device] - own + stage().group_params[At(group)] <= stage().capacity[device];
      mask[device] = MayBeOn(group, device) && (has_room || !needs_room) ? 1 : 0;
      is_any = is_any || mask[device] != 0;
    }
    return is_any;
  };
  if (options_.masked == MaskedDevices::kForbidden || !write(true)) {
    static_cast<void>(write(false));
  }
  return mask.subspan(static_cast<std::size_t>(stages_->room().max_devices));
}

void GroupwiseEnv::UpdateMask() {
  std::ranges::fill(mask_, std::int8_t{0});
  std::span<std::int8_t> mask = mask_;
  if (state_.is_over) {  // nothing is decided any more: the first choice of each number
    for (const std::int32_t choices : num_choices_) {
      mask[0] = 1;
      mask = mask.subspan(At(choices));
    }
    return;
  }
  for (const Task task : CurrentTasks()) {
    mask = WriteMaskOf(task, mask);
  }
}

bool GroupwiseEnv::IsLegal(std::span<const std::int32_t> action) const {
  if (action.size() != num_choices_.size()) {
    return false;
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < action.size(); ++i) {
    if (action[i] < 0 || action[i] >= num_choices_[i] || mask_[first + At(action[i])] == 0) {
      return false;
    }
    first += static_cast<std::size_t>(num_choices_[i]);
  }
  return true;
}

void GroupwiseEnv::AddLoad(std::int32_t group, std::int32_t device, int sign) {
  load_s_[At(device)] +=
      sign * stage().group_seconds[At(group) * stage().num_devices() + At(device)];
  params_[At(device)] += sign * stage().group_params[At(group)];
}

void GroupwiseEnv::Decide(Task task, std::int32_t group, std::int32_t choice) {
  std::int32_t& before = Choice(task, group);
  if (task == kDevice) {
    if (before != kOpen) {
      AddLoad(group, before, -1);
    }
    AddLoad(group, choice, 1);
  }
  before = choice;
  for (const std::int32_t op : stage().OpsOf(group)) {
    switch (task) {
      case kDevice:
        plan_.placement[At(op)] = DeviceId(choice);
        break;
      case kPriority:
        plan_.op_priority[At(op)] = choice;
        break;
      case kFusion:
        plan_.fusion_priority[At(op)] = choice;
        break;
    }
  }
}

void GroupwiseEnv::Rebuild() {
  simulator_ = SimulatorWith(state_.noise, *stage().problem);
  plan_ = DefaultPlan(*stage().problem);
  if (stages_->tasks().scheduling) {
    SetPriorities(plan_, std::vector<std::int64_t>(plan_.placement.size(), 0));
  }
  load_s_.assign(stage().num_devices(), 0.0);
  params_.assign(stage().num_devices(), 0);
  const std::vector<std::int32_t> choices = std::exchange(
      state_.choices, std::vector<std::int32_t>(stage().codec.num_decisions(), kOpen));
  for (const Task task : tasks_) {
    for (std::int32_t group = 0; group < stage().num_groups(); ++group) {
      if (const std::int32_t choice = choices[IndexOf(task, group)]; choice != kOpen) {
        Decide(task, group, choice);
      }
    }
  }
  UpdateMask();
}

void GroupwiseEnv::TakePlan(const sim::Plan* plan) {
  const sim::Plan own = DefaultPlan(*stage().problem);
  const sim::Plan& from = plan == nullptr ? own : *plan;
  const std::int64_t most = stages_->options().num_levels - 1;
  const auto level_of = [&](const auto& priorities, std::int32_t op) {
    return priorities.empty()
               ? 0
               : static_cast<std::int32_t>(std::clamp<std::int64_t>(priorities[At(op)], 0, most));
  };
  for (std::int32_t group = 0; group < stage().num_groups(); ++group) {
    const std::int32_t op = stage().OpsOf(group).front();
    for (const Task task : tasks_) {
      Choice(task, group) = task == kDevice     ? from.placement[At(op)].value
                            : task == kPriority ? level_of(from.op_priority, op)
                                                : level_of(from.fusion_priority, op);
    }
  }
}

void GroupwiseEnv::WriteChoice(Task task, std::int32_t group, std::span<std::int64_t> plan) const {
  const auto room = static_cast<std::size_t>(stages_->room().max_ops);
  const std::int32_t choice = Choice(task, group);
  for (const std::int32_t op : stage().OpsOf(group)) {
    plan[task * room + At(op)] = choice;
  }
}

void GroupwiseEnv::WriteRest(const StepObservation& observation) const {
  if (!state_.is_over) {
    for (const std::int32_t op : stage().OpsOf(CurrentGroup())) {
      observation.current[At(op)] = 1;
    }
  }
  for (std::size_t device = 0; device < stage().num_devices(); ++device) {
    observation.device_load[device] =
        Squashed(std::max(load_s_[device], 0.0) / stage().reference.makespan.seconds());
    observation.device_memory[device] =
        Squashed(static_cast<double>(params_[device]) /
                 static_cast<double>(std::max<std::int64_t>(stage().capacity[device], 1)));
  }
  observation.progress[0] =
      static_cast<float>(static_cast<double>(state_.num_steps) /
                         static_cast<double>(std::max<std::int64_t>(episode_length(), 1)));
  observation.progress[1] = Squashed(state_.ratio);
  std::ranges::copy(mask_, observation.action_mask.begin());
}

void GroupwiseEnv::Write(const StepObservation& observation) const {
  std::ranges::fill(observation.plan, std::int64_t{kOpen});
  std::ranges::fill(observation.current, std::int8_t{0});
  std::ranges::fill(observation.device_load, 0.0F);
  std::ranges::fill(observation.device_memory, 0.0F);
  for (const Task task : tasks_) {
    for (std::int32_t group = 0; group < stage().num_groups(); ++group) {
      WriteChoice(task, group, observation.plan);
    }
  }
  WriteRest(observation);
}

void GroupwiseEnv::Update(const StepObservation& observation) const {
  const std::int64_t last = state_.num_steps - 1;
  const std::int32_t group = GroupOf(last);
  for (const Task task : TasksOf(last)) {
    WriteChoice(task, group, observation.plan);
  }
  for (const std::int32_t op : stage().OpsOf(group)) {
    observation.current[At(op)] = 0;
  }
  WriteRest(observation);
}

void GroupwiseEnv::Restore(const LaneState& state) {
  CheckNoise(state.noise.sigma);
  const bool fits = state.present < stages_->size() &&
                    state.choices.size() == (*stages_)[state.present].codec.num_decisions();
  LaneState before = std::exchange(state_, state);
  const auto is_choice = [&](Task task) {
    for (std::int32_t group = 0; group < stage().num_groups(); ++group) {
      const std::int32_t choice = Choice(task, group);
      const bool is_known = task == kDevice ? choice >= 0 && MayBeOn(group, At(choice))
                                            : choice >= 0 && choice < stages_->options().num_levels;
      if (!is_known && (choice != kOpen || options_.improves)) {
        return false;
      }
    }
    return true;
  };
  if (!fits || state.num_steps < 0 || state.num_steps > episode_length() ||
      (state.num_steps == episode_length() && !state.is_over) ||
      !std::ranges::all_of(tasks_, is_choice)) {
    state_ = std::move(before);
    throw InputError("state of an environment: it is of another one, or of other options");
  }
  rng_ = Rng::FromState(state_.rng);
  Rebuild();
}

std::unique_ptr<Environment> GroupwiseEnv::Fork() const {
  return std::make_unique<GroupwiseEnv>(*this);
}

}  // namespace opyard::env
