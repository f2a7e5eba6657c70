// Conversions of the arguments of Python callers into types of the C++ layers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bindings/bindings.h"
#include "env/parallel/thread_pool.h"
#include "env/problem_words.h"
#include "experiments/graphs/import_text.h"
#include "experiments/machines/machine_loading.h"
#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "sim/plan/validate.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

// A variant of pybind11 takes None for an object that is not there.
template <class Made>
const std::shared_ptr<Made>* FindMade(
    const std::variant<std::shared_ptr<Made>, std::string, std::filesystem::path>& given,
    const char* what) {
  const auto* made = std::get_if<std::shared_ptr<Made>>(&given);
  if (made != nullptr && *made == nullptr) {
    throw py::type_error(std::string(what) + ": found None, expected a " + what +
                         " or its reference");
  }
  return made;
}

template <class Given>
std::string TextOf(const Given& given) {
  const auto* path = std::get_if<std::filesystem::path>(&given);
  if (path == nullptr) {
    return std::get<std::string>(given);
  }
  // With a slash it is a path to everyone.
  return (path->is_absolute() ? *path : std::filesystem::path(".") / *path).string();
}

// `values` as another type of number, each in [low, high].
template <class Number>
std::vector<Number> ToNumbers(const char* name,
                              const std::vector<std::int64_t>& values,
                              std::int64_t low,
                              std::int64_t high) {
  Diagnostics diagnostics;
  std::vector<Number> numbers;
  numbers.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < low || values[i] > high) {
      diagnostics.AddError(std::string(name) + "/" + std::to_string(i),
                           "found " + std::to_string(values[i]) + ", expected an integer from " +
                               std::to_string(low) + " to " + std::to_string(high));
    }
    numbers.push_back(static_cast<Number>(values[i]));
  }
  diagnostics.ThrowIfAny();
  return numbers;
}

// `number`; −1 if it is no choice of an action.
std::int32_t NarrowChoice(std::int64_t number) {
  const bool fits = number >= 0 && number <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<std::int32_t>(number) : -1;
}

// The numbers of a list of Python's own integers, without an array in between; nothing of anything
// else.
std::optional<std::vector<std::int32_t>> FindPlainIntegers(const py::object& given) {
  if (PyList_CheckExact(given.ptr()) == 0) {
    return std::nullopt;
  }
  std::vector<std::int32_t> numbers;
  for (const py::handle& entry : py::reinterpret_borrow<py::list>(given)) {
    if (PyLong_CheckExact(entry.ptr()) == 0) {  // bool is none
      return std::nullopt;
    }
    int overflow = 0;
    const std::int64_t number = PyLong_AsLongLongAndOverflow(entry.ptr(), &overflow);
    numbers.push_back(overflow == 0 ? NarrowChoice(number) : -1);
  }
  return numbers;
}

}  // namespace

void Warn(const std::string& text) {
  if (text.empty()) {
    return;
  }
  const py::gil_scoped_acquire acquired;
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) {
    throw py::error_already_set();
  }
}

std::string ReferenceText(const Reference& reference) {
  return TextOf(reference);
}

std::shared_ptr<const sim::OpGraph> ToGraph(const GraphOrReference& graph) {
  const auto* made = FindMade<sim::OpGraph>(graph, "graph");
  return made != nullptr ? *made : LoadGraph(TextOf(graph));
}

std::shared_ptr<const sim::OpGraph> LoadGraph(const std::string& reference) {
  const graphs::ImportedGraph loaded = graphs::LoadImportedGraph(reference);
  Warn(experiments::ImportWarning(reference, loaded.summary));
  return loaded.graph;
}

std::shared_ptr<const sim::HardwareProfile> LoadMachine(const std::string& reference) {
  return experiments::LoadMachine(reference,
                                  [](const experiments::Notice& notice) { Warn(notice.text); });
}

std::shared_ptr<const sim::HardwareProfile> ToMachine(const MachineOrReference& machine) {
  const auto* made = FindMade<sim::HardwareProfile>(machine, "machine");
  return made != nullptr ? *made : LoadMachine(TextOf(machine));
}

std::int64_t InRange(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high) {
    throw InputError(std::string(name) + ": found " + std::to_string(value) + ", expected " +
                     std::to_string(low) + " to " + std::to_string(high));
  }
  return value;
}

env::Budget ToBudget(std::optional<std::int64_t> evaluations, std::optional<double> seconds) {
  if (evaluations.has_value()) {
    InRange("evaluations", *evaluations, 1, std::int64_t{1} << 40);
  }
  constexpr double kLeastSeconds = 0.001;
  if (seconds.has_value() && !(*seconds >= kLeastSeconds && *seconds <= kLargestSeconds)) {
    throw InputError("seconds: found " + ToText(*seconds) + ", expected " + ToText(kLeastSeconds) +
                     " to " + ToText(kLargestSeconds));
  }
  return {.evaluations = evaluations, .seconds = seconds};
}

std::size_t ToNumThreads(std::int64_t threads) {
  if (threads < 0 || threads > 1024) {
    throw InputError("threads: found " + std::to_string(threads) +
                     ", expected 1 to 1024, or 0 for one per core");
  }
  return threads == 0 ? env::ThreadPool::DefaultNumThreads() : static_cast<std::size_t>(threads);
}

sim::QueueDiscipline ToQueue(const std::optional<std::string>& name, bool has_priorities) {
  if (!name.has_value()) {
    return has_priorities ? sim::QueueDiscipline::kPriority : sim::QueueDiscipline::kFifo;
  }
  Diagnostics diagnostics;
  const std::optional<sim::QueueDiscipline> queue = env::ReadQueue(*name, "queue", diagnostics);
  diagnostics.ThrowIfAny();
  return *queue;
}

namespace {

std::vector<std::vector<sim::Stream>> ToOrder(const OrderList& lists) {
  constexpr std::int64_t kLastOp = std::numeric_limits<std::int32_t>::max();
  std::vector<std::vector<sim::Stream>> order(lists.size());
  for (std::size_t device = 0; device < lists.size(); ++device) {
    for (std::size_t stream = 0; stream < lists[device].size(); ++stream) {
      const std::string name = "order/" + std::to_string(device) + "/" + std::to_string(stream);
      sim::Stream ops;
      for (const auto op :
           ToNumbers<std::int32_t>(name.c_str(), lists[device][stream], 0, kLastOp)) {
        ops.emplace_back(op);
      }
      order[device].push_back(std::move(ops));
    }
  }
  return order;
}

std::vector<sim::ChannelOrder> ToTransferOrder(const TransferOrderLists& lists) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int32_t>::max();
  std::vector<sim::ChannelOrder> orders;
  for (const auto& [channel, copies] : lists) {
    orders.push_back({.channel = channel, .copies = {}});
    for (const auto& [tensor, device] : copies) {
      if (std::min(tensor, device) < 0 || std::max(tensor, device) > kLast) {
        throw InputError("transfer_order/" + channel + ": found (" + std::to_string(tensor) + ", " +
                         std::to_string(device) +
                         "), expected the indices of a tensor and a device");
      }
      orders.back().copies.push_back({.tensor = TensorId(static_cast<std::size_t>(tensor)),
                                      .destination = DeviceId(static_cast<std::size_t>(device))});
    }
  }
  return orders;
}

}  // namespace

sim::Plan ToPlan(const PlanLists& lists) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int32_t>::max();
  sim::Plan plan{
      .queue = !lists.queue.has_value() && !lists.order.empty()
                   ? sim::QueueDiscipline::kOrder
                   : ToQueue(lists.queue, !lists.op_priority.empty()),
      .op_priority = ToNumbers<std::int64_t>(
          "op_priority", lists.op_priority, -sim::kLargestPriority, sim::kLargestPriority),
      .fusion_priority = ToNumbers<std::int32_t>(
          "fusion_priority", lists.fusion_priority, 0, sim::kLargestFusionPriority),
      .fusion_region = ToNumbers<std::int32_t>("fusion_region", lists.fusion_region, 0, kLast),
      .order = ToOrder(lists.order),
      .transfer_order = ToTransferOrder(lists.transfer_order)};
  for (const auto device : ToNumbers<std::int32_t>("placement", lists.placement, 0, kLast)) {
    plan.placement.emplace_back(device);
  }
  return plan;
}

std::string CountText(std::size_t count, std::string_view what) {
  std::string text = std::to_string(count) + " " + std::string(what);
  if (count == 1) {
    return text;
  }
  return text.ends_with('y') ? text.substr(0, text.size() - 1) + "ies" : text + "s";
}

std::string ProblemTitle(const env::Problem& problem) {
  return problem.graph().name() + " (" + CountText(problem.graph().num_ops(), "op") + ") on " +
         problem.hardware().name + " (" + CountText(problem.hardware().num_devices(), "device") +
         ")";
}

std::optional<WholeNumbers> FindWholeNumbers(const py::object& given) {
  const py::array array = py::array::ensure(given);
  if (!array) {
    PyErr_Clear();
    return std::nullopt;
  }
  const char kind = array.dtype().kind();
  if (kind != 'i' && kind != 'u') {
    return std::nullopt;
  }
  const auto wide =
      py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(array);
  WholeNumbers numbers{.shape = {array.shape(), array.shape() + array.ndim()},
                       .values = std::vector<std::int32_t>(static_cast<std::size_t>(array.size()))};
  std::transform(wide.data(), wide.data() + wide.size(), numbers.values.begin(), &NarrowChoice);
  return numbers;
}

std::optional<std::vector<std::int32_t>> FindAction(const py::object& action) {
  if (std::optional<std::vector<std::int32_t>> numbers = FindPlainIntegers(action)) {
    return numbers;
  }
  std::optional<WholeNumbers> numbers = FindWholeNumbers(action);
  if (!numbers.has_value() || numbers->shape.size() != 1) {
    return std::nullopt;
  }
  return std::move(numbers->values);
}

}  // namespace opyard::bindings
