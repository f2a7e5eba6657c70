#include <optional>
#include <span>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "env/one_shot_env.h"
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
  explicit PythonOneShotEnv(env::OneShotOptions options) : env_(std::move(options)) {}
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
    const env::EpisodeInfo& info = env_.info();
    return py::dict("outcome"_a = static_cast<int>(info.outcome),
                    "makespan_s"_a = info.makespan.seconds(),
                    "peak_memory_bytes"_a = info.peak_memory.count,
                    "lower_bound_s"_a = info.lower_bound.seconds(),
                    "problem_bound_s"_a = info.problem_bound.seconds(),
                    "reference_s"_a = info.reference.seconds(),
                    "graph_index"_a = env_.graph_index(),
                    "machine_index"_a = env_.machine_index(),
                    "action_mask"_a = ActionMask());
  }

  py::array_t<std::int8_t> ActionMask() const { return Flags(env_.action_mask()); }

  py::dict DictObservation() const {
    const env::PaddedObservation& seen = env_.padded_observation();
    const py::ssize_t ops = Extent(seen.room.max_ops);
    const py::ssize_t edges = Extent(seen.room.max_edges);
    const py::ssize_t devices = Extent(seen.room.max_devices);
    return py::dict(
        "op_type"_a = ToArray(seen.op_type, {ops}),
        "x"_a = ToArray(seen.x, {ops, Extent(env::kNumFeatures)}),
        "edge_index"_a = ToArray(seen.edge_index, {2, edges}),
        "edge_x"_a = ToArray(seen.edge_x, {edges, Extent(env::kNumEdgeFeatures)}),
        "device_x"_a = ToArray(seen.device_x, {devices, Extent(env::kNumDeviceFeatures)}),
        "pair_x"_a = ToArray(seen.pair_x, {devices, devices, Extent(env::kNumPairFeatures)}),
        "topological_order"_a = ToArray(seen.topological_order, {ops}),
        "group_id"_a = ToArray(seen.group_id, {ops}),
        "op_mask"_a = Flags(seen.op_mask),
        "edge_mask"_a = Flags(seen.edge_mask),
        "machine_mask"_a = Flags(seen.machine_mask),
        "action_mask"_a = ActionMask());
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
  static py::array_t<std::int8_t> Flags(const std::vector<std::uint8_t>& flags) {
    return ToArray(std::vector<std::int8_t>(flags.begin(), flags.end()),
                   {Extent(static_cast<std::int64_t>(flags.size()))});
  }

  std::mutex mutex_;
  env::OneShotEnv env_;
};

// Observations are padded to that many of each: no more than a graph file may hold.
constexpr std::int64_t kMostOps = std::int64_t{1} << 21;
constexpr std::int64_t kMostEdges = std::int64_t{1} << 24;

constexpr const char* kOtherVersion =
    "pickled environment: it was pickled by another version of opyard";

// The arguments of an environment beside its problems.
struct EnvArguments {
  std::string reward;
  std::optional<std::int64_t> max_ops;
  std::optional<std::int64_t> max_edges;
};

std::unique_ptr<PythonOneShotEnv> MakeEnvOf(const std::vector<GraphOrReference>& graphs,
                                            const std::vector<MachineOrReference>& machines,
                                            const SettingArguments& settings,
                                            const EnvArguments& more) {
  const py::gil_scoped_release released;
  env::OneShotOptions options{.settings = ToSettings(settings)};
  if (more.max_ops.has_value()) {
    InRange("max_ops", *more.max_ops, 1, kMostOps);
  }
  if (more.max_edges.has_value()) {
    InRange("max_edges", *more.max_edges, 1, kMostEdges);
  }
  options.reward = env::RewardKindOf(more.reward);
  options.max_ops = more.max_ops;
  options.max_edges = more.max_edges;
  for (const GraphOrReference& graph : graphs) {
    options.graphs.push_back(ToGraph(graph));
  }
  for (const MachineOrReference& machine : machines) {
    options.machines.push_back(ToMachine(machine));
  }
  return std::make_unique<PythonOneShotEnv>(std::move(options));
}

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
  return MakeEnvOf(graphs,
                   machines,
                   ArgumentsOf(ProblemWords{.tasks = tasks,
                                            .objective = objective,
                                            .group = group,
                                            .fusion = fusion,
                                            .queue = queue,
                                            .devices = devices,
                                            .cost_model = cost_model}),
                   {.reward = reward, .max_ops = max_ops, .max_edges = max_edges});
}

py::tuple EpisodeTuple(const env::EpisodeState& state) {
  const env::EpisodeInfo& info = state.info;
  return py::make_tuple(state.rng,
                        state.present,
                        state.is_over,
                        static_cast<std::uint8_t>(info.outcome),
                        info.makespan.picoseconds,
                        info.peak_memory.count,
                        info.lower_bound.picoseconds,
                        info.problem_bound.picoseconds,
                        info.reference.picoseconds);
}

env::EpisodeState EpisodeOf(const py::tuple& state) {
  const auto time = [&](std::size_t i) { return SimTime{py::cast<std::int64_t>(state[i])}; };
  if (state.size() != 9) {
    throw InputError(kOtherVersion);
  }
  const auto outcome = py::cast<std::uint8_t>(state[3]);
  if (outcome > static_cast<std::uint8_t>(env::EpisodeOutcome::kDeadlock)) {
    throw InputError(kOtherVersion);
  }
  return {.rng = py::cast<Rng::State>(state[0]),
          .present = py::cast<std::size_t>(state[1]),
          .is_over = py::cast<bool>(state[2]),
          .info = {.outcome = static_cast<env::EpisodeOutcome>(outcome),
                   .makespan = time(4),
                   .peak_memory = Bytes{py::cast<std::int64_t>(state[5])},
                   .lower_bound = time(6),
                   .problem_bound = time(7),
                   .reference = time(8)}};
}

// The arguments of MakeEnvOf, and the episode.
py::tuple StateOf(PythonOneShotEnv& self) {
  const env::OneShotOptions& options = self.env().options();
  py::list graphs;
  for (const auto& graph : options.graphs) {
    graphs.append(std::const_pointer_cast<sim::OpGraph>(graph));
  }
  py::list machines;
  for (const auto& machine : options.machines) {
    machines.append(std::const_pointer_cast<sim::HardwareProfile>(machine));
  }
  return py::make_tuple(graphs,
                        machines,
                        SettingsTuple(options.settings),
                        NameOf(options.reward),
                        options.max_ops,
                        options.max_edges,
                        EpisodeTuple(self.State()));
}

std::unique_ptr<PythonOneShotEnv> EnvOf(const py::tuple& state) {
  if (state.size() != 7) {
    throw InputError(kOtherVersion);
  }
  std::unique_ptr<PythonOneShotEnv> env =
      MakeEnvOf(py::cast<std::vector<GraphOrReference>>(state[0]),
                py::cast<std::vector<MachineOrReference>>(state[1]),
                ArgumentsIn(py::cast<py::tuple>(state[2])),
                {.reward = py::cast<std::string>(state[3]),
                 .max_ops = py::cast<std::optional<std::int64_t>>(state[4]),
                 .max_edges = py::cast<std::optional<std::int64_t>>(state[5])});
  env->Restore(EpisodeOf(py::cast<py::tuple>(state[6])));
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

}  // namespace

void BindOneShotEnv(py::module_& module) {
  BindFeatureNames(module);
  const env::ProblemSettings defaults = env::DefaultsAt(env::Door::kCaller);
  py::class_<PythonOneShotEnv>(
      module, "OneShotEnv", "The environment in which one action is a whole plan.")
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
      .def(py::pickle(&StateOf, &EnvOf))
      .def("reset",
           &PythonOneShotEnv::Reset,
           py::arg("seed") = py::none(),
           py::arg("graph") = py::none(),
           py::arg("machine") = py::none(),
           "Begins an episode; graph and machine are indices, sampled at random if not given.")
      .def("step", &PythonOneShotEnv::Step, py::arg("action"), "Ends it: (reward, info).")
      .def("info", Getter(&PythonOneShotEnv::InfoDict))
      .def("action_mask", Getter(&PythonOneShotEnv::ActionMask))
      .def("dict_observation", Getter(&PythonOneShotEnv::DictObservation))
      .def("flat_observation", Getter(&PythonOneShotEnv::FlatObservation))
      .def("graph_observation", Getter(&PythonOneShotEnv::GraphObservation))
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

}  // namespace opyard::bindings
