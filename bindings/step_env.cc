#include "bindings/step_env.h"

#include <pybind11/stl.h>

#include "bindings/environment_arguments.h"
#include "env/environments/groupwise_env.h"
#include "env/environments/list_schedule_env.h"
#include "env/environments/one_shot_env.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

constexpr std::int64_t kMostSweeps = std::int64_t{1} << 20;
constexpr std::size_t kStateSize = 9;

enum class Kind : std::uint8_t { kOneShot, kPlacement, kImprove, kListSchedule };

py::ssize_t Extent(std::int64_t count) {
  return static_cast<py::ssize_t>(count);
}

env::MaskedDevices ToMasked(const std::string& mask) {
  return OneOf<env::MaskedDevices>(
      "mask",
      mask,
      {{"forbidden", env::MaskedDevices::kForbidden}, {"full", env::MaskedDevices::kFull}});
}

env::GroupwiseOptions ToGroupwise(const EnvKind& kind, bool improves) {
  return {
      .improves = improves,
      .turns = OneOf<env::Turns>(
          "turns", kind.turns, {{"joint", env::Turns::kJoint}, {"in_turn", env::Turns::kInTurn}}),
      .masked = ToMasked(kind.mask),
      .sweeps = InRange("sweeps", kind.sweeps, 1, improves ? kMostSweeps : 1)};
}

}  // namespace

std::unique_ptr<env::Environment> MakeEnvironment(std::shared_ptr<const env::Stages> stages,
                                                  const EnvKind& kind) {
  switch (OneOf<Kind>("kind",
                      kind.kind,
                      {{"one_shot", Kind::kOneShot},
                       {"placement", Kind::kPlacement},
                       {"improve", Kind::kImprove},
                       {"list_schedule", Kind::kListSchedule}})) {
    case Kind::kOneShot:
      return std::make_unique<env::OneShotEnv>(std::move(stages));
    case Kind::kPlacement:
      return std::make_unique<env::GroupwiseEnv>(std::move(stages), ToGroupwise(kind, false));
    case Kind::kImprove:
      return std::make_unique<env::GroupwiseEnv>(std::move(stages), ToGroupwise(kind, true));
    case Kind::kListSchedule:
      break;
  }
  return std::make_unique<env::ListScheduleEnv>(
      std::move(stages),
      env::ListScheduleOptions{.masked = ToMasked(kind.mask), .plans = kind.plans});
}

std::unique_ptr<PythonStepEnv> PythonStepEnv::Copy() {
  const TurnGuard turn(mutex_);
  return std::make_unique<PythonStepEnv>(lane_->Fork(), kind_);
}

void PythonStepEnv::Reset(std::optional<std::uint64_t> seed, const StartArguments& start) {
  const TurnGuard turn(mutex_);
  const py::gil_scoped_release released;
  lane_->Reset(seed, start.ToStart(), workspaces_);
  ForgetObservation();
}

py::tuple PythonStepEnv::Step(const py::object& action) {
  const TurnGuard turn(mutex_);
  // An action that is no list of whole numbers is as illegal as one of the wrong length.
  const std::vector<std::int32_t> numbers =
      FindAction(action).value_or(std::vector<std::int32_t>());
  env::StepResult step;
  {
    const py::gil_scoped_release released;
    step = lane_->Step(numbers, workspaces_);
    if (step.info.outcome == env::EpisodeOutcome::kIllegalAction) {
      ForgetObservation();
    } else if (arrays_.has_value()) {
      arrays_->Update(*lane_);
    }
  }
  return py::make_tuple(step.reward, lane_->state().is_over, InfoDict());
}

py::dict PythonStepEnv::InfoDict() {
  const env::LaneState& state = lane_->state();
  if (!last_info_.has_value() || of_last_info_ != state.info ||
      stage_of_last_info_ != state.present) {
    last_info_ = InfoDictOf(state.info, state.present, lane_->stages().options().machines.size());
    of_last_info_ = state.info;
    stage_of_last_info_ = state.present;
  }
  auto info = py::reinterpret_steal<py::dict>(PyDict_Copy(last_info_->ptr()));
  if (lane_->observes_steps()) {
    info["step"] = state.num_steps;
  }
  info["action_mask"] = ActionMask();
  return info;
}

py::array_t<std::int8_t> PythonStepEnv::ActionMask() const {
  const std::span<const std::int8_t> mask = lane_->action_mask();
  return py::array_t<std::int8_t>(static_cast<py::ssize_t>(mask.size()), mask.data());
}

void PythonStepEnv::ForgetObservation() {
  if (arrays_.has_value()) {
    arrays_->Forget();
  }
}

py::dict PythonStepEnv::Observation() {
  const TurnGuard turn(mutex_);
  if (!arrays_.has_value()) {
    arrays_.emplace(*lane_);
  }
  return arrays_->Make(*lane_);
}

py::array_t<float> PythonStepEnv::FlatObservation() const {
  const std::span<const std::int8_t> mask = lane_->action_mask();
  const std::vector<float> flat = env::Flatten(lane_->stage().padded, {mask.begin(), mask.end()});
  return ToArray(flat, {static_cast<py::ssize_t>(flat.size())});
}

py::tuple PythonStepEnv::GraphObservation() const {
  const env::Observation& seen = lane_->stage().observation;
  return py::make_tuple(
      ToArray(env::NodeFeatures(seen), {Extent(seen.num_ops), Extent(env::kNumNodeFeatures)}),
      ToArray(seen.edge_x, {Extent(seen.num_edges), Extent(env::kNumEdgeFeatures)}),
      ToArray(seen.edge_index, {2, Extent(seen.num_edges)}));
}

std::size_t PythonStepEnv::FlatSize() const {
  return env::FlatSize(lane_->stages().room(), env::MaskSizeOf(*lane_));
}

py::tuple PythonStepEnv::State() {
  const TurnGuard turn(mutex_);
  const env::LaneState& state = lane_->state();
  const auto plan = state.plan == nullptr ? std::nullopt : std::optional<sim::Plan>(*state.plan);
  return py::make_tuple(state.rng,
                        state.present,
                        state.is_over,
                        state.num_steps,
                        state.choices,
                        state.ratio,
                        py::make_tuple(state.noise.sigma, state.noise.seed),
                        plan,
                        InfoTuple(state.info));
}

void PythonStepEnv::Restore(const py::tuple& state) {
  const TurnGuard turn(mutex_);
  if (state.size() != kStateSize) {
    RefuseOtherVersion();
  }
  const auto noise = py::cast<std::pair<double, std::uint64_t>>(state[6]);
  const auto plan = py::cast<std::optional<sim::Plan>>(state[7]);
  lane_->Restore({.rng = py::cast<Rng::State>(state[0]),
                  .present = py::cast<std::size_t>(state[1]),
                  .is_over = py::cast<bool>(state[2]),
                  .num_steps = py::cast<std::int64_t>(state[3]),
                  .choices = py::cast<std::vector<std::int32_t>>(state[4]),
                  .ratio = py::cast<double>(state[5]),
                  .noise = {.sigma = noise.first, .seed = noise.second},
                  .plan = plan.has_value() ? std::make_shared<const sim::Plan>(*plan) : nullptr,
                  .info = InfoIn(py::cast<py::tuple>(state[8]))});
  ForgetObservation();
}

}  // namespace opyard::bindings
