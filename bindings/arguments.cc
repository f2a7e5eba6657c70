// What Python callers pass, as the types of the C++ layers.
#include <algorithm>
#include <limits>

#include "bindings/bindings.h"
#include "experiments/runner/graphs/import_text.h"
#include "graphs/graph_source.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/profile_yaml.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

bool IsBadWeight(double weight) {
  return !(weight >= 0.0 && weight <= std::numeric_limits<double>::max());
}

env::Objective WeightedObjective(const std::map<std::string, double>& weights) {
  env::Objective objective{.kind = env::ObjectiveKind::kWeighted, .makespan_weight = 0.0};
  ProblemList problems;
  for (const auto& [name, weight] : weights) {
    if (IsBadWeight(weight)) {
      problems.Add("objective/weighted/" + name, "expected a number that is not negative");
    } else if (name == "makespan") {
      objective.makespan_weight = weight;
    } else if (name == "peak_memory") {
      objective.peak_memory_weight = weight;
    } else {
      problems.Add("objective/weighted",
                   "found " + Quoted(name) + ", expected makespan, peak_memory");
    }
  }
  if (objective.makespan_weight + objective.peak_memory_weight <= 0.0) {
    problems.Add("objective/weighted", "expected a weight above 0");
  }
  problems.ThrowIfAny();
  return objective;
}

}  // namespace

std::shared_ptr<const sim::OpGraph> ToGraph(const GraphOrReference& graph) {
  if (const auto* made = std::get_if<std::shared_ptr<sim::OpGraph>>(&graph)) {
    return *made;
  }
  return LoadGraph(std::get<std::string>(graph));
}

std::shared_ptr<const sim::OpGraph> LoadGraph(const std::string& reference) {
  const graphs::ImportedGraph loaded = graphs::LoadImportedGraph(reference);
  if (const std::string warning = experiments::ImportWarning(reference, loaded.summary);
      !warning.empty()) {
    const py::gil_scoped_acquire acquired;
    if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 1) != 0) {
      throw py::error_already_set();
    }
  }
  return loaded.graph;
}

std::shared_ptr<const sim::HardwareProfile> ToMachine(const MachineOrReference& machine) {
  if (const auto* made = std::get_if<std::shared_ptr<sim::HardwareProfile>>(&machine)) {
    return *made;
  }
  return sim::LoadMachine(std::get<std::string>(machine));
}

env::TaskSet ToTasks(const std::vector<std::string>& tasks) {
  env::TaskSet set{.placement = false};
  for (const std::string& task : tasks) {
    if (task != "placement" && task != "scheduling" && task != "fusion") {
      throw InputError("tasks: found " + Quoted(task) + ", expected placement, scheduling, fusion");
    }
    set.placement = set.placement || task == "placement";
    set.scheduling = set.scheduling || task == "scheduling";
    set.fusion = set.fusion || task == "fusion";
  }
  return set;
}

env::Objective ToObjective(const ObjectiveSpec& objective) {
  if (const auto* name = std::get_if<std::string>(&objective)) {
    if (*name == "makespan") {
      return {.kind = env::ObjectiveKind::kMakespan};
    }
    if (*name == "peak_memory") {
      return {.kind = env::ObjectiveKind::kPeakMemory};
    }
    throw InputError("objective: found " + Quoted(*name) +
                     ", expected makespan, peak_memory or {\"weighted\": {…}}");
  }
  const auto& table = std::get<std::map<std::string, std::map<std::string, double>>>(objective);
  if (table.size() != 1 || table.begin()->first != "weighted") {
    throw InputError("objective: expected the one key \"weighted\"");
  }
  return WeightedObjective(table.begin()->second);
}

GroupRule ToGroupRule(const GroupSpec& group) {
  if (const auto* name = std::get_if<std::string>(&group)) {
    if (*name == "colocation") {
      return {};
    }
    if (*name == "none") {
      return {.decide_per = env::DecidePer::kOp};
    }
    throw InputError("group: found " + Quoted(*name) +
                     ", expected \"colocation\", \"none\" or a number of groups");
  }
  const std::int64_t count = std::get<std::int64_t>(group);
  if (count < 1 || count > std::numeric_limits<std::int32_t>::max()) {
    throw InputError("group: found " + std::to_string(count) + ", expected at least 1");
  }
  return {.max_groups = static_cast<std::int32_t>(count)};
}

std::optional<std::vector<std::int32_t>> FindAction(const py::object& action) {
  const py::array given = py::array::ensure(action);
  if (!given) {
    PyErr_Clear();
    return std::nullopt;
  }
  const char kind = given.dtype().kind();
  if (given.ndim() != 1 || (kind != 'i' && kind != 'u')) {
    return std::nullopt;
  }
  const auto wide =
      py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(given);
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(given.size()));
  std::transform(wide.data(), wide.data() + wide.size(), numbers.begin(), [](std::int64_t number) {
    const bool fits = number >= 0 && number <= std::numeric_limits<std::int32_t>::max();
    return fits ? static_cast<std::int32_t>(number) : -1;
  });
  return numbers;
}

}  // namespace opyard::bindings
