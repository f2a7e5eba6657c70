#include "env/environments/list_schedule_env.h"

#include <algorithm>
#include <string>
#include <utility>

#include "env/environments/list_schedule_check.h"
#include "env/evaluation.h"
#include "env/plan_queue.h"
#include "env/reward.h"
#include "sim/base/array_index.h"
#include "sim/base/error.h"
#include "sim/engine/simulator.h"
#include "sim/plan/validate.h"

namespace opyard::env {
namespace {

using Choice = sim::StepwiseRun::Choice;

constexpr DeviceId kOpenDevice(sim::KernelState::kNoDevice);
constexpr std::int64_t kMostActions = std::int64_t{1} << 26;

// StepObservation::current.
enum Standing : std::int8_t { kWaits, kLegal, kReady, kRuns, kDone };

}  // namespace

ListScheduleEnv::ListScheduleEnv(std::shared_ptr<const Stages> stages, ListScheduleOptions options)
    : ListScheduleEnv(std::make_shared<const ListScheduleOptions>(std::move(options)),
                      std::move(stages)) {}

ListScheduleEnv::ListScheduleEnv(std::shared_ptr<const ListScheduleOptions> options,
                                 std::shared_ptr<const Stages> stages)
    : stages_(std::move(stages)), options_(std::move(options)) {
  CheckListSchedule(*stages_, options_->plans);
  const std::int64_t num_actions =
      stages_->room().max_ops * (stages_->tasks().placement ? stages_->room().max_devices : 1);
  if (num_actions > kMostActions) {
    throw InputError("max_ops: found room for " + std::to_string(num_actions) +
                     " pairs of an op and a device, expected at most " +
                     std::to_string(kMostActions));
  }
  num_choices_ = {static_cast<std::int32_t>(num_actions)};
  mask_.assign(static_cast<std::size_t>(num_actions), 0);
  state_.rng = rng_.state();
  Begin();
  state_.is_over = true;
  UpdateMask();
}

ListScheduleEnv::~ListScheduleEnv() = default;

std::int64_t ListScheduleEnv::episode_length() const {
  return static_cast<std::int64_t>(run_->num_kernels()) +
         (PlacesOps() ? stage().num_groups() : std::int32_t{0});
}

sim::Plan ListScheduleEnv::PlanAtStart() const {
  if (state_.plan != nullptr) {
    return *state_.plan;
  }
  if (!options_->plans.empty()) {
    return options_->plans[state_.present];
  }
  sim::Plan plan = DefaultPlan(*stage().problem);
  if (PlacesOps()) {
    std::ranges::fill(plan.placement, kOpenDevice);
  }
  return plan;
}

void ListScheduleEnv::Begin() {
  auto simulator = SimulatorWith(state_.noise, *stage().problem);
  if (simulator != simulator_) {  // else the run's memory serves again
    simulator_ = std::move(simulator);
    run_ = std::make_unique<sim::StepwiseRun>(simulator_->shared_problem());
  }
  run_->Begin(PlanAtStart());
  kernel_of_.assign(stage().problem->graph().num_ops(), 0);
  for (std::size_t kernel = 0; kernel < run_->num_kernels(); ++kernel) {
    for (const std::int32_t op : run_->OpsOf(Size32(kernel))) {
      kernel_of_[simulator_->problem().op_of[At(op)].index()] = Size32(kernel);
    }
  }
  state_.is_over = false;
  state_.num_steps = 0;
  state_.choices.clear();
  state_.info = BlankInfo(stage());
  SkipForced();
  state_.is_over = false;  // of a run that has failed already, the first step says so
  static_cast<void>(Note());
  state_.ratio = 0.0;  // what forced steps took belongs to the first
}

void ListScheduleEnv::Reset(std::optional<std::uint64_t> seed,
                            const EpisodeStart& start,
                            StageWorkspaces& /*workspaces*/) {
  if (seed.has_value()) {
    rng_ = Rng(*seed);
  }
  const std::size_t present = ChooseStage(*stages_, start.choice, rng_);
  const Noise noise = SampleNoise(*stages_, start.noise, rng_);
  std::shared_ptr<const sim::Plan> plan;
  if (start.plan != nullptr) {
    const Problem& problem = *(*stages_)[present].problem;
    sim::ValidatePlan(problem.graph(), problem.hardware(), *start.plan);
    plan = std::make_shared<const sim::Plan>(*start.plan);
  }
  state_.rng = rng_.state();
  state_.present = present;
  state_.noise = noise;
  state_.plan = std::move(plan);
  Begin();
}

StepResult ListScheduleEnv::Step(std::span<const std::int32_t> action,
                                 StageWorkspaces& workspaces) {
  if (state_.is_over) {
    throw InputError("step: the episode is over, expected a reset");
  }
  if (!IsLegal(action)) {
    state_.is_over = true;
    UpdateMask();
    state_.info.outcome = EpisodeOutcome::kIllegalAction;
    return {.reward = kFailureReward, .info = state_.info};
  }
  Apply(action.front());
  SkipForced();
  const double ratio_before = state_.ratio;
  const Evaluation evaluation = Note();
  if (state_.is_over && evaluation.is_feasible()) {
    workspaces.resize(stages_->size());
    state_.info.lower_bound = std::max(simulator_->PlanBound(plan(), workspaces[state_.present]),
                                       stage().problem->problem_bound());
  }
  const RewardKind kind = stages_->options().reward;
  if (!state_.is_over && !RewardsEachStep(kind)) {
    return {.reward = 0.0, .info = state_.info};
  }
  return {.reward = StepReward(kind, ratio_before, evaluation, stage().reference.score),
          .info = state_.info};
}

Evaluation ListScheduleEnv::Note() {
  sim::SimResult result = run_->result();
  if (run_->choice() != Choice::kNothing) {
    result.outcome = sim::Outcome::kCompleted;  // of a run that ended now
  }
  const Evaluation evaluation = EvaluationOf(*stage().problem, result);
  state_.ratio = RatioOf(evaluation, stage().reference.score);
  state_.info.makespan = result.makespan;
  state_.info.peak_memory = result.peak_memory;
  if (state_.is_over) {
    state_.info.outcome = EpisodeOutcomeOf(result.outcome);
  }
  return evaluation;
}

std::int32_t ListScheduleEnv::OpOf(std::int32_t kernel) const {
  return simulator_->problem().op_of[At(run_->OpsOf(kernel).front())].value;
}

std::int32_t ListScheduleEnv::ActionOf(std::int32_t op, std::int32_t device) const {
  return stages_->tasks().placement
             ? op * static_cast<std::int32_t>(stages_->room().max_devices) + device
             : op;
}

bool ListScheduleEnv::IsLegal(std::span<const std::int32_t> action) const {
  return action.size() == 1 && action[0] >= 0 && action[0] < num_choices_[0] &&
         mask_[At(action[0])] != 0;
}

// Parameters count from time 0, so beside the most that was ever in use.
bool ListScheduleEnv::HasRoom(std::int32_t group, std::size_t device) const {
  const sim::MemoryLedger::Account& memory = run_->MemoryOf(device);
  return stage().group_params[At(group)] <= memory.capacity - memory.peak;
}

void ListScheduleEnv::ListDevicesOf(std::int32_t op) {
  const std::int32_t group = stage().problem->grouping().group_of[At(op)];
  const std::span<const DeviceId> allowed =
      stage().problem->AllowedDevices(GroupId(static_cast<std::size_t>(group)));
  const auto has_room = [&](DeviceId device) { return HasRoom(group, device.index()); };
  const bool needs_room =
      options_->masked == MaskedDevices::kFull && std::ranges::any_of(allowed, has_room);
  for (const DeviceId device : allowed) {
    if (!needs_room || has_room(device)) {
      legal_.push_back(ActionOf(op, device.value));
    }
  }
}

void ListScheduleEnv::ListLegal() {
  legal_.clear();
  if (state_.is_over || run_->choice() == Choice::kNothing) {
    legal_.push_back(0);  // nothing is decided any more
  } else if (run_->choice() == Choice::kDevice) {
    for (const std::int32_t kernel : run_->unplaced()) {
      ListDevicesOf(OpOf(kernel));
    }
  } else {
    for (const std::int32_t kernel : run_->startable()) {
      legal_.push_back(ActionOf(OpOf(kernel), run_->idle_device()));
    }
  }
}

void ListScheduleEnv::UpdateMask() {
  for (const std::int32_t action : legal_) {
    mask_[At(action)] = 0;
  }
  ListLegal();
  for (const std::int32_t action : legal_) {
    mask_[At(action)] = 1;
  }
}

void ListScheduleEnv::Place(std::int32_t group, std::int32_t device) {
  for (const std::int32_t op : stage().OpsOf(group)) {
    const std::int32_t kernel = kernel_of_[At(op)];
    if (run_->choice() == Choice::kDevice &&
        run_->DeviceOf(kernel) == sim::KernelState::kNoDevice) {
      run_->Place(kernel, device);
    }
  }
}

void ListScheduleEnv::Apply(std::int32_t action) {
  const auto devices =
      static_cast<std::int32_t>(stages_->tasks().placement ? stages_->room().max_devices : 1);
  const std::int32_t op = action / devices;
  state_.choices.push_back(action);
  ++state_.num_steps;
  if (run_->choice() == Choice::kKernel) {
    run_->Start(kernel_of_[At(op)]);
    run_->GoOn();
  } else if (run_->choice() == Choice::kDevice) {
    Place(stage().problem->grouping().group_of[At(op)], action % devices);
    if (run_->unplaced().empty()) {
      run_->GoOn();
    }
  }
  state_.is_over = run_->choice() == Choice::kNothing;
}

void ListScheduleEnv::SkipForced() {
  UpdateMask();
  while (run_->choice() != Choice::kNothing && legal_.size() == 1 &&
         run_->starts().size() + 1 < run_->num_kernels()) {
    const std::int64_t steps = state_.num_steps;
    Apply(legal_.front());
    state_.choices.pop_back();
    state_.num_steps = steps;
    UpdateMask();
  }
}

void ListScheduleEnv::Write(const StepObservation& observation) const {
  const std::size_t room = static_cast<std::size_t>(stages_->room().max_ops);
  std::ranges::fill(observation.plan, std::int64_t{-1});
  std::ranges::fill(observation.current, static_cast<std::int8_t>(kWaits));
  std::ranges::fill(observation.device_load, 0.0F);
  std::ranges::fill(observation.device_memory, 0.0F);
  for (std::size_t op = 0; op < kernel_of_.size(); ++op) {
    observation.plan[op] = run_->DeviceOf(kernel_of_[op]);
  }
  const auto set = [&](std::int32_t kernel, Standing standing) {
    for (const std::int32_t op : run_->OpsOf(kernel)) {
      observation.current[simulator_->problem().op_of[At(op)].index()] = standing;
    }
  };
  for (const std::int32_t kernel : run_->starts()) {
    set(kernel, kDone);
  }
  for (std::size_t device = 0; device < stage().num_devices(); ++device) {
    if (const std::int32_t running = run_->RunningOn(device); running >= 0) {
      set(running, kRuns);
    }
    for (const std::int32_t kernel : run_->ReadyOn(device)) {
      set(kernel, kReady);
    }
    observation.device_load[device] =
        Squashed(run_->RemainingOn(device).seconds() / stage().reference.makespan.seconds());
    observation.device_memory[device] =
        Squashed(static_cast<double>(run_->MemoryOf(device).in_use) /
                 static_cast<double>(std::max<std::int64_t>(stage().capacity[device], 1)));
  }
  if (!state_.is_over) {
    const std::size_t devices = mask_.size() / room;
    for (const std::int32_t action : legal_) {
      observation.current[At(action) / devices] = kLegal;
    }
  }
  observation.progress[0] = static_cast<float>(static_cast<double>(run_->starts().size()) /
                                               static_cast<double>(run_->num_kernels()));
  observation.progress[1] =
      Squashed(state_.info.makespan.seconds() / stage().reference.makespan.seconds());
  std::ranges::copy(mask_, observation.action_mask.begin());
}

sim::Plan ListScheduleEnv::plan() const {
  sim::Plan plan = run_->MadePlan();
  const sim::OpPlacement& others = stage().problem->default_placement();
  for (std::size_t op = 0; op < plan.placement.size(); ++op) {
    plan.placement[op] = plan.placement[op] == kOpenDevice ? others[op] : plan.placement[op];
  }
  return InStreamsOf(*stage().problem, plan);
}

void ListScheduleEnv::Replay(const LaneState& state) {
  const InputError refusal("state of an environment: it is of another one, or of other options");
  if (state.present >= stages_->size() || state.num_steps != std::ssize(state.choices)) {
    throw refusal;
  }
  CheckNoise(state.noise.sigma);
  state_.present = state.present;
  state_.noise = state.noise;
  state_.plan = state.plan;
  if (state.plan != nullptr) {
    sim::ValidatePlan(stage().problem->graph(), stage().problem->hardware(), *state.plan);
  }
  Begin();
  for (const std::int32_t action : state.choices) {
    if (state_.is_over || !IsLegal({&action, 1})) {
      throw refusal;
    }
    Apply(action);
    SkipForced();
  }
  static_cast<void>(Note());
  if ((state_.is_over && !state.is_over) || state_.info.makespan != state.info.makespan ||
      state_.info.peak_memory != state.info.peak_memory ||
      state_.info.reference != state.info.reference) {
    throw refusal;
  }
  state_ = state;
  rng_ = Rng::FromState(state_.rng);
  UpdateMask();
}

void ListScheduleEnv::Restore(const LaneState& state) {
  ListScheduleEnv other(options_, stages_);
  other.Replay(state);
  rng_ = other.rng_;
  state_ = std::move(other.state_);
  simulator_ = std::move(other.simulator_);
  run_ = std::move(other.run_);
  kernel_of_ = std::move(other.kernel_of_);
  mask_ = std::move(other.mask_);
  legal_ = std::move(other.legal_);
}

std::unique_ptr<Environment> ListScheduleEnv::Fork() const {
  std::unique_ptr<ListScheduleEnv> copy(new ListScheduleEnv(options_, stages_));
  copy->Replay(state_);
  return copy;
}

}  // namespace opyard::env
