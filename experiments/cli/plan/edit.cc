#include "experiments/cli/plan/edit.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "env/parallel/thread_pool.h"
#include "experiments/cli/plan/plan_answer.h"
#include "experiments/cli/simulated_problem.h"
#include "experiments/cli/subcommand.h"
#include "experiments/cli/value_checks.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/console/out_file.h"
#include "experiments/explain/counterfactuals.h"
#include "experiments/explain/explanation.h"
#include "experiments/explain/explanation_text.h"
#include "experiments/explain/plan_change.h"
#include "experiments/graphs/plan_reading.h"
#include "experiments/plans/plan_edits.h"
#include "experiments/text/number_format.h"
#include "sim/analysis/timeline.h"
#include "sim/base/error.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"

namespace opyard::experiments {
namespace {

constexpr std::int64_t kMostSuggestions = 2 * Counterfactuals::kMostListed;

struct PlanEditOptions {
  SimulatedProblemOptions problem;
  std::string plan;                     // a file
  std::optional<std::int64_t> apply;    // the number of a suggestion, from 1
  std::vector<std::string> places;      // "OP=DEVICE"
  std::vector<std::string> priorities;  // "OP=NUMBER"
  std::string out;                      // the file of the new plan
  bool json = false;
};

// Writes the plan with changes made: first the suggestion, then devices, then priorities, each in
// order. kAnswerIsNo if the new plan does not complete, kInterrupted, and no file, if Ctrl-C came
// while suggestions were sought.
[[nodiscard]] int EditPlan(const PlanEditOptions& options, const Console& console);

}  // namespace

void AddPlanEditArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      group,
      {.name = "edit",
       .summary = "a plan with some decisions changed",
       .examples = "  opyard plan edit best.plan.json --graph gnmt2 --hardware p100x2-pcie "
                   "--apply 1 --out better.plan.json\n"
                   "  opyard plan edit best.plan.json --graph gnmt2 --hardware p100x2-pcie "
                   "--place embedding/Gather=gpu1 --priority embedding/Gather=9 "
                   "--out edited.plan.json"});
  const auto options = std::make_shared<PlanEditOptions>();
  AddPlanArgument(subcommand, options->plan);
  AddSimulatedProblem(subcommand, options->problem);
  subcommand
      .add_option("--apply",
                  options->apply,
                  "the N-th other decision that opyard simulate --explain lists, from 1")
      ->check(WholeNumber(1, kMostSuggestions));
  subcommand
      .add_option("--place", options->places, "an op, and all that share its label, on a device")
      ->type_name("OP=DEVICE")
      ->expected(1)
      ->take_all();
  subcommand.add_option("--priority", options->priorities, "the priority of an op")
      ->type_name("OP=NUMBER")
      ->expected(1)
      ->take_all();
  AddPlanOut(subcommand, options->out);
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &EditPlan);
}

namespace {

// A plan, its run, and the changes that were made to it.
class PlanEdit {
 public:
  PlanEdit(std::shared_ptr<const env::Problem> problem, sim::Plan plan)
      : problem_(std::move(problem)), plan_(std::move(plan)), run_(RunOf(*problem_, plan_)) {}

  [[nodiscard]] const sim::Plan& plan() const { return plan_; }
  [[nodiscard]] const sim::SimReport& run() const { return run_; }
  [[nodiscard]] const std::vector<std::string>& changes() const { return changes_; }

  // False if `interrupt` came first. REQUIRES: nothing was changed before.
  [[nodiscard]] bool Apply(std::int64_t number, const InterruptFlag& interrupt) {
    if (StatusOf(run_) != kSuccess) {
      throw InputError(
          "--apply: found a plan that does not complete, expected one that does: "
          "only of that other decisions are tried");
    }
    const sim::SimulatedStep step = Step();
    const sim::Timeline timeline = sim::BuildTimeline(step);
    const Counterfactuals found = FindCounterfactuals(
        problem_,
        step,
        timeline,
        PathOf(step, timeline),
        {.num_threads = env::ThreadPool::DefaultNumThreads(), .interrupt = &interrupt});
    std::vector<Counterfactual> listed = found.savings;
    listed.insert(listed.end(), found.costs.begin(), found.costs.end());
    if (found.was_interrupted) {
      return false;
    }
    if (number > static_cast<std::int64_t>(listed.size())) {
      throw InputError("--apply: found " + std::to_string(number) + ", expected at most " +
                       std::to_string(listed.size()) +
                       ", the number of other decisions that change the makespan");
    }
    Change(listed[static_cast<std::size_t>(number - 1)].change);
    return true;
  }

  void Change(const PlanChange& change) {
    changes_.push_back(ChangeSentence(Step(), change));
    plan_ = Changed(problem_->graph(), std::move(plan_), change, StartOrder());
  }

  void Prioritise(OpId op, std::int64_t priority) {
    SetOpPriority(op, priority, "--priority", plan_);
    changes_.push_back(OneLine(problem_->graph().op(op).name) + " with priority " +
                       std::to_string(priority));
  }

 private:
  [[nodiscard]] sim::SimulatedStep Step() const {
    return {.graph = problem_->graph(),
            .hardware = problem_->hardware(),
            .routes = problem_->routes(),
            .plan = plan_,
            .report = run_};
  }

  // The order of the run of the plan as it was read: without limits of memory, if these end it.
  [[nodiscard]] std::vector<OpId> StartOrder() const {
    if (StatusOf(run_) == kSuccess || plan_.queue != sim::QueueDiscipline::kOrder) {
      return run_.start_order;
    }
    if (unlimited_.empty()) {
      env::ProblemSpec spec = problem_->spec();
      spec.settings.memory = sim::OnExceed::kIgnore;
      unlimited_ = RunOf(env::Problem(std::move(spec)), plan_).start_order;
    }
    if (unlimited_.size() != problem_->graph().num_ops()) {
      throw InputError(
          "--place: found a plan that ends in a deadlock, expected one whose order can go on: only "
          "its run says where the ops would stand on another device");
    }
    return unlimited_;
  }

  std::shared_ptr<const env::Problem> problem_;
  sim::Plan plan_;
  sim::SimReport run_;  // of the plan as it was read
  std::vector<std::string> changes_;
  mutable std::vector<OpId> unlimited_;
};

void CheckChanges(const PlanEditOptions& options) {
  if (!options.apply.has_value() && options.places.empty() && options.priorities.empty()) {
    throw InputError("opyard plan edit: found no change, expected --apply, --place or --priority");
  }
}

void PrintAnswer(const PlanEdit& edit,
                 const sim::SimReport& after,
                 const PlanEditOptions& options,
                 const OutFile& out,
                 const Console& console) {
  if (options.json) {
    const nlohmann::ordered_json json = {{"changes", edit.changes()},
                                         {"before", OutcomeJson(edit.run())},
                                         {"after", OutcomeJson(after)}};
    console.out << json.dump() << '\n';
    return;
  }
  for (const std::string& change : edit.changes()) {
    out.text() << change << '\n';
  }
  out.text() << "before: " << OutcomeText(edit.run()) << "\nafter: " << OutcomeText(after)
             << "\nplan in " << out.name() << '\n';
}

int EditPlan(const PlanEditOptions& options, const Console& console) {
  CheckChanges(options);
  const OutFile out(options.out, console);
  if (options.json) {
    out.RefuseJson("--out");
  }
  const NoticeListener notices = NoticesOn(console);
  const auto problem = LoadSimulatedProblem(options.problem, notices);
  const sim::OpGraph& graph = problem->graph();
  PlanEdit edit(problem, LoadPlan(options.plan, graph, problem->hardware(), notices));
  if (options.apply.has_value() && !edit.Apply(*options.apply, console.interrupt)) {
    console.err << "interrupted: not all changes of the plan were tried; nothing written\n";
    return kInterrupted;
  }
  for (const std::string& text : options.places) {
    edit.Change(ReadDeviceChange(text, "--place", graph, problem->hardware(), edit.plan()));
  }
  for (const std::string& text : options.priorities) {
    const auto [op, priority] = ReadOpPriority(text, "--priority", graph);
    edit.Prioritise(op, priority);
  }
  const sim::SimReport after = RunOf(*problem, edit.plan());
  WritePlan(*problem, edit.plan(), out);
  PrintAnswer(edit, after, options, out, console);
  return StatusOf(after);
}

}  // namespace
}  // namespace opyard::experiments
