#include <optional>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "bindings/environment_arguments.h"
#include "bindings/step_env.h"
#include "env/problem_fields.h"
#include "sim/plan/queue_name.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

constexpr std::int64_t kMostSweeps = std::int64_t{1} << 20;

env::GroupwiseOptions ToGroupwise(bool improves,
                                  const std::string& turns,
                                  const std::string& mask,
                                  std::int64_t sweeps) {
  return {.improves = improves,
          .turns = OneOf<env::Turns>(
              "turns", turns, {{"joint", env::Turns::kJoint}, {"in_turn", env::Turns::kInTurn}}),
          .masked = OneOf<env::MaskedDevices>(
              "mask",
              mask,
              {{"forbidden", env::MaskedDevices::kForbidden}, {"full", env::MaskedDevices::kFull}}),
          .sweeps = InRange("sweeps", sweeps, 1, improves ? kMostSweeps : 1)};
}

std::unique_ptr<PythonStepEnv> MakeStepEnv(const std::vector<GraphOrReference>& graphs,
                                           const std::vector<MachineOrReference>& machines,
                                           bool improves,
                                           const std::vector<std::string>& tasks,
                                           const ObjectiveSpec& objective,
                                           const env::UnitsWord& group,
                                           const std::string& fusion,
                                           const std::string& queue,
                                           const std::string& reward,
                                           const std::string& turns,
                                           const std::string& mask,
                                           std::int64_t sweeps,
                                           std::optional<std::int64_t> max_ops,
                                           std::optional<std::int64_t> max_edges,
                                           const MaybeNames& devices,
                                           const std::string& cost_model) {
  const SettingArguments settings = ArgumentsOf(ProblemWords{.tasks = tasks,
                                                             .objective = objective,
                                                             .group = group,
                                                             .fusion = fusion,
                                                             .queue = queue,
                                                             .devices = devices,
                                                             .cost_model = cost_model});
  const env::GroupwiseOptions options = ToGroupwise(improves, turns, mask, sweeps);
  const py::gil_scoped_release released;
  auto stages = std::make_shared<const env::Stages>(ToEnvironmentOptions(
      graphs, machines, settings, {.reward = reward, .max_ops = max_ops, .max_edges = max_edges}));
  return std::make_unique<PythonStepEnv>(env::GroupwiseEnv(std::move(stages), options));
}

py::tuple PickledState(PythonStepEnv& self) {
  const env::GroupwiseOptions& options = self.lane().options();
  return py::make_tuple(OptionsTuple(self.lane().stages().options()),
                        options.improves,
                        options.turns == env::Turns::kJoint ? "joint" : "in_turn",
                        options.masked == env::MaskedDevices::kForbidden ? "forbidden" : "full",
                        options.sweeps,
                        self.State());
}

std::unique_ptr<PythonStepEnv> Unpickled(const py::tuple& state) {
  if (state.size() != 6) {
    RefuseOtherVersion();
  }
  const env::GroupwiseOptions options = ToGroupwise(py::cast<bool>(state[1]),
                                                    py::cast<std::string>(state[2]),
                                                    py::cast<std::string>(state[3]),
                                                    py::cast<std::int64_t>(state[4]));
  auto stages = std::make_shared<const env::Stages>(OptionsIn(py::cast<py::tuple>(state[0])));
  auto env = std::make_unique<PythonStepEnv>(env::GroupwiseEnv(std::move(stages), options));
  env->Restore(py::cast<py::tuple>(state[5]));
  return env;
}

void BindProperties(py::class_<PythonStepEnv>& step_env) {
  step_env
      .def_property_readonly("plan", [](const PythonStepEnv& self) { return self.lane().plan(); })
      .def_property_readonly(
          "problem",
          [](const PythonStepEnv& self) {
            return std::const_pointer_cast<env::Problem>(self.lane().stage().problem);
          })
      .def_property_readonly("num_choices",
                             [](const PythonStepEnv& self) { return self.lane().num_choices(); })
      .def_property_readonly("episode_length",
                             [](const PythonStepEnv& self) { return self.lane().episode_length(); })
      .def_property_readonly(
          "num_levels",
          [](const PythonStepEnv& self) { return self.lane().stages().options().num_levels; })
      .def_property_readonly(
          "max_ops", [](const PythonStepEnv& self) { return self.lane().stages().room().max_ops; })
      .def_property_readonly(
          "max_edges",
          [](const PythonStepEnv& self) { return self.lane().stages().room().max_edges; })
      .def_property_readonly(
          "max_devices",
          [](const PythonStepEnv& self) { return self.lane().stages().room().max_devices; })
      .def_property_readonly(
          "title",
          [](const PythonStepEnv& self) { return ProblemTitle(*self.lane().stage().problem); })
      .def_property_readonly(
          "graph_name",
          [](const PythonStepEnv& self) { return self.lane().stage().problem->graph().name(); })
      .def_property_readonly("machine_name", [](const PythonStepEnv& self) {
        return self.lane().stage().problem->hardware().name;
      });
}

}  // namespace

void BindStepEnv(py::module_& module) {
  const env::ProblemSettings defaults = env::DefaultsAt(env::Door::kCaller);
  py::class_<PythonStepEnv> step_env(
      module, "StepEnv", "An environment that decides one group of ops per step.");
  step_env
      .def(py::init(&MakeStepEnv),
           py::arg("graphs"),
           py::arg("machines"),
           py::kw_only(),
           py::arg("improves").noconvert() = false,
           py::arg("tasks") = env::NamesOf(defaults.tasks),
           py::arg("objective") = env::ObjectiveText(defaults.objective),
           py::arg("group") = kDefaultGroup,
           py::arg("fusion") = NameOf(defaults.default_fusion),
           py::arg("queue") = NameOf(defaults.default_queue),
           py::arg("reward") = "sqrt",
           py::arg("turns") = "joint",
           py::arg("mask") = "forbidden",
           py::arg("sweeps") = 1,
           py::arg("max_ops") = py::none(),
           py::arg("max_edges") = py::none(),
           py::arg("devices") = py::none(),
           py::arg("cost_model") = defaults.cost_model)
      .def("__copy__", [](PythonStepEnv& self) { return self.Copy(); })
      .def(
          "__deepcopy__",
          [](PythonStepEnv& self, const py::dict& /*memo*/) { return self.Copy(); },
          py::arg("memo"))
      .def(py::pickle(&PickledState, &Unpickled))
      .def("reset",
           &PythonStepEnv::Reset,
           py::arg("seed") = py::none(),
           py::arg("graph") = py::none(),
           py::arg("machine") = py::none(),
           py::arg("plan") = py::none(),
           "Begins an episode; graph and machine are indices, sampled at random if not given; "
           "`plan` is the one to improve.")
      .def("step", &PythonStepEnv::Step, py::arg("action"), "(reward, whether it is over, info).")
      .def("get_state", [](PythonStepEnv& self) { return self.State(); })
      .def("set_state", &PythonStepEnv::Restore, py::arg("state"))
      .def("info", Getter(&PythonStepEnv::InfoDict))
      .def("action_mask", Getter(&PythonStepEnv::ActionMask))
      .def("padded_observation", Getter(&PythonStepEnv::PaddedObservation))
      .def("step_observation", Getter(&PythonStepEnv::StepObservation));
  BindProperties(step_env);
}

}  // namespace opyard::bindings
