#include "bindings/step_env.h"

#include <pybind11/stl.h>

#include "bindings/environment_arguments.h"

namespace opyard::bindings {

namespace py = pybind11;

std::unique_ptr<PythonStepEnv> PythonStepEnv::Copy() {
  const TurnGuard turn(mutex_);
  return std::make_unique<PythonStepEnv>(lane_);
}

void PythonStepEnv::Reset(std::optional<std::uint64_t> seed,
                          std::optional<std::size_t> graph,
                          std::optional<std::size_t> machine,
                          const std::optional<sim::Plan>& plan) {
  const TurnGuard turn(mutex_);
  const py::gil_scoped_release released;
  lane_.Reset(
      seed,
      {.choice = {.graph = graph, .machine = machine}, .plan = plan.has_value() ? &*plan : nullptr},
      workspaces_);
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
    step = lane_.Step(numbers, workspaces_);
    if (step.info.outcome == env::EpisodeOutcome::kIllegalAction) {
      ForgetObservation();
    } else if (arrays_.has_value()) {
      arrays_->Update(lane_);
    }
  }
  return py::make_tuple(step.reward, lane_.state().is_over, InfoDict());
}

py::dict PythonStepEnv::InfoDict() {
  const env::LaneState& state = lane_.state();
  if (!last_info_.has_value() || of_last_info_ != state.info ||
      stage_of_last_info_ != state.present) {
    last_info_ = InfoDictOf(state.info, state.present, lane_.stages().options().machines.size());
    of_last_info_ = state.info;
    stage_of_last_info_ = state.present;
  }
  auto info = py::reinterpret_steal<py::dict>(PyDict_Copy(last_info_->ptr()));
  info["step"] = state.num_steps;
  info["action_mask"] = ActionMask();
  return info;
}

py::array_t<std::int8_t> PythonStepEnv::ActionMask() const {
  const std::span<const std::int8_t> mask = lane_.action_mask();
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
    arrays_.emplace(lane_.stages().room(), env::MaskSizeOf(lane_));
  }
  return arrays_->Make(lane_);
}

py::tuple PythonStepEnv::State() {
  const TurnGuard turn(mutex_);
  const env::LaneState& state = lane_.state();
  return py::make_tuple(state.rng,
                        state.present,
                        state.is_over,
                        state.num_steps,
                        state.choices,
                        state.ratio,
                        InfoTuple(state.info));
}

void PythonStepEnv::Restore(const py::tuple& state) {
  const TurnGuard turn(mutex_);
  if (state.size() != 7) {
    RefuseOtherVersion();
  }
  lane_.Restore({.rng = py::cast<Rng::State>(state[0]),
                 .present = py::cast<std::size_t>(state[1]),
                 .is_over = py::cast<bool>(state[2]),
                 .num_steps = py::cast<std::int64_t>(state[3]),
                 .choices = py::cast<std::vector<std::int32_t>>(state[4]),
                 .ratio = py::cast<double>(state[5]),
                 .info = InfoIn(py::cast<py::tuple>(state[6]))});
  ForgetObservation();
}

}  // namespace opyard::bindings
