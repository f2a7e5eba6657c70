#include <optional>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "bindings/environment_arguments.h"
#include "bindings/step_env.h"
#include "env/plan_queue.h"
#include "env/problem_fields.h"
#include "sim/plan/queue_name.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

std::unique_ptr<PythonStepEnv> MakeStepEnv(const std::vector<GraphOrReference>& graphs,
                                           const std::vector<MachineOrReference>& machines,
                                           const std::string& kind,
                                           const std::vector<std::string>& tasks,
                                           const ObjectiveSpec& objective,
                                           const env::UnitsWord& group,
                                           const std::string& fusion,
                                           const std::string& queue,
                                           const std::string& reward,
                                           const std::string& turns,
                                           const std::string& mask,
                                           std::int64_t sweeps,
                                           const std::vector<sim::Plan>& plans,
                                           double noise,
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
  const EnvKind made{.kind = kind, .turns = turns, .mask = mask, .sweeps = sweeps, .plans = plans};
  const py::gil_scoped_release released;
  auto stages = std::make_shared<const env::Stages>(ToEnvironmentOptions(
      graphs,
      machines,
      settings,
      {.reward = reward, .max_ops = max_ops, .max_edges = max_edges, .noise = noise}));
  return std::make_unique<PythonStepEnv>(MakeEnvironment(std::move(stages), made), made);
}

py::tuple PickledState(PythonStepEnv& self) {
  const EnvKind& kind = self.kind();
  return py::make_tuple(OptionsTuple(self.lane().stages().options()),
                        kind.kind,
                        kind.turns,
                        kind.mask,
                        kind.sweeps,
                        kind.plans,
                        self.State());
}

std::unique_ptr<PythonStepEnv> Unpickled(const py::tuple& state) {
  if (state.size() != 7) {
    RefuseOtherVersion();
  }
  const EnvKind kind{.kind = py::cast<std::string>(state[1]),
                     .turns = py::cast<std::string>(state[2]),
                     .mask = py::cast<std::string>(state[3]),
                     .sweeps = py::cast<std::int64_t>(state[4]),
                     .plans = py::cast<std::vector<sim::Plan>>(state[5])};
  auto stages = std::make_shared<const env::Stages>(OptionsIn(py::cast<py::tuple>(state[0])));
  auto env = std::make_unique<PythonStepEnv>(MakeEnvironment(std::move(stages), kind), kind);
  env->Restore(py::cast<py::tuple>(state[6]));
  return env;
}

std::vector<std::string> NamesOf(std::span<const std::string_view> columns) {
  return {columns.begin(), columns.end()};
}

void BindFeatureNames(py::module_& module) {
  module.attr("FEATURE_VERSION") = env::kFeatureVersion;
  module.attr("FEATURE_NAMES") = NamesOf(env::kFeatureNames);
  module.attr("FIRST_RATIO") = env::kFirstRatio;
  module.attr("EDGE_FEATURE_NAMES") = NamesOf(env::kEdgeFeatureNames);
  module.attr("DEVICE_FEATURE_NAMES") = NamesOf(env::kDeviceFeatureNames);
  module.attr("PAIR_FEATURE_NAMES") = NamesOf(env::kPairFeatureNames);
  module.attr("NUM_NODE_FEATURES") = env::kNumNodeFeatures;
  module.attr("TYPE_VOCABULARY") = env::kTypeVocabulary;
}

void BindObservations(py::class_<PythonStepEnv>& step_env) {
  step_env.def("info", [](PythonStepEnv& self) { return self.InfoDict(); })
      .def("action_mask", Getter(&PythonStepEnv::ActionMask))
      .def("flat_observation", Getter(&PythonStepEnv::FlatObservation))
      .def("graph_observation", Getter(&PythonStepEnv::GraphObservation))
      .def(
          "observation",
          [](PythonStepEnv& self) { return self.Observation(); },
          "Fresh arrays by name, in one block of memory.");
}

void BindProperties(py::class_<PythonStepEnv>& step_env) {
  step_env
      .def_property_readonly("plan",
                             [](const PythonStepEnv& self) {
                               return env::InStreamsOf(*self.lane().stage().problem,
                                                       self.lane().plan());
                             })
      .def_property_readonly("flat_size", Getter(&PythonStepEnv::FlatSize))
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
  BindFeatureNames(module);
  const env::ProblemSettings defaults = env::DefaultsAt(env::Door::kCaller);
  py::class_<PythonStepEnv> step_env(module, "StepEnv", "One environment, of any kind.");
  step_env
      .def(py::init(&MakeStepEnv),
           py::arg("graphs"),
           py::arg("machines"),
           py::kw_only(),
           py::arg("kind") = "placement",
           py::arg("tasks") = env::NamesOf(defaults.tasks),
           py::arg("objective") = env::ObjectiveText(defaults.objective),
           py::arg("group") = kDefaultGroup,
           py::arg("fusion") = NameOf(defaults.default_fusion),
           py::arg("queue") = NameOf(defaults.default_queue),
           py::arg("reward") = "sqrt",
           py::arg("turns") = "joint",
           py::arg("mask") = "forbidden",
           py::arg("sweeps") = 1,
           py::arg("plans") = std::vector<sim::Plan>(),
           py::arg("noise") = 0.0,
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
      .def(
          "reset",
          [](PythonStepEnv& self,
             std::optional<std::uint64_t> seed,
             std::optional<std::size_t> graph,
             std::optional<std::size_t> machine,
             const std::optional<sim::Plan>& plan,
             std::optional<double> noise) {
            self.Reset(seed, {.graph = graph, .machine = machine, .plan = plan, .noise = noise});
          },
          py::arg("seed") = py::none(),
          py::arg("graph") = py::none(),
          py::arg("machine") = py::none(),
          py::arg("plan") = py::none(),
          py::arg("noise") = py::none(),
          "Begins an episode; graph and machine are indices, sampled at random if not given; "
          "`plan` is the one to improve, or to take devices from.")
      .def("step", &PythonStepEnv::Step, py::arg("action"), "(reward, whether it is over, info).")
      .def("get_state", [](PythonStepEnv& self) { return self.State(); })
      .def("set_state", &PythonStepEnv::Restore, py::arg("state"));
  BindObservations(step_env);
  BindProperties(step_env);
}

}  // namespace opyard::bindings
