#include "bindings/plan_arrays.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "env/environments/episode.h"
#include "sim/base/error.h"
#include "sim/plan/validate.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

using WideArray = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

// "(64, 100)", as NumPy writes it.
std::string ShapeText(const py::array& array) {
  return py::cast<std::string>(py::str(array.attr("shape")));
}

// The inclusive range of the numbers of one array.
struct NumberRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// Throws InputError for a number of an array without signs that 64 bits with a sign do not hold.
void CheckUnsigned(const char* name, const py::array& array) {
  const auto numbers =
      py::array_t<std::uint64_t, py::array::c_style | py::array::forcecast>::ensure(array);
  for (py::ssize_t i = 0; i < numbers.size(); ++i) {
    if (numbers.data()[i] > std::numeric_limits<std::int64_t>::max()) {
      throw InputError(std::string(name) + ": found " + std::to_string(numbers.data()[i]) +
                       ", expected integers below 2^63");
    }
  }
}

// The numbers of an array of any integer type, [num_plans, num_ops], or with any number of plans.
WideArray ToRows(const char* name,
                 const py::object& given,
                 std::size_t num_ops,
                 std::optional<std::size_t> num_plans = std::nullopt) {
  if (!py::isinstance<py::array>(given)) {
    throw py::type_error(std::string(name) + ": found " +
                         py::cast<std::string>(py::str(py::type::of(given))) +
                         ", expected a NumPy array");
  }
  const auto array = py::reinterpret_borrow<py::array>(given);
  if (array.dtype().kind() != 'i' && array.dtype().kind() != 'u') {
    throw InputError(std::string(name) + ": found an array of " +
                     py::cast<std::string>(py::str(array.dtype())) +
                     ", expected one of whole numbers");
  }
  if (array.ndim() != 2 || array.shape(1) != static_cast<py::ssize_t>(num_ops) ||
      array.shape(0) != static_cast<py::ssize_t>(num_plans.value_or(array.shape(0)))) {
    throw InputError(std::string(name) + ": found shape " + ShapeText(array) + ", expected (" +
                     (num_plans.has_value() ? std::to_string(*num_plans) : "plans") + ", " +
                     std::to_string(num_ops) + ")");
  }
  if (array.dtype().kind() == 'u') {
    CheckUnsigned(name, array);
  }
  return WideArray::ensure(array);
}

// The numbers of `rows` as another type; "`name`/ROW/OP" is in the error of one out of range.
template <class Number>
std::vector<Number> ToNumbersOf(const char* name, const WideArray& rows, const NumberRange& range) {
  std::vector<Number> numbers;
  numbers.reserve(static_cast<std::size_t>(rows.size()));
  for (py::ssize_t i = 0; i < rows.size(); ++i) {
    const std::int64_t number = rows.data()[i];
    if (number < range.low || number > range.high) {
      throw InputError(std::string(name) + "/" + std::to_string(i / rows.shape(1)) + "/" +
                       std::to_string(i % rows.shape(1)) + ": found " + std::to_string(number) +
                       ", expected an integer from " + std::to_string(range.low) + " to " +
                       std::to_string(range.high));
    }
    numbers.push_back(static_cast<Number>(number));
  }
  return numbers;
}

// The entries of row `row` of an array that has some, else none.
template <class Number>
std::span<const Number> RowOf(const std::vector<Number>& rows,
                              std::size_t row,
                              std::size_t num_ops) {
  return rows.empty() ? std::span<const Number>() : std::span(rows).subspan(row * num_ops, num_ops);
}

}  // namespace

PlanArrays::PlanArrays(std::shared_ptr<const env::Problem> problem,
                       const PlanArrayArguments& arguments)
    : problem_(std::move(problem)),
      queue_(arguments.queue.has_value() || !arguments.op_priority.is_none()
                 ? ToQueue(arguments.queue, !arguments.op_priority.is_none())
                 : problem_->settings().default_queue),
      has_own_fusion_(!arguments.fusion_priority.is_none()) {
  const std::size_t num_ops = problem_->graph().num_ops();
  const WideArray rows = ToRows("placement", arguments.placement, num_ops);
  num_plans_ = static_cast<std::size_t>(rows.shape(0));
  placement_ = ToNumbersOf<std::int32_t>(
      "placement", rows, {.low = 0, .high = std::numeric_limits<std::int32_t>::max()});
  if (!arguments.op_priority.is_none()) {
    op_priority_ =
        ToNumbersOf<std::int64_t>("op_priority",
                                  ToRows("op_priority", arguments.op_priority, num_ops, num_plans_),
                                  {.low = -sim::kLargestPriority, .high = sim::kLargestPriority});
  }
  if (has_own_fusion_) {
    fusion_priority_ = ToNumbersOf<std::int32_t>(
        "fusion_priority",
        ToRows("fusion_priority", arguments.fusion_priority, num_ops, num_plans_),
        {.low = 0, .high = sim::kLargestFusionPriority});
  }
}

sim::Plan PlanArrays::PlanAt(std::size_t index) const {
  const std::size_t num_ops = problem_->graph().num_ops();
  const auto devices = RowOf(placement_, index, num_ops);
  const auto priorities = RowOf(op_priority_, index, num_ops);
  const auto fusion = has_own_fusion_ ? RowOf(fusion_priority_, index, num_ops)
                                      : std::span(problem_->default_fusion_priority());
  return {.placement = sim::OpPlacement(devices.begin(), devices.end()),
          .queue = queue_,
          .op_priority = {priorities.begin(), priorities.end()},
          .fusion_priority = {fusion.begin(), fusion.end()},
          .fusion_region = problem_->fusion_region()};
}

py::dict EvaluationArrays(const std::vector<env::Evaluation>& evaluations) {
  const auto array = [&](const auto& of_one) {
    py::array_t<decltype(of_one(evaluations.front()))> values(
        static_cast<py::ssize_t>(evaluations.size()));
    std::ranges::transform(evaluations, values.mutable_data(), of_one);
    return values;
  };
  return py::dict(
      "outcome"_a = array([](const env::Evaluation& evaluation) {
        return static_cast<std::int64_t>(env::EpisodeOutcomeOf(evaluation.result.outcome));
      }),
      "score"_a = array([](const env::Evaluation& evaluation) { return evaluation.score; }),
      "makespan_s"_a = array(
          [](const env::Evaluation& evaluation) { return evaluation.result.makespan.seconds(); }),
      "peak_memory_bytes"_a = array(
          [](const env::Evaluation& evaluation) { return evaluation.result.peak_memory.count; }),
      "transfers"_a = array([](const env::Evaluation& evaluation) {
        return std::int64_t{evaluation.result.num_transfers};
      }));
}

}  // namespace opyard::bindings
