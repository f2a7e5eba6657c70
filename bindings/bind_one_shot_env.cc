#include <optional>
#include <span>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "bindings/environment_arguments.h"
#include "env/environments/one_shot_env.h"
#include "env/problem_fields.h"
#include "env/problem_words.h"
#include "sim/plan/queue_name.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

py::ssize_t Extent(std::int64_t count) {
  return static_cast<py::ssize_t>(count);
}

// An environment as Python threads may share it. Every array it returns is a fresh copy.
class PythonOneShotEnv {
 public:
  explicit PythonOneShotEnv(env::EnvironmentOptions options) : env_(std::move(options)) {}
  explicit PythonOneShotEnv(const env::OneShotEnv& env) : env_(env) {}

  // Goes on as this one would, and neither touches the other.
  std::unique_ptr<PythonOneShotEnv> Copy() {
    const TurnGuard turn(mutex_);
    return std::make_unique<PythonOneShotEnv>(env_);
  }

  env::EpisodeState State() {
    const TurnGuard turn(mutex_);
    return env_.state();
  }

  void Restore(const env::EpisodeState& state) { env_.Restore(state); }

  void Reset(std::optional<std::uint64_t> seed,
             std::optional<std::size_t> graph,
             std::optional<std::size_t> machine) {
    const TurnGuard turn(mutex_);
    env_.Reset(seed, {.graph = graph, .machine = machine});
  }

  py::tuple Step(const py::object& action) {
    const TurnGuard turn(mutex_);
    // An action that is no list of whole numbers is as illegal as one of the wrong length.
    const std::vector<std::int32_t> numbers =
        FindAction(action).value_or(std::vector<std::int32_t>());
    env::StepResult step;
    {
      const py::gil_scoped_release released;
      step = env_.Step(numbers);
    }
    return py::make_tuple(step.reward, InfoDict());
  }

  py::dict InfoDict() const {
    py::dict info = InfoDictOf(env_.info(), env_.state().present, env_.options().machines.size());
    info["action_mask"] = ActionMask();
    return info;
  }

  py::array_t<std::int8_t> ActionMask() const { return FlagArray(env_.action_mask()); }

  py::dict DictObservation() const {
    py::dict seen = PaddedDict(env_.padded_observation());
    seen["action_mask"] = ActionMask();
    return seen;
  }

  py::array_t<float> FlatObservation() const {
    const std::vector<float> flat = env::Flatten(env_.padded_observation(), env_.action_mask());
    return ToArray(flat, {Extent(static_cast<std::int64_t>(flat.size()))});
  }

  // Nodes [num_ops, kNumNodeFeatures], edges [num_edges, kNumEdgeFeatures] and their ends
  // [2, num_edges] of the graph as it is, not padded.
  py::tuple GraphObservation() const {
    const env::Observation& seen = env_.observation();
    return py::make_tuple(
        ToArray(env::NodeFeatures(seen), {Extent(seen.num_ops), Extent(env::kNumNodeFeatures)}),
        ToArray(seen.edge_x, {Extent(seen.num_edges), Extent(env::kNumEdgeFeatures)}),
        ToArray(seen.edge_index, {2, Extent(seen.num_edges)}));
  }

  std::size_t FlatSize() const { return env::FlatSize(env_.room(), env_.action_mask_size()); }

  const env::OneShotEnv& env() const { return env_; }

 private:
  std::mutex mutex_;
  env::OneShotEnv env_;
};

std::unique_ptr<PythonOneShotEnv> MakeOneShotEnv(const std::vector<GraphOrReference>& graphs,
                                                 const std::vector<MachineOrReference>& machines,
                                                 const std::vector<std::string>& tasks,
                                                 const ObjectiveSpec& objective,
                                                 const env::UnitsWord& group,
                                                 const std::string& fusion,
                                                 const std::string& queue,
                                                 const std::string& reward,
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
  const py::gil_scoped_release released;
  return std::make_unique<PythonOneShotEnv>(ToEnvironmentOptions(
      graphs, machines, settings, {.reward = reward, .max_ops = max_ops, .max_edges = max_edges}));
}

// The options, and the episode.
py::tuple PickledOneShot(PythonOneShotEnv& self) {
  const env::EpisodeState state = self.State();
  return py::make_tuple(
      OptionsTuple(self.env().options()),
      py::make_tuple(state.rng, state.present, state.is_over, InfoTuple(state.info)));
}

std::unique_ptr<PythonOneShotEnv> OneShotOf(const py::tuple& state) {
  const auto episode = state.size() == 2 ? py::cast<py::tuple>(state[1]) : py::tuple();
  if (episode.size() != 4) {
    RefuseOtherVersion();
  }
  auto env = std::make_unique<PythonOneShotEnv>(OptionsIn(py::cast<py::tuple>(state[0])));
  env->Restore({.rng = py::cast<Rng::State>(episode[0]),
                .present = py::cast<std::size_t>(episode[1]),
                .is_over = py::cast<bool>(episode[2]),
                .info = InfoIn(py::cast<py::tuple>(episode[3]))});
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

void BindProperties(py::class_<PythonOneShotEnv>& one_shot) {
  one_shot
      .def_property_readonly(
          "problem",
          [](const PythonOneShotEnv& self) {
            return std::const_pointer_cast<env::Problem>(self.env().shared_problem());
          })
      .def_property_readonly("flat_size", Getter(&PythonOneShotEnv::FlatSize))
      .def_property_readonly("num_choices",
                             [](const PythonOneShotEnv& self) { return self.env().num_choices(); })
      .def_property_readonly("max_ops",
                             [](const PythonOneShotEnv& self) { return self.env().room().max_ops; })
      .def_property_readonly(
          "max_edges", [](const PythonOneShotEnv& self) { return self.env().room().max_edges; })
      .def_property_readonly(
          "max_devices", [](const PythonOneShotEnv& self) { return self.env().room().max_devices; })
      .def_property_readonly(
          "title", [](const PythonOneShotEnv& self) { return ProblemTitle(self.env().problem()); })
      .def_property_readonly(
          "graph_name",
          [](const PythonOneShotEnv& self) { return self.env().problem().graph().name(); })
      .def_property_readonly("machine_name", [](const PythonOneShotEnv& self) {
        return self.env().problem().hardware().name;
      });
}

}  // namespace

void BindOneShotEnv(py::module_& module) {
  BindFeatureNames(module);
  const env::ProblemSettings defaults = env::DefaultsAt(env::Door::kCaller);
  py::class_<PythonOneShotEnv> one_shot(
      module, "OneShotEnv", "The environment in which one action is a whole plan.");
  one_shot
      .def(py::init(&MakeOneShotEnv),
           py::arg("graphs"),
           py::arg("machines"),
           py::kw_only(),
           py::arg("tasks") = env::NamesOf(defaults.tasks),
           py::arg("objective") = env::ObjectiveText(defaults.objective),
           py::arg("group") = kDefaultGroup,
           py::arg("fusion") = NameOf(defaults.default_fusion),
           py::arg("queue") = NameOf(defaults.default_queue),
           py::arg("reward") = "sqrt",
           py::arg("max_ops") = py::none(),
           py::arg("max_edges") = py::none(),
           py::arg("devices") = py::none(),
           py::arg("cost_model") = defaults.cost_model)
      .def("__copy__", [](PythonOneShotEnv& self) { return self.Copy(); })
      .def(
          "__deepcopy__",
          [](PythonOneShotEnv& self, const py::dict& /*memo*/) { return self.Copy(); },
          py::arg("memo"))
      .def(py::pickle(&PickledOneShot, &OneShotOf))
      .def("reset",
           &PythonOneShotEnv::Reset,
           py::arg("seed") = py::none(),
           py::arg("graph") = py::none(),
           py::arg("machine") = py::none(),
           "Begins an episode; graph and machine are indices, sampled at random if not given.")
      .def("step", &PythonOneShotEnv::Step, py::arg("action"), "Ends it: (reward, info).")
      .def(
          "find_plan",
          [](const PythonOneShotEnv& self, const py::object& action) {
            return self.env().FindPlan(FindAction(action).value_or(std::vector<std::int32_t>()));
          },
          py::arg("action"),
          "The plan that an action stands for, or None if it is illegal.")
      .def("info", Getter(&PythonOneShotEnv::InfoDict))
      .def("action_mask", Getter(&PythonOneShotEnv::ActionMask))
      .def("dict_observation", Getter(&PythonOneShotEnv::DictObservation))
      .def("flat_observation", Getter(&PythonOneShotEnv::FlatObservation))
      .def("graph_observation", Getter(&PythonOneShotEnv::GraphObservation));
  BindProperties(one_shot);
}

}  // namespace opyard::bindings
