#include "experiments/plans/layouts/export_layout.h"

#include <map>
#include <utility>

#include "experiments/plans/layouts/device_names.h"
#include "experiments/plans/layouts/order_limits.h"
#include "experiments/text/number_format.h"
#include "sim/base/array_index.h"
#include "sim/base/error.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/graph/modules.h"

namespace opyard::experiments {
namespace {

sim::SimReport Simulated(const env::Problem& problem, const sim::Plan& plan) {
  sim::Workspace workspace;
  return problem.simulator().RunReport(plan, workspace);
}

std::vector<ModuleMove> MovesTo(const env::Problem& problem,
                                const sim::ModuleTree& tree,
                                const sim::OpPlacement& before,
                                const sim::OpPlacement& after) {
  std::map<std::pair<std::int32_t, DeviceId>, std::size_t> moved;
  std::vector<std::size_t> all(tree.modules.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    ++all[At(tree.module_of[i])];
    if (before[i] != after[i]) {
      ++moved[{tree.module_of[i], after[i]}];
    }
  }
  std::vector<ModuleMove> moves;
  for (const auto& [to, ops] : moved) {
    moves.push_back({.module = tree.modules[At(to.first)].path,
                     .device = problem.hardware().devices[to.second.index()].name,
                     .ops = ops,
                     .all_ops = all[At(to.first)]});
  }
  return moves;
}

void CheckSchedule(const LayoutTarget& target, const LayoutOptions& options) {
  const bool has_schedule = target.run != ProgramStep;
  if (!has_schedule && options.schedule != StageSchedule::kOfPlan) {
    throw InputError("--schedule: found one, expected none: " + std::string(target.name) +
                     " runs a batch as a whole");
  }
  if (!has_schedule && options.microbatches > 1) {
    throw InputError("--microbatches: found " + std::to_string(options.microbatches) +
                     ", expected 1: " + std::string(target.name) + " runs a batch as a whole");
  }
}

// The export of one plan, and of the nearest one.
class Exporter {
 public:
  Exporter(const env::Problem& problem, const LayoutTarget& target, LayoutOptions options)
      : problem_(problem),
        target_(target),
        options_(std::move(options)),
        tree_(sim::ModuleTreeOf(problem.graph())),
        roles_(RolesOf(problem.graph(), tree_)) {}

  LayoutExport Export(const sim::Plan& plan) {
    LayoutExport result;
    result.run = Simulated(problem_, plan);
    if (result.run.result.outcome != sim::Outcome::kCompleted) {
      result.inexpressible.push_back(
          {.what = "the plan",
           .why = std::string("does not complete: ") + sim::NameOf(result.run.result.outcome)});
    } else {
      Write(plan, result, result.inexpressible);
    }
    if (!result.inexpressible.empty() && options_.nearest) {
      WriteNearest(plan, result);
    }
    return result;
  }

 private:
  [[nodiscard]] LayoutInput InputOf(const sim::Plan& plan, const sim::SimReport& run) const {
    return {.problem = problem_,
            .tree = tree_,
            .roles = roles_,
            .plan = plan,
            .run = run,
            .options = options_};
  }

  // The files and the run of `plan`, unless there is a reason against.
  void Write(const sim::Plan& plan, LayoutExport& result, std::vector<Inexpressible>& reasons) {
    const sim::SimReport run =
        &reasons == &result.inexpressible ? result.run : Simulated(problem_, plan);
    const LayoutInput input = InputOf(plan, run);
    Layout layout = target_.write(input, reasons);
    if (!reasons.empty()) {
      return;
    }
    ScheduledStep step = target_.run(input, reasons);
    if (!reasons.empty()) {
      return;
    }
    result.run_problem = step.graph == problem_.shared_graph()
                             ? std::make_shared<const env::Problem>(problem_.spec())
                             : ProblemOf(step.graph);
    result.run_as_exported = Simulated(*result.run_problem, step.plan);
    result.run_plan = std::move(step.plan);
    result.layout = std::move(layout);
  }

  void WriteNearest(const sim::Plan& plan, LayoutExport& result) {
    sim::Plan rounded{.placement = target_.round(InputOf(plan, result.run)),
                      .queue = sim::QueueDiscipline::kProgram};
    result.moves = MovesTo(problem_, tree_, plan.placement, rounded.placement);
    const bool has_schedule = CountMicrobatches(problem_.graph()) > 1 &&
                              options_.schedule == StageSchedule::kOfPlan &&
                              result.run.result.outcome == sim::Outcome::kCompleted;
    if (has_schedule) {
      Write(InOrderOf(result.run, rounded.placement), result, result.left);
      if (result.left.empty()) {
        return;
      }
      result.left.clear();
      options_.schedule = StageSchedule::kOneForwardOneBackward;
    }
    Write(rounded, result, result.left);
  }

  // The plan in which each device starts its ops in the order of `run`.
  [[nodiscard]] sim::Plan InOrderOf(const sim::SimReport& run,
                                    const sim::OpPlacement& placement) const {
    sim::Plan plan{.placement = placement, .queue = sim::QueueDiscipline::kOrder};
    plan.order.resize(problem_.hardware().num_devices(), {sim::Stream()});
    for (const OpId op : run.start_order) {
      plan.order[placement[op.index()].index()].front().push_back(op);
    }
    return plan;
  }

  [[nodiscard]] std::shared_ptr<const env::Problem> ProblemOf(
      const std::shared_ptr<const sim::OpGraph>& graph) const {
    env::ProblemSpec spec = problem_.spec();
    spec.graph = graph;
    return std::make_shared<const env::Problem>(std::move(spec));
  }

  const env::Problem& problem_;
  const LayoutTarget& target_;
  LayoutOptions options_;
  sim::ModuleTree tree_;
  std::vector<OpRole> roles_;
};

}  // namespace

LayoutExport ExportLayout(const env::Problem& problem,
                          const sim::Plan& plan,
                          const LayoutTarget& target,
                          const LayoutOptions& options) {
  CheckNames(options, problem.hardware(), "--names");
  CheckSchedule(target, options);
  return Exporter(problem, target, options).Export(plan);
}

std::string ReasonsText(const std::vector<Inexpressible>& reasons) {
  std::string text;
  for (const Inexpressible& reason : reasons) {
    text += "  " + OneLine(reason.what) + ": " + OneLine(reason.why) + '\n';
  }
  return text;
}

}  // namespace opyard::experiments
