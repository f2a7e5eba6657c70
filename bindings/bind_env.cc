// opyard._core.Evaluator.
#include <optional>

#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "bindings/plan_arrays.h"
#include "env/action_codec.h"
#include "env/evaluator.h"
#include "env/plan_queue.h"
#include "experiments/text/number_format.h"
#include "sim/base/error.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

// An evaluator as Python threads may share it, with the flag that Ctrl-C raises.
class PythonEvaluator {
 public:
  PythonEvaluator(std::shared_ptr<env::Problem> problem,
                  std::optional<std::int64_t> evaluations,
                  std::optional<double> seconds,
                  std::int64_t num_threads)
      : problem_(problem),
        codec_(problem),
        evaluator_(problem,
                   env::EvaluatorOptions{.budget = ToBudget(evaluations, seconds),
                                         .num_threads = ToNumThreads(num_threads),
                                         .interrupt = &interrupt_}) {}

  // Shares the plans, which nothing changes, with Python: copies of a large batch would take longer
  // to free than an interrupted batch may take to end.
  py::list Evaluate(const std::vector<std::shared_ptr<sim::Plan>>& plans) {
    for (const auto& plan : plans) {
      if (plan == nullptr) {
        throw py::type_error("plans: found None, expected plans");
      }
    }
    return Evaluate(plans.size(), [&](std::size_t item) { return *plans[item]; });
  }

  py::list Evaluate(std::size_t count, const env::MakePlan& make_plan) {
    const TurnGuard turn(mutex_);
    py::list dicts;
    for (const env::Evaluation& evaluation : Run(count, make_plan)) {
      dicts.append(EvaluationDict(evaluation));
    }
    return dicts;
  }

  py::dict EvaluatePlacements(const py::object& placement,
                              const py::object& op_priority,
                              const py::object& fusion_priority,
                              const std::optional<std::string>& queue) {
    const PlanArrays plans(problem_,
                           {.placement = placement,
                            .op_priority = op_priority,
                            .fusion_priority = fusion_priority,
                            .queue = queue});
    const TurnGuard turn(mutex_);
    const std::int64_t num_before = evaluator_.num_evaluations();
    try {
      return EvaluationArrays(
          Run(plans.num_plans(), [&](std::size_t row) { return plans.PlanAt(row); }));
    } catch (const PlanError& error) {  // of the first plan that was not counted
      throw PlanError("row " + std::to_string(evaluator_.num_evaluations() - num_before) + ": " +
                      error.what());
    }
  }

  // `actions`: [num_plans, num_decisions] of any integer type.
  py::list EvaluateActions(const py::object& actions) {
    const std::optional<WholeNumbers> numbers = FindWholeNumbers(actions);
    if (!numbers.has_value()) {
      throw InputError("actions: expected whole numbers, one row per plan: [plans, decisions]");
    }
    if (numbers->shape.size() != 2) {
      throw InputError("actions: found " + std::to_string(numbers->shape.size()) +
                       " dimensions, expected two: [plans, decisions]");
    }
    const auto num_decisions = static_cast<std::size_t>(numbers->shape[1]);
    std::vector<sim::Plan> plans;
    for (std::size_t i = 0; i < static_cast<std::size_t>(numbers->shape[0]); ++i) {
      plans.push_back(
          codec_.Decode(std::span(numbers->values).subspan(i * num_decisions, num_decisions)));
    }
    return Evaluate(plans.size(), [&](std::size_t item) { return plans[item]; });
  }

  [[nodiscard]] const std::shared_ptr<env::Problem>& problem() const { return problem_; }

  // The result of `read` on the evaluator, between two batches of whichever thread.
  template <class Read>
  auto Between(Read read) {
    const TurnGuard turn(mutex_);
    return read(static_cast<const env::Evaluator&>(evaluator_));
  }

 private:
  // REQUIRES: `mutex_` is held.
  std::vector<env::Evaluation> Run(std::size_t count, const env::MakePlan& make_plan) {
    std::vector<env::Evaluation> evaluations;
    interrupt_.Clear();
    RunInterruptibly(interrupt_, [&] { evaluations = evaluator_.Evaluate(count, make_plan); });
    return evaluations;
  }

  std::shared_ptr<env::Problem> problem_;
  env::ActionCodec codec_;
  InterruptFlag interrupt_;
  std::mutex mutex_;
  env::Evaluator evaluator_;
};

py::list HistoryDicts(const env::Evaluator& evaluator) {
  py::list history;
  for (const env::HistoryPoint& point : evaluator.history()) {
    history.append(py::dict("evaluations"_a = point.evaluations,
                            "seconds"_a = point.seconds,
                            "score"_a = point.score,
                            "makespan_s"_a = point.result.makespan.seconds()));
  }
  return history;
}

std::optional<sim::Plan> BestPlan(const env::Evaluator& evaluator) {
  const auto& best = evaluator.best();
  return best.has_value() ? std::optional(env::InStreamsOf(evaluator.problem(), best->plan))
                          : std::nullopt;
}

py::object BestEvaluation(const env::Evaluator& evaluator) {
  const auto& best = evaluator.best();
  return best.has_value() ? py::object(EvaluationDict(best->evaluation)) : py::none();
}

std::string BestText(const env::Evaluator& evaluator) {
  const auto& best = evaluator.best();
  if (!best.has_value()) {
    return "";
  }
  const sim::SimResult& result = best->evaluation.result;
  return result.outcome == sim::Outcome::kCompleted
             ? ", best " + experiments::TimeText(result.makespan)
             : std::string(", best ") + sim::NameOf(result.outcome);
}

std::string EvaluatorText(const env::Evaluator& evaluator) {
  const env::Budget& budget = evaluator.options().budget;
  std::string text = "<opyard.Evaluator of " + ProblemTitle(evaluator.problem()) + ": ";
  text += budget.evaluations.has_value()
              ? std::to_string(evaluator.num_evaluations()) + " of " +
                    CountText(static_cast<std::size_t>(*budget.evaluations), "evaluation")
              : CountText(static_cast<std::size_t>(evaluator.num_evaluations()), "evaluation");
  text += budget.seconds.has_value() ? ", for " + ToText(*budget.seconds) + " s" : "";
  return text + BestText(evaluator) + ">";
}

// An evaluator is one search: what it has counted must stay where it was counted.
py::object RefuseCopy(const PythonEvaluator& /*self*/) {
  throw py::type_error(
      "cannot pickle or copy an Evaluator: its count, its clock and its best plan belong to one "
      "search; expected a new one of the same problem, opyard.Evaluator(evaluator.problem)");
}

// A Python property that reads the evaluator between batches.
template <class Read>
auto Property(Read read) {
  return [read](PythonEvaluator& self) { return self.Between(read); };
}

using EvaluatorClass = py::class_<PythonEvaluator>;

void BindEvaluation(EvaluatorClass& evaluator) {
  evaluator.def(
      "evaluate",
      py::overload_cast<const std::vector<std::shared_ptr<sim::Plan>>&>(&PythonEvaluator::Evaluate),
      py::arg("plans"),
      R"(Evaluates plans in order.

Ctrl-C stops within 0.2 s; what was evaluated until then is remembered.

Args:
    plans: A list of plans.

Returns:
    One dict per plan that was evaluated, fewer than plans when the budget ends: ``outcome``,
    ``score`` (lower is better; infinite if the plan did not complete), ``makespan_s``,
    ``peak_memory_bytes``, ``transfers``.

Raises:
    PlanError: A plan does not fit; those before it are evaluated and remembered.
)");
}

void BindEvaluationOfArrays(EvaluatorClass& evaluator) {
  evaluator
      .def("evaluate_placements",
           &PythonEvaluator::EvaluatePlacements,
           py::arg("placement"),
           py::arg("op_priority") = py::none(),
           py::kw_only(),
           py::arg("fusion_priority") = py::none(),
           py::arg("queue") = py::none(),
           R"(Evaluates plans given as arrays, as `evaluate` does those that `Problem.plan` makes.

It returns arrays and makes no objects per plan. The interpreter's lock is released.

Args:
    placement: [plans, num_ops], of any integer type: the device index of each op.
    op_priority: The same shape: whole numbers in ±2^53, higher runs first; by default all are
        equal.
    fusion_priority: The same shape: whole numbers from 0 to 1,000,000, higher fuses first, 0
        never; by default the problem's `fusion`.
    queue: ``"fifo"`` or ``"priority"``; by default ``"priority"`` if op_priority is given, else
        the problem's `queue`.

Returns:
    Arrays with one entry per plan that was evaluated, fewer than plans when the budget ends:
    ``outcome`` (int64: 1 completed, 2 out of memory, 4 deadlock, as in the `info` of environments),
    ``score`` (float64, lower is better; infinite if the plan did not complete), ``makespan_s``
    (float64), ``peak_memory_bytes`` (int64), ``transfers`` (int64).

Raises:
    InputError: An array of another shape or of other numbers, or a number that no plan holds, by
        its array, row and op; no plan is evaluated.
    PlanError: A plan does not fit, by its row; those before it are evaluated and remembered.
)")
      .def("evaluate_actions",
           &PythonEvaluator::EvaluateActions,
           py::arg("actions"),
           R"(Evaluates the plans that actions stand for, as `evaluate` does.

Args:
    actions: [plans, decisions], of any integer type: an array, or a list of lists.

Raises:
    InputError: They are no whole numbers, or not in two dimensions.
    PlanError: An action is not legal; none is evaluated.
)");
}

void BindStanding(EvaluatorClass& evaluator) {
  evaluator
      .def_property_readonly(
          "num_evaluations",
          Property([](const env::Evaluator& self) { return self.num_evaluations(); }),
          "How many plans were evaluated.")
      .def_property_readonly(
          "num_failures",
          Property([](const env::Evaluator& self) { return self.num_failures(); }),
          "How many of them ran out of memory.")
      .def_property_readonly("is_done",
                             Property([](const env::Evaluator& self) { return self.is_done(); }),
                             "True when no further plan will be evaluated.")
      .def_property_readonly("used_share",
                             Property([](const env::Evaluator& self) { return self.UsedShare(); }),
                             "How much of the budget is used, from 0 to 1; 0 without a budget.")
      .def_property_readonly(
          "history",
          Property(&HistoryDicts),
          "Each improvement in order, a dict with ``evaluations``, ``seconds``, ``score`` and "
          "``makespan_s``.")
      .def_property_readonly("best_plan",
                             Property(&BestPlan),
                             "The best plan so far, the earlier of equals; None before the first.")
      .def_property_readonly(
          "best", Property(&BestEvaluation), "What `evaluate` said of it; None before the first.");
}

}  // namespace

py::dict EvaluationDict(const env::Evaluation& evaluation) {
  return py::dict("outcome"_a = sim::NameOf(evaluation.result.outcome),
                  "score"_a = evaluation.score,
                  "makespan_s"_a = evaluation.result.makespan.seconds(),
                  "peak_memory_bytes"_a = evaluation.result.peak_memory.count,
                  "transfers"_a = evaluation.result.num_transfers);
}

void BindEnv(py::module_& module) {
  EvaluatorClass evaluator(
      module, "Evaluator", R"(Evaluates plans: counts, enforces the budget, remembers the best.

Threads may share it; they take turns. Seconds count from its creation. It is one search, and so can
neither be copied nor pickled.
)");
  evaluator.def(py::init<std::shared_ptr<env::Problem>,
                         std::optional<std::int64_t>,
                         std::optional<double>,
                         std::int64_t>(),
                py::arg("problem").none(false),
                py::kw_only(),
                py::arg("evaluations") = py::none(),
                py::arg("seconds") = py::none(),
                py::arg("threads") = 0,
                R"(Makes an evaluator that has evaluated nothing.

Args:
    problem: What the plans are for.
    evaluations: The most plans that it evaluates, from 1 to 2^40; no limit by default.
    seconds: The most wall time that it takes, from 0.001 to 4.6e6; no limit by default.
    threads: From 1 to 1024, or 0 for one per core; results do not depend on it.

Raises:
    InputError: A budget or a number of threads out of its range.
)");
  evaluator
      .def_property_readonly(
          "problem",
          [](const PythonEvaluator& self) { return self.problem(); },
          "What the plans are for.")
      .def("__repr__", Property(&EvaluatorText))
      .def("__getstate__", &RefuseCopy);
  BindEvaluation(evaluator);
  BindEvaluationOfArrays(evaluator);
  BindStanding(evaluator);
}

}  // namespace opyard::bindings
