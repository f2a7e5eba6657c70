#include <optional>
#include <span>

#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "bindings/environment_arguments.h"
#include "bindings/step_env.h"
#include "env/environments/vector_env.h"
#include "sim/base/error.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

constexpr std::int64_t kMostLanes = std::int64_t{1} << 16;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 40;

std::size_t NumMachines(const env::Environment& lane) {
  return lane.stages().options().machines.size();
}

// A view of `values`, which `owner` keeps alive; it changes with each step.
template <class T>
py::array ViewOf(const std::vector<T>& values,
                 const std::vector<py::ssize_t>& shape,
                 const py::object& owner) {
  py::array_t<T> view(shape, values.data(), owner);
  view.attr("setflags")("write"_a = false);
  return view;
}

// Lanes that step together. One caller at a time.
class PythonVectorEnv {
 public:
  PythonVectorEnv(const env::Environment& lane, const env::VectorOptions& options)
      : vector_(lane, options) {}

  void Reset(const std::vector<std::optional<std::uint64_t>>& seeds,
             const std::vector<std::uint8_t>& mask,
             const StartArguments& start) {
    const TurnGuard turn(mutex_);
    for (const auto& [name, size] :
         {std::pair("seeds", seeds.size()), std::pair("mask", mask.size())}) {
      if (size != 0 && size != vector_.num_lanes()) {
        throw InputError(std::string(name) + ": found " + std::to_string(size) +
                         " entries, expected " + std::to_string(vector_.num_lanes()));
      }
    }
    const py::gil_scoped_release released;
    vector_.Reset(seeds, start.ToStart(), mask);
  }

  void Step(const py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>& actions) {
    const TurnGuard turn(mutex_);
    const std::span<const std::int32_t> numbers(actions.data(),
                                                static_cast<std::size_t>(actions.size()));
    const py::gil_scoped_release released;
    vector_.Step(numbers);
  }

  const env::VectorEnv& vector() const { return vector_; }

 private:
  std::mutex mutex_;
  env::VectorEnv vector_;
};

std::unique_ptr<PythonVectorEnv> MakeVectorEnv(const PythonStepEnv& env,
                                               std::int64_t num_envs,
                                               std::int64_t threads,
                                               const std::string& autoreset_mode,
                                               std::optional<std::int64_t> max_episode_steps) {
  if (max_episode_steps.has_value()) {
    InRange("max_episode_steps", *max_episode_steps, 1, kMostSteps);
  }
  return std::make_unique<PythonVectorEnv>(
      env.lane(),
      env::VectorOptions{
          .num_lanes = static_cast<std::size_t>(InRange("num_envs", num_envs, 1, kMostLanes)),
          .num_threads = ToNumThreads(threads),
          .autoreset = OneOf<env::Autoreset>("autoreset_mode",
                                             autoreset_mode,
                                             {{"next_step", env::Autoreset::kNextStep},
                                              {"same_step", env::Autoreset::kSameStep},
                                              {"disabled", env::Autoreset::kDisabled}}),
          .max_episode_steps = max_episode_steps});
}

// Views of all arrays of a batch; the mask alone of those that change, if no steps are observed.
py::dict BatchDict(const env::ObservationBatch& batch,
                   bool observes_steps,
                   const py::object& owner) {
  const env::PaddedBatch& padded = batch.padded;
  const env::StepBatch& step = batch.step;
  const auto n = static_cast<py::ssize_t>(step.num_lanes);
  const auto ops = static_cast<py::ssize_t>(padded.room.max_ops);
  const auto edges = static_cast<py::ssize_t>(padded.room.max_edges);
  const auto devices = static_cast<py::ssize_t>(padded.room.max_devices);
  const auto columns = [](std::size_t count) { return static_cast<py::ssize_t>(count); };
  const auto mask_size = n == 0 ? 0 : columns(step.action_mask.size()) / n;
  const auto view = [&](const auto& values, const std::vector<py::ssize_t>& shape) {
    return ViewOf(values, shape, owner);
  };
  py::dict dict(
      "op_type"_a = view(padded.op_type, {n, ops}),
      "x"_a = view(padded.x, {n, ops, columns(env::kNumFeatures)}),
      "edge_index"_a = view(padded.edge_index, {n, 2, edges}),
      "edge_x"_a = view(padded.edge_x, {n, edges, columns(env::kNumEdgeFeatures)}),
      "device_x"_a = view(padded.device_x, {n, devices, columns(env::kNumDeviceFeatures)}),
      "pair_x"_a = view(padded.pair_x, {n, devices, devices, columns(env::kNumPairFeatures)}),
      "topological_order"_a = view(padded.topological_order, {n, ops}),
      "group_id"_a = view(padded.group_id, {n, ops}),
      "op_mask"_a = view(padded.op_mask, {n, ops}),
      "edge_mask"_a = view(padded.edge_mask, {n, edges}),
      "machine_mask"_a = view(padded.machine_mask, {n, devices}));
  if (observes_steps) {
    dict["plan"] = view(step.plan, {n, 3, ops});
    dict["current"] = view(step.current, {n, ops});
    dict["device_load"] = view(step.device_load, {n, devices});
    dict["device_memory"] = view(step.device_memory, {n, devices});
    dict["progress"] = view(step.progress, {n, 2});
  }
  dict["action_mask"] = view(step.action_mask, {n, mask_size});
  return dict;
}

// By key, one entry per lane; the episodes that the last step belonged to.
py::dict InfoArrays(const env::VectorEnv& vector) {
  const std::size_t n = vector.num_lanes();
  const std::size_t machines = NumMachines(vector.lane(0));
  const auto array = [&](const auto& of_lane) {
    using Value = decltype(of_lane(0));
    py::array_t<Value> values(static_cast<py::ssize_t>(n));
    Value* const written = values.mutable_data();
    for (std::size_t lane = 0; lane < n; ++lane) {
      written[lane] = of_lane(lane);
    }
    return values;
  };
  const auto& infos = vector.infos();
  py::dict dict(
      "outcome"_a =
          array([&](std::size_t i) { return static_cast<std::int64_t>(infos[i].outcome); }),
      "makespan_s"_a = array([&](std::size_t i) { return infos[i].makespan.seconds(); }),
      "peak_memory_bytes"_a = array([&](std::size_t i) { return infos[i].peak_memory.count; }),
      "lower_bound_s"_a = array([&](std::size_t i) { return infos[i].lower_bound.seconds(); }),
      "problem_bound_s"_a = array([&](std::size_t i) { return infos[i].problem_bound.seconds(); }),
      "reference_s"_a = array([&](std::size_t i) { return infos[i].reference.seconds(); }),
      "graph_index"_a = array(
          [&](std::size_t i) { return static_cast<std::int64_t>(vector.stages()[i] / machines); }),
      "machine_index"_a = array(
          [&](std::size_t i) { return static_cast<std::int64_t>(vector.stages()[i] % machines); }));
  if (vector.lane(0).observes_steps()) {
    dict["step"] = array([&](std::size_t i) { return vector.steps()[i]; });
  }
  return dict;
}

py::dict LaneDict(const env::VectorEnv& vector, std::int64_t index) {
  const auto most = static_cast<std::int64_t>(vector.num_lanes()) - 1;
  const env::Environment& lane =
      vector.lane(static_cast<std::size_t>(InRange("index", index, 0, most)));
  py::dict info = InfoDictOf(lane.state().info, lane.state().present, NumMachines(lane));
  info["step"] = lane.state().num_steps;
  return py::dict("problem"_a = std::const_pointer_cast<env::Problem>(lane.stage().problem),
                  "plan"_a = lane.plan(),
                  "info"_a = info,
                  "episode_length"_a = lane.episode_length());
}

// Views of the arrays that a step gives beside observations: [num_envs].
void BindResults(py::class_<PythonVectorEnv>& vector_env) {
  const auto bind = [&](const char* name, auto get) {
    vector_env.def_property_readonly(name, [get](const PythonVectorEnv& self) {
      const env::VectorEnv& vector = self.vector();
      return ViewOf(
          (vector.*get)(), {static_cast<py::ssize_t>(vector.num_lanes())}, py::cast(&self));
    });
  };
  bind("rewards", &env::VectorEnv::rewards);
  bind("terminated", &env::VectorEnv::terminated);
  bind("truncated", &env::VectorEnv::truncated);
}

}  // namespace

void BindStepVectorEnv(py::module_& module) {
  py::class_<PythonVectorEnv> vector_env(
      module, "StepVectorEnv", "Copies of a StepEnv that step together.");
  vector_env
      .def(py::init(&MakeVectorEnv),
           py::arg("env").none(false),
           py::kw_only(),
           py::arg("num_envs"),
           py::arg("threads") = 0,
           py::arg("autoreset_mode") = "next_step",
           py::arg("max_episode_steps") = py::none())
      .def(
          "reset",
          [](PythonVectorEnv& self,
             const std::vector<std::optional<std::uint64_t>>& seeds,
             const std::vector<std::uint8_t>& mask,
             std::optional<std::size_t> graph,
             std::optional<std::size_t> machine,
             const std::optional<sim::Plan>& plan,
             std::optional<double> noise) {
            self.Reset(
                seeds, mask, {.graph = graph, .machine = machine, .plan = plan, .noise = noise});
          },
          py::arg("seeds"),
          py::arg("mask"),
          py::arg("graph") = py::none(),
          py::arg("machine") = py::none(),
          py::arg("plan") = py::none(),
          py::arg("noise") = py::none(),
          "Begins episodes in the lanes of `mask`, or in all if it is empty; `seeds` is empty or "
          "has one entry per lane.")
      .def("step", &PythonVectorEnv::Step, py::arg("actions"), "[num_envs, numbers of an action].")
      .def("info", [](const PythonVectorEnv& self) { return InfoArrays(self.vector()); })
      .def(
          "lane",
          [](const PythonVectorEnv& self, std::int64_t index) {
            return LaneDict(self.vector(), index);
          },
          py::arg("index"),
          "The present episode of one lane: problem, plan, info, episode_length.")
      .def(
          "observations",
          [](const PythonVectorEnv& self) {
            const auto& vector = self.vector();
            return BatchDict(
                vector.observations(), vector.lane(0).observes_steps(), py::cast(&self));
          },
          "Views that change with each step.")
      .def(
          "final_observations",
          [](const PythonVectorEnv& self) {
            const auto& vector = self.vector();
            return BatchDict(
                vector.final_observations(), vector.lane(0).observes_steps(), py::cast(&self));
          },
          "Views of the last observations of episodes, under same_step.");
  BindResults(vector_env);
}

}  // namespace opyard::bindings
