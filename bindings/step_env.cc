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
  }
  return py::make_tuple(step.reward, lane_.state().is_over, InfoDict());
}

py::dict PythonStepEnv::InfoDict() const {
  py::dict info = InfoDictOf(
      lane_.state().info, lane_.state().present, lane_.stages().options().machines.size());
  info["step"] = lane_.state().num_steps;
  info["action_mask"] = ActionMask();
  return info;
}

py::array_t<std::int8_t> PythonStepEnv::ActionMask() const {
  const std::span<const std::int8_t> mask = lane_.action_mask();
  return py::array_t<std::int8_t>(static_cast<py::ssize_t>(mask.size()), mask.data());
}

env::StepBatch PythonStepEnv::Seen() const {
  env::StepBatch seen(lane_.stages().room(), 1, env::MaskSizeOf(lane_));
  lane_.Write(seen.Row(0));
  return seen;
}

py::dict PythonStepEnv::PaddedObservation() const {
  return PaddedDict(lane_.stage().padded);
}

py::dict PythonStepEnv::StepObservation() const {
  py::dict dict;
  const env::StepBatch seen = Seen();
  const auto ops = static_cast<py::ssize_t>(lane_.stages().room().max_ops);
  const auto devices = static_cast<py::ssize_t>(lane_.stages().room().max_devices);
  dict["plan"] = ToArray(seen.plan, {3, ops});
  dict["current"] = ToArray(seen.current, {ops});
  dict["device_load"] = ToArray(seen.device_load, {devices});
  dict["device_memory"] = ToArray(seen.device_memory, {devices});
  dict["progress"] = ToArray(seen.progress, {2});
  dict["action_mask"] =
      ToArray(seen.action_mask, {static_cast<py::ssize_t>(seen.action_mask.size())});
  return dict;
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
}

}  // namespace opyard::bindings
