#include <optional>

#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "env/action_codec.h"
#include "env/baseline_plans.h"
#include "env/evaluator.h"
#include "experiments/explain/report_json.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/engine/simulator.h"
#include "sim/engine/workspace.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

env::DefaultFusion ToDefaultFusion(const std::string& name) {
  if (name != "framework" && name != "none") {
    throw InputError("fusion: found " + Quoted(name) + ", expected framework, none");
  }
  return name == "framework" ? env::DefaultFusion::kFramework : env::DefaultFusion::kNone;
}

std::shared_ptr<env::Problem> MakeProblem(const GraphOrReference& graph,
                                          const MachineOrReference& hardware,
                                          const std::vector<std::string>& tasks,
                                          const ObjectiveSpec& objective,
                                          const GroupSpec& group,
                                          const std::string& fusion) {
  const py::gil_scoped_release released;
  const GroupRule rule = ToGroupRule(group);
  return std::make_shared<env::Problem>(env::ProblemSpec{.graph = ToGraph(graph),
                                                         .hardware = ToMachine(hardware),
                                                         .tasks = ToTasks(tasks),
                                                         .objective = ToObjective(objective),
                                                         .default_fusion = ToDefaultFusion(fusion),
                                                         .decide_per = rule.decide_per,
                                                         .max_groups = rule.max_groups});
}

// What `opyard simulate --ops --json` prints, by the same code.
py::dict Simulate(const env::Problem& problem, const sim::Plan& plan) {
  std::string json;
  {
    const py::gil_scoped_release released;
    sim::Workspace workspace;
    const sim::SimReport report = problem.simulator().RunReport(plan, workspace);
    json = experiments::ReportJson(
        report, plan, problem.graph(), problem.hardware(), experiments::OpDetail::kWithOps);
  }
  return py::module_::import("json").attr("loads")(json);
}

py::dict EvaluationDict(const env::Evaluation& evaluation) {
  return py::dict("outcome"_a = sim::NameOf(evaluation.result.outcome),
                  "score"_a = evaluation.score,
                  "makespan_s"_a = evaluation.result.makespan.seconds(),
                  "peak_memory_bytes"_a = evaluation.result.peak_memory.count,
                  "transfers"_a = evaluation.result.num_transfers);
}

// An evaluator as Python threads may share it, with the flag that Ctrl-C raises.
class PythonEvaluator {
 public:
  PythonEvaluator(std::shared_ptr<env::Problem> problem,
                  std::optional<std::int64_t> evaluations,
                  std::optional<double> seconds,
                  std::int64_t num_threads)
      : codec_(problem),
        evaluator_(problem,
                   env::EvaluatorOptions{.budget = {.evaluations = evaluations, .seconds = seconds},
                                         .num_threads = NumThreads(num_threads),
                                         .interrupt = &interrupt_}) {}

  py::list Evaluate(const std::vector<sim::Plan>& plans) {
    const TurnGuard turn(mutex_);
    std::vector<env::Evaluation> evaluations;
    interrupt_.Clear();
    RunInterruptibly(interrupt_, [&] { evaluations = evaluator_.Evaluate(plans); });
    py::list dicts;
    for (const env::Evaluation& evaluation : evaluations) {
      dicts.append(EvaluationDict(evaluation));
    }
    return dicts;
  }

  // `actions`: [num_plans, num_decisions].
  py::list EvaluateActions(const py::array_t<std::int32_t, py::array::c_style>& actions) {
    if (actions.ndim() != 2) {
      throw InputError("actions: found " + std::to_string(actions.ndim()) +
                       " dimensions, expected two: [plans, decisions]");
    }
    const auto num_decisions = static_cast<std::size_t>(actions.shape(1));
    std::vector<sim::Plan> plans;
    for (py::ssize_t i = 0; i < actions.shape(0); ++i) {
      plans.push_back(codec_.Decode(std::span(actions.data(i, 0), num_decisions)));
    }
    return Evaluate(plans);
  }

  // What `read` makes of the evaluator, between two batches of whichever thread.
  template <class Read>
  auto Between(Read read) {
    const TurnGuard turn(mutex_);
    return read(static_cast<const env::Evaluator&>(evaluator_));
  }

 private:
  static std::size_t NumThreads(std::int64_t asked) {
    if (asked < 0 || asked > 1024) {
      throw InputError("threads: found " + std::to_string(asked) +
                       ", expected 1 to 1024, or 0 for one per core");
    }
    return asked == 0 ? env::ThreadPool::DefaultNumThreads() : static_cast<std::size_t>(asked);
  }

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
  return best.has_value() ? std::optional(best->plan) : std::nullopt;
}

py::object BestEvaluation(const env::Evaluator& evaluator) {
  const auto& best = evaluator.best();
  return best.has_value() ? py::object(EvaluationDict(best->evaluation)) : py::none();
}

// A Python property that reads the evaluator between batches.
template <class Read>
auto Property(Read read) {
  return [read](PythonEvaluator& self) { return self.Between(read); };
}

void BindProblem(py::module_& module) {
  py::class_<env::Problem, std::shared_ptr<env::Problem>>(
      module, "Problem", "A graph, a machine, the open decisions and the objective.")
      .def(py::init(&MakeProblem),
           py::arg("graph"),
           py::arg("hardware"),
           py::kw_only(),
           py::arg("tasks") = std::vector<std::string>{"placement"},
           py::arg("objective") = ObjectiveSpec("makespan"),
           py::arg("group") = GroupSpec("colocation"),
           py::arg("fusion") = "framework",
           "graph, hardware: objects or references. tasks: \"placement\", \"scheduling\",\n"
           "\"fusion\". objective: \"makespan\", \"peak_memory\" or {\"weighted\": {...}}. group:\n"
           "\"colocation\", \"none\" or the greatest number of groups. fusion: where it is no\n"
           "task, what \"framework\"s do, which is all that may, or \"none\".")
      .def_property_readonly("problem_bound_s",
                             [](const env::Problem& p) { return p.problem_bound().seconds(); })
      .def_property_readonly("num_groups",
                             [](const env::Problem& p) { return p.grouping().num_groups; })
      .def_property_readonly("group_of_op",
                             [](const env::Problem& p) { return p.grouping().group_of; })
      .def_property_readonly(
          "num_choices",
          [](const std::shared_ptr<env::Problem>& p) {
            const env::ActionCodec codec(p);
            return std::vector(codec.num_choices().begin(), codec.num_choices().end());
          },
          "How many choices each decision of an action has.")
      .def(
          "plan_of_action",
          [](const std::shared_ptr<env::Problem>& p, const py::object& action) {
            const auto numbers = FindAction(action);
            if (!numbers.has_value()) {
              throw PlanError("action#: expected a flat list of whole numbers");
            }
            return env::ActionCodec(p).Decode(*numbers);
          },
          py::arg("action"),
          "The plan that an action stands for. Raises PlanError for an illegal one.")
      .def("baseline_plans", &env::BaselinePlans, "Simple rule-based plans, none of them searched.")
      .def("simulate",
           &Simulate,
           py::arg("plan"),
           "One simulation as a dict with the fields of `opyard simulate --ops --json`.");
  module.def(
      "simulate",
      [](const GraphOrReference& graph, const MachineOrReference& hardware, const sim::Plan& plan) {
        const std::string fusion = plan.fusion_priority.empty() ? "none" : "framework";
        return Simulate(
            *MakeProblem(graph, hardware, {"placement"}, "makespan", "colocation", fusion), plan);
      },
      py::arg("graph"),
      py::arg("hardware"),
      py::arg("plan"),
      "Simulates one plan: a dict with the fields of `opyard simulate --ops --json`.");
}

}  // namespace

void BindEnv(py::module_& module) {
  BindProblem(module);
  py::class_<PythonEvaluator>(
      module, "Evaluator", "Judges plans: counts, enforces the budget, remembers the best.")
      .def(py::init<std::shared_ptr<env::Problem>,
                    std::optional<std::int64_t>,
                    std::optional<double>,
                    std::int64_t>(),
           py::arg("problem"),
           py::kw_only(),
           py::arg("evaluations") = py::none(),
           py::arg("seconds") = py::none(),
           py::arg("threads") = 0,
           "evaluations, seconds: the budget. threads: 0 for one per core; results do not\n"
           "depend on it.")
      .def("evaluate",
           &PythonEvaluator::Evaluate,
           py::arg("plans"),
           "Judges plans in order: one dict each, fewer when the budget ends. Ctrl-C stops within\n"
           "0.2 s; what was judged until then is remembered. Raises PlanError.")
      .def("evaluate_actions",
           &PythonEvaluator::EvaluateActions,
           py::arg("actions"),
           "The same for actions: int32 array [plans, decisions].")
      .def_property_readonly("num_evaluations", Property([](const env::Evaluator& evaluator) {
                               return evaluator.num_evaluations();
                             }))
      .def_property_readonly(
          "num_failures",
          Property([](const env::Evaluator& evaluator) { return evaluator.num_failures(); }),
          "Evaluations that ran out of memory.")
      .def_property_readonly(
          "is_done", Property([](const env::Evaluator& evaluator) { return evaluator.is_done(); }))
      .def_property_readonly("history", Property(&HistoryDicts), "Each improvement, in order.")
      .def_property_readonly("best_plan", Property(&BestPlan))
      .def_property_readonly("best", Property(&BestEvaluation));
}

}  // namespace opyard::bindings
