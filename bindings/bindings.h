// The parts of the Python module opyard._core; each binds the types of one layer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "agents/base/agent_registry.h"
#include "env/budget.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "env/problem_words.h"
#include "sim/base/interrupt.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::bindings {

void BindErrors(pybind11::module_& module);
void BindFiles(pybind11::module_& module);
using PlanClass = pybind11::class_<sim::Plan, std::shared_ptr<sim::Plan>>;
// The class of plans, which later parts give further methods.
[[nodiscard]] PlanClass BindSim(pybind11::module_& module);
void BindViews(pybind11::module_& module, PlanClass& plan);
void BindGraphs(pybind11::module_& module);
using GraphClass = pybind11::class_<sim::OpGraph, std::shared_ptr<sim::OpGraph>>;
void BindGraphParts(pybind11::module_& module, GraphClass& graph);
void BindGraphValues(pybind11::module_& module, GraphClass& graph);
using MachineClass = pybind11::class_<sim::HardwareProfile, std::shared_ptr<sim::HardwareProfile>>;
void BindMachineValues(MachineClass& machine);
void BindDeviceValues(pybind11::module_& module);
void BindTraces(pybind11::module_& module);
void BindMicrobatches(pybind11::module_& module);
void BindSchedules(pybind11::module_& module);
void BindLayouts(pybind11::module_& module);
void BindCosts(pybind11::module_& module);
void BindBuilder(pybind11::module_& module);
void BindProblem(pybind11::module_& module);
using ProblemClass = pybind11::class_<env::Problem, std::shared_ptr<env::Problem>>;
void BindProblemArrays(ProblemClass& problem);
void BindEnv(pybind11::module_& module);
void BindSearch(pybind11::module_& module);
void BindStepEnv(pybind11::module_& module);
void BindStepVectorEnv(pybind11::module_& module);
void BindExperiments(pybind11::module_& module);
void BindReplay(pybind11::module_& module);
// Last of all: for each class that is bound by then, objects of `__new__` alone are refused with a
// TypeError wherever they are used, and every protocol of pickle does what the newer ones do.
void GuardClasses(pybind11::module_& module);

// A UserWarning, if there is one to give. With or without the GIL.
void Warn(const std::string& text);

// A graph or machine by its reference. A path object is a path whatever its text; a text may name a
// shipped or generated one.
using Reference = std::variant<std::string, std::filesystem::path>;
[[nodiscard]] std::string ReferenceText(const Reference& reference);

// A graph or machine given as itself or by its reference. Throw TypeError for None.
using GraphOrReference =
    std::variant<std::shared_ptr<sim::OpGraph>, std::string, std::filesystem::path>;
using MachineOrReference =
    std::variant<std::shared_ptr<sim::HardwareProfile>, std::string, std::filesystem::path>;
[[nodiscard]] std::shared_ptr<const sim::OpGraph> ToGraph(const GraphOrReference& graph);
[[nodiscard]] std::shared_ptr<const sim::HardwareProfile> ToMachine(
    const MachineOrReference& machine);
// graphs::LoadGraph; what the file of another tool leaves open becomes a UserWarning. With or
// without the GIL.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> LoadGraph(const std::string& reference);
// The same for sim::LoadMachine, and what is odd about the figures of a machine.
[[nodiscard]] std::shared_ptr<const sim::HardwareProfile> LoadMachine(const std::string& reference);

// The types of single settings in bindings, in the words of env/problem_words.h.
using WeightedObjective = std::map<std::string, std::map<std::string, double>>;
// {"weighted": {"makespan": 1, "peak_memory": 0.1}}, or a word.
using ObjectiveSpec = std::variant<std::string, WeightedObjective>;
using MaybeNames = std::optional<std::vector<std::string>>;
// A setting of any field of env/problem_fields.h; None is nothing.
using SettingArgument = std::variant<std::monostate,
                                     bool,
                                     std::int64_t,
                                     std::string,
                                     std::vector<std::string>,
                                     WeightedObjective>;
// By their keywords; what is left out has its default.
using SettingArguments = std::map<std::string, SettingArgument>;

// The settings of a problem as keyword arguments.
struct ProblemWords {
  std::vector<std::string> tasks;
  ObjectiveSpec objective;
  env::UnitsWord group;
  std::string fusion;
  std::string queue;
  MaybeNames devices;  // that ops may be placed on; nothing: all
  std::string cost_model;
  bool contiguous = false;  // devices follow the network's order
};
[[nodiscard]] SettingArguments ArgumentsOf(const ProblemWords& words);
// The default of `group` as users write it: 512 groups at most.
inline constexpr const char* kDefaultGroup = "colocation";
// Throws InputError with all that is wrong, each by its keyword.
[[nodiscard]] env::ProblemSettings ToSettings(const SettingArguments& arguments);
// The way back: what asks the same again.
[[nodiscard]] SettingArguments ArgumentsOf(const env::ProblemSettings& settings);

// All settings in the order of the table, for pickle, and the way back. Throws InputError for a
// tuple of another version.
[[nodiscard]] pybind11::tuple SettingsTuple(const env::ProblemSettings& settings);
[[nodiscard]] SettingArguments ArgumentsIn(const pybind11::tuple& settings);

// `value`; throws InputError "`name`: found …, expected …" unless it lies in [low, high].
std::int64_t InRange(const char* name, std::int64_t value, std::int64_t low, std::int64_t high);
// The limits of the command line: plans in [1, 2^40], seconds in [0.001, kLargestSeconds].
[[nodiscard]] env::Budget ToBudget(std::optional<std::int64_t> evaluations,
                                   std::optional<double> seconds);
// 0 is one per core.
[[nodiscard]] std::size_t ToNumThreads(std::int64_t threads);

// [devices][streams][ops]
using OrderList = std::vector<std::vector<std::vector<std::int64_t>>>;

// One device, priority and fusion priority per op, and the streams of each device, as Python gives
// them; a part that is not given is empty. Throws InputError "NAME/INDEX: found …, expected …" for
// numbers that no plan holds.
// By the name of a channel, [tensor index, device index] of each copy in turn.
using TransferOrderLists =
    std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>>;
struct PlanLists {
  std::vector<std::int64_t> placement;
  std::optional<std::string> queue;  // default: "order", "priority" if order, op_priority is given
  std::vector<std::int64_t> op_priority;
  std::vector<std::int64_t> fusion_priority;
  OrderList order;
  TransferOrderLists transfer_order;
  std::vector<std::int64_t> fusion_region;
};
[[nodiscard]] sim::Plan ToPlan(const PlanLists& lists);

// The queue of that name; where there is none, "priority" if the plan has priorities, else "fifo".
// Throws InputError for another name.
[[nodiscard]] sim::QueueDiscipline ToQueue(const std::optional<std::string>& name,
                                           bool has_priorities);

// "1 op", "2 ops": `what` is the word for one of them.
[[nodiscard]] std::string CountText(std::size_t count, std::string_view what);

// "GRAPH (12 ops) on MACHINE (3 devices)", for the representation of what is about both.
[[nodiscard]] std::string ProblemTitle(const env::Problem& problem);

// `registry`, or none if it is null.
[[nodiscard]] inline agents::AgentRegistry OrNone(const agents::AgentRegistry* registry) {
  return registry == nullptr ? agents::AgentRegistry({}) : *registry;
}

// One evaluation as Python sees it.
[[nodiscard]] pybind11::dict EvaluationDict(const env::Evaluation& evaluation);

// A fresh numpy array that shares nothing with `values`; `shape` multiplies to its size.
template <class T>
[[nodiscard]] pybind11::array_t<T> ToArray(const std::vector<T>& values,
                                           std::vector<pybind11::ssize_t> shape) {
  return pybind11::array_t<T>(std::move(shape), values.data());
}

// `get(part)` of each part, as an array of as many.
template <class Number, class Parts, class Get>
[[nodiscard]] pybind11::array_t<Number> ArrayOf(const Parts& parts, Get get) {
  std::vector<Number> values;
  values.reserve(parts.size());
  for (const auto& part : parts) {
    values.push_back(get(part));
  }
  return ToArray(values, {static_cast<pybind11::ssize_t>(values.size())});
}

// The whole numbers of an array or sequence of any integer type, row after row; nothing if it holds
// anything else. Numbers beyond 32 bits become −1, which no action may hold.
struct WholeNumbers {
  std::vector<pybind11::ssize_t> shape;
  std::vector<std::int32_t> values;
};
[[nodiscard]] std::optional<WholeNumbers> FindWholeNumbers(const pybind11::object& given);
// The same of one action; nothing unless it is flat.
[[nodiscard]] std::optional<std::vector<std::int32_t>> FindAction(const pybind11::object& action);

// The const member function `get` as a getter for Python: None as `self` is then a TypeError, where
// pybind11 would hand the member function a null pointer.
template <class Result, class Class>
[[nodiscard]] auto Getter(Result (Class::*get)() const) {
  return [get](const Class& self) -> Result { return (self.*get)(); };
}

// Equality of immutable objects by `is_equal`, and a hash that goes with it: that of the tuple
// `key_of` makes. Anything else equals none of them.
template <class Class, class IsEqual, class KeyOf>
void BindEquality(Class& type, IsEqual is_equal, KeyOf key_of) {
  using Self = typename Class::type;
  type.def(
      "__eq__",
      [is_equal](const Self& self, const Self& other) {
        return &self == &other || is_equal(self, other);
      },
      pybind11::is_operator());
  type.def("__hash__", [key_of](const Self& self) { return pybind11::hash(key_of(self)); });
}

// Notebooks show objects of a class as the HTML that `function` of opyard.viewer.notebook makes of
// them, or as their text where it makes none.
template <class Class>
void BindNotebook(Class& type, const char* function) {
  type.def(
      "_repr_html_",
      [function](typename Class::type& self) {
        const pybind11::object shown =
            pybind11::cast(&self, pybind11::return_value_policy::reference);
        return pybind11::object(
            pybind11::module_::import("opyard.viewer.notebook").attr(function)(shown));
      },
      "How a notebook shows it: in words and as figures; None without Bokeh.");
}

// `copy` and `deepcopy` of an immutable object are the object.
template <class Class>
void BindCopies(Class& type) {
  using Self = typename Class::type;
  type.def(
      "__copy__",
      [](Self& self) -> Self& { return self; },
      pybind11::return_value_policy::reference);
  type.def(
      "__deepcopy__",
      [](Self& self, const pybind11::dict& /*memo*/) -> Self& { return self; },
      pybind11::arg("memo"),
      pybind11::return_value_policy::reference);
}

// Runs `work` in another thread, without the interpreter's lock, and checks for signals every 50 ms
// in this one (Python handles signals in its main thread only). On Ctrl-C it raises `interrupt`,
// waits for `work` to end and throws the KeyboardInterrupt. Exceptions of `work` come through. The
// lock is held on entry and on return.
void RunInterruptibly(InterruptFlag& interrupt, const std::function<void()>& work);

// Holds `mutex` without ever waiting for it under the interpreter's lock, so that Python threads
// that share an object take turns instead of locking each other out.
class TurnGuard {
 public:
  explicit TurnGuard(std::mutex& mutex);

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace opyard::bindings
