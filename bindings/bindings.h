// The parts of the Python module opyard._core; each binds the types of one layer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "env/problem.h"
#include "sim/base/interrupt.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::bindings {

void BindErrors(pybind11::module_& module);
void BindFiles(pybind11::module_& module);
void BindSim(pybind11::module_& module);
void BindGraphs(pybind11::module_& module);
void BindBuilder(pybind11::module_& module);
void BindEnv(pybind11::module_& module);
void BindOneShotEnv(pybind11::module_& module);
void BindExperiments(pybind11::module_& module);

// A graph or machine given as itself or by its reference.
using GraphOrReference = std::variant<std::shared_ptr<sim::OpGraph>, std::string>;
using MachineOrReference = std::variant<std::shared_ptr<sim::HardwareProfile>, std::string>;
[[nodiscard]] std::shared_ptr<const sim::OpGraph> ToGraph(const GraphOrReference& graph);
[[nodiscard]] std::shared_ptr<const sim::HardwareProfile> ToMachine(
    const MachineOrReference& machine);
// graphs::LoadGraph; what the file of another tool leaves open becomes a UserWarning. With or
// without the GIL.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> LoadGraph(const std::string& reference);

// Tasks, objectives and groups as FORMATS names them: ("placement", "scheduling"); "makespan",
// "peak_memory" or {"weighted": {"makespan": 1, "peak_memory": 0.1}}; "colocation", "none" or the
// greatest number of groups. Throw InputError for anything else.
[[nodiscard]] env::TaskSet ToTasks(const std::vector<std::string>& tasks);
using ObjectiveSpec =
    std::variant<std::string, std::map<std::string, std::map<std::string, double>>>;
[[nodiscard]] env::Objective ToObjective(const ObjectiveSpec& objective);
using GroupSpec = std::variant<std::int64_t, std::string>;
struct GroupRule {
  env::DecidePer decide_per = env::DecidePer::kGroup;
  std::int32_t max_groups = 512;
};
[[nodiscard]] GroupRule ToGroupRule(const GroupSpec& group);

// A fresh numpy array that shares nothing with `values`; `shape` multiplies to its size.
template <class T>
[[nodiscard]] pybind11::array_t<T> ToArray(const std::vector<T>& values,
                                           std::vector<pybind11::ssize_t> shape) {
  return pybind11::array_t<T>(std::move(shape), values.data());
}

// The whole numbers of an array or sequence; nothing if it holds anything else. Numbers beyond 32
// bits become −1, which no action may hold.
[[nodiscard]] std::optional<std::vector<std::int32_t>> FindAction(const pybind11::object& action);

// Runs `work` in another thread, without the interpreter's lock, and looks for signals every 50 ms
// from this one (Python handles signals in its main thread only). On Ctrl-C it raises `interrupt`,
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
