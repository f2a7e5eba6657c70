// Many plans of one problem given as arrays, a row per plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "env/evaluation.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::bindings {

// The arrays as Python gives them; None is nothing. What is left out is as in DefaultPlan.
struct PlanArrayArguments {
  pybind11::object placement;        // [plans, num_ops]
  pybind11::object op_priority;      // the same, or None
  pybind11::object fusion_priority;  // the same, or None
  std::optional<std::string> queue;  // default: "priority" if op_priority is given
};

// A copy of the arrays, which threads may read without the interpreter's lock.
class PlanArrays {
 public:
  // Throws InputError for what is no array of whole numbers, another shape, or a number that no
  // plan holds.
  PlanArrays(std::shared_ptr<const env::Problem> problem, const PlanArrayArguments& arguments);

  [[nodiscard]] std::size_t num_plans() const { return num_plans_; }
  // The plan of row `index`; it may still not fit the graph and the machine.
  [[nodiscard]] sim::Plan PlanAt(std::size_t index) const;

 private:
  std::shared_ptr<const env::Problem> problem_;
  std::size_t num_plans_ = 0;
  sim::QueueDiscipline queue_ = sim::QueueDiscipline::kFifo;
  std::vector<std::int32_t> placement_;        // [num_plans, num_ops]
  std::vector<std::int64_t> op_priority_;      // the same, or empty
  std::vector<std::int32_t> fusion_priority_;  // the same, or empty
  bool has_own_fusion_ = false;
};

// The figures of evaluations by name, an array each with an entry per plan.
[[nodiscard]] pybind11::dict EvaluationArrays(const std::vector<env::Evaluation>& evaluations);

}  // namespace opyard::bindings
