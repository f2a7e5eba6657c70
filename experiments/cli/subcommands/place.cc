#include "experiments/cli/subcommands/place.h"

#include <optional>

#include "agents/registry.h"
#include "env/parallel/thread_pool.h"
#include "env/problem.h"
#include "experiments/cli/json/place_answer.h"
#include "experiments/console/notice_printing.h"
#include "experiments/console/out_file.h"
#include "experiments/explain/host_work.h"
#include "experiments/explain/memory_needs.h"
#include "experiments/graphs/import_text.h"
#include "experiments/graphs/measured_text.h"
#include "experiments/graphs/peaks_text.h"
#include "experiments/machines/machine_loading.h"
#include "experiments/matrix/references.h"
#include "experiments/text/number_format.h"
#include "sim/base/error.h"
#include "sim/base/output_file.h"
#include "sim/base/quote.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/io/plan/plan_json.h"

namespace opyard::experiments {
namespace {

Options ParamsOf(const PlaceOptions& options) {
  Options params;
  Diagnostics diagnostics;
  for (const std::string& word : options.params) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      diagnostics.AddError("--param", "found " + Quoted(word) + ", expected NAME=VALUE");
      continue;
    }
    params.Set(word.substr(0, equals), ParseOptionValue(word.substr(equals + 1)));
  }
  diagnostics.ThrowIfAny();
  if (!options.checkpoint.empty()) {
    params.Set("checkpoint", options.checkpoint);
  }
  return params;
}

// A search may be long: where its plan goes is checked before.
void CheckOut(const std::string& out) {
  if (const std::optional<std::string> problem = FindOutputProblem(out)) {
    throw InputError("--out " + out + ": " + *problem);
  }
}

SearchAnswer Search(const PlaceOptions& options,
                    const std::shared_ptr<const env::Problem>& problem,
                    const agents::AgentRegistry& registry,
                    const Console& console) {
  env::Budget budget = options.budget;
  if (!budget.evaluations.has_value() && !budget.seconds.has_value()) {
    budget.evaluations = kDefaultEvaluations;
  }
  return RunLoneSearch(
      {.problem = problem,
       .agent = {.label = options.agent, .name = options.agent, .params = ParamsOf(options)},
       .seed = options.seed,
       .budget = budget,
       .num_threads = options.threads == 0 ? env::ThreadPool::DefaultNumThreads() : options.threads,
       .interrupt = &console.interrupt,
       .on_progress = {}},
      options.reference,
      registry);
}

// Of the best plan, if it runs out of memory.
std::vector<MemoryNeed> NeedsOf(const SearchAnswer& answer, const env::Problem& problem) {
  return answer.best->evaluation.result.outcome == sim::Outcome::kOutOfMemory
             ? NeedsBeyondCapacity(problem, answer.best->plan)
             : std::vector<MemoryNeed>();
}

// Where a host does most of the work, accelerators are likely missing out.
void NoteHostWork(const SearchAnswer& answer,
                  const env::Problem& problem,
                  const NoticeListener& notices) {
  if (!answer.is_feasible()) {
    return;
  }
  sim::Workspace workspace;
  const sim::SimReport report = problem.simulator().RunReport(answer.best->plan, workspace);
  if (const std::string note = HostWorkText(HostWorkOf(problem, report)); !note.empty()) {
    notices({.kind = NoticeKind::kNote, .text = note});
  }
}

void PrintText(const PlaceOptions& options,
               const SearchAnswer& answer,
               const env::Problem& problem,
               const OutFile& file) {
  const sim::SimResult& result = answer.best->evaluation.result;
  std::ostream& out = file.text();
  const std::string mixed = MixedTimesText(problem);
  out << options.agent << ": ";
  if (answer.is_feasible()) {
    out << "step time " << TimeText(result.makespan) << " (no plan is faster than "
        << TimeText(problem.problem_bound()) << (mixed.empty() ? "" : ", a bound that " + mixed)
        << "), peak memory " << BytesText(result.peak_memory) << ", "
        << Counted(result.num_transfers, "transfer");
    if (options.problem.objective.kind == env::ObjectiveKind::kWeighted) {
      out << ", weighted score " << Fixed(answer.best->evaluation.score, 4) << " (no unit)";
    }
  } else {
    out << "no plan that was tried completes: " << sim::NameOf(result.outcome) << " at "
        << TimeText(result.makespan) << " for the one that ran longest";
    const std::vector<MemoryNeed> needs = NeedsOf(answer, problem);
    if (!needs.empty()) {
      out << ", which " << NeedsText(needs) << "; the whole graph "
          << OneDeviceText(problem.graph());
    }
  }
  out << "; " << Counted(answer.evaluations, "evaluation") << " in " << Fixed(answer.seconds, 2)
      << " s (" << Fixed(answer.cpu_seconds, 2) << " CPU s)"
      << (options.out.has_value() ? "; plan in " + file.name() : "") << '\n';
  if (!answer.account.empty()) {
    out << answer.account << '\n';
  }
}

}  // namespace

int Place(const PlaceOptions& options, const Console& console) {
  const OutFile out(options.out.value_or(""), console);
  if (options.out.has_value()) {
    CheckOut(*options.out);
  }
  if (options.json) {
    out.RefuseJson("--out");
  }
  const agents::AgentRegistry& registry = console.agents;
  const NoticeListener notices = NoticesOn(console);
  // A wrong agent, parameter or task is reported before the graph is loaded.
  static_cast<void>(registry.Make(options.agent, ParamsOf(options)));
  if (const auto problem =
          agents::FindTaskProblem(registry.Get(options.agent).info, options.problem.tasks)) {
    throw InputError("--tasks: " + *problem);
  }
  const auto problem = std::make_shared<const env::Problem>(SpecOf(
      options.problem, LoadGraph(options.graph, notices), LoadMachine(options.hardware, notices)));
  WarnOfMeasured(options.graph, *problem, notices);
  WarnOfPeaks(options.graph, *problem, notices);
  const SearchAnswer answer = Search(options, problem, registry, console);
  if (!answer.failure.empty()) {
    console.err << answer.failure << (options.out.has_value() ? "; nothing written" : "") << '\n';
    return answer.was_interrupted ? kInterrupted : kAnswerIsNo;
  }
  if (!answer.best.has_value()) {
    console.err << options.agent << ": no plan was tried within the budget"
                << (options.out.has_value() ? "; nothing written" : "") << '\n';
    return answer.was_interrupted ? kInterrupted : kAnswerIsNo;
  }
  if (options.out.has_value()) {
    out.Write(sim::WritePlanText(answer.best->plan, problem->graph(), problem->hardware()));
  }
  if (options.json) {
    console.out << PlaceJson({.graph = options.graph,
                              .hardware = options.hardware,
                              .agent = options.agent,
                              .seed = options.seed},
                             answer,
                             *problem,
                             NeedsOf(answer, *problem))
                << '\n';
  } else {
    PrintText(options, answer, *problem, out);
  }
  NoteHostWork(answer, *problem, notices);
  if (answer.was_interrupted) {
    console.err << "interrupted: the plan is the best until then\n";
    return kInterrupted;
  }
  return answer.is_feasible() ? kSuccess : kAnswerIsNo;
}

}  // namespace opyard::experiments
