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
  }
  return py::make_tuple(step.reward, lane_->state().is_over, InfoDict());
}

py::dict PythonStepEnv::InfoDict() const {
  py::dict info = InfoDictOf(
      lane_->state().info, lane_->state().present, lane_->stages().options().machines.size());
  if (lane_->observes_steps()) {
    info["step"] = lane_->state().num_steps;
  }
  info["action_mask"] = ActionMask();
  return info;
}

py::array_t<std::int8_t> PythonStepEnv::ActionMask() const {
  const std::span<const std::int8_t> mask = lane_->action_mask();
  return py::array_t<std::int8_t>(static_cast<py::ssize_t>(mask.size()), mask.data());
}

py::dict PythonStepEnv::PaddedObservation() const {
  return PaddedDict(lane_->stage().padded);
}

py::dict PythonStepEnv::StepObservation() const {
  py::dict dict;
  if (!lane_->observes_steps()) {
    dict["action_mask"] = ActionMask();
    return dict;
  }
  const env::Room& room = lane_->stages().room();
  env::StepBatch seen(room, 1, env::MaskSizeOf(*lane_));
  lane_->Write(seen.Row(0));
  dict["plan"] = ToArray(seen.plan, {3, Extent(room.max_ops)});
  dict["current"] = ToArray(seen.current, {Extent(room.max_ops)});
  dict["device_load"] = ToArray(seen.device_load, {Extent(room.max_devices)});
  dict["device_memory"] = ToArray(seen.device_memory, {Extent(room.max_devices)});
  dict["progress"] = ToArray(seen.progress, {2});
  dict["action_mask"] =
      ToArray(seen.action_mask, {static_cast<py::ssize_t>(seen.action_mask.size())});
  return dict;
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
}

}  // namespace opyard::bindings
