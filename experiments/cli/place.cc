#include "experiments/cli/place.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "agents/base/search_run.h"
#include "agents/registry.h"
#include "env/budget.h"
#include "env/eager_run.h"
#include "env/parallel/thread_pool.h"
#include "env/problem.h"
#include "experiments/cli/checkpoint.h"
#include "experiments/cli/problem_arguments.h"
#include "experiments/cli/subcommand.h"
#include "experiments/cli/tracking_arguments.h"
#include "experiments/cli/value_checks.h"
#include "experiments/config/config.h"
#include "experiments/console/console.h"
#include "experiments/console/console_listener.h"
#include "experiments/console/notice_printing.h"
#include "experiments/console/out_file.h"
#include "experiments/explain/host_work.h"
#include "experiments/explain/memory_needs.h"
#include "experiments/explain/report_json.h"
#include "experiments/graphs/import_text.h"
#include "experiments/graphs/measured_text.h"
#include "experiments/graphs/peaks_text.h"
#include "experiments/machines/machine_loading.h"
#include "experiments/matrix/references.h"
#include "experiments/matrix/run_listeners.h"
#include "experiments/text/number_format.h"
#include "experiments/text/terminal.h"
#include "experiments/tracking/tracking_listener.h"
#include "sim/base/error.h"
#include "sim/base/output_file.h"
#include "sim/base/quote.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/io/plan/plan_json.h"

namespace opyard::experiments {
namespace {

struct PlaceOptions {
  std::string graph;
  std::string hardware;
  std::string agent = "auto";       // in the registry
  std::vector<std::string> params;  // "cooling=0.9"
  std::string checkpoint;           // the agent's parameter of that name; empty: not given
  env::ProblemSettings problem;
  env::Budget budget;  // neither limit: kDefaultEvaluations
  std::int64_t seed = 0;
  // The reference of the rewards, in the units of the objective; by default single_device's.
  std::optional<double> reference;
  std::size_t threads = 0;         // 0: one per core; plans do not depend on it
  std::optional<std::string> out;  // the plan file
  bool json = false;
  TrackingOptions tracking;
};

// Prints what the best plan that was seen is worth, and writes it to `out` if that is given.
// kAnswerIsNo if it does not complete, or none was tried.
[[nodiscard]] int Place(const PlaceOptions& options, const Console& console);

// The question, as it was written.
struct PlaceQuestion {
  std::string graph;
  std::string hardware;
  std::string agent;
  std::int64_t seed = 0;
};

// The worth of the best plan of `search`, and where it lacks memory. REQUIRES: some plan was tried.
[[nodiscard]] std::string PlaceJson(const PlaceQuestion& question,
                                    const LoneSearch& search,
                                    const env::Problem& problem,
                                    const std::vector<MemoryNeed>& needs,
                                    const std::optional<sim::SimResult>& eager);

constexpr std::int64_t kLargestInt = std::numeric_limits<std::int64_t>::max();

}  // namespace

void AddPlaceArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      app,
      {.name = "place",
       .summary = "search one plan with one agent",
       .examples = "  opyard place --graph resnet50 --hardware p100x2-pcie --decide-per module:2 "
                   "--contiguous --queue program --fusion none\n"
                   "  opyard place --graph gnmt2 --hardware p100x2-pcie --evaluations 5000 --out "
                   "best.plan.json\n"
                   "  opyard place --graph gnmt2 --hardware p100x2-pcie --agent random "
                   "--objective weighted:1:0.1 --out small.plan.json"});
  const auto options = std::make_shared<PlaceOptions>();
  const auto problem = std::make_shared<ProblemArguments>();
  AddGraphAndMachine(subcommand, options->graph, options->hardware);
  subcommand
      .add_option(
          "--agent", options->agent, "agent (see opyard agents list; default: auto, a portfolio)")
      ->type_name("AGENT");
  subcommand.add_option("--param", options->params, "one parameter of the agent")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  subcommand
      .add_option("--checkpoint",
                  options->checkpoint,
                  "weights to begin with, as opyard train writes them (default: fresh ones)")
      ->type_name("FILE");
  subcommand
      .add_option("--evaluations", options->budget.evaluations, "plans to try (default: 2000)")
      ->check(WholeNumber(1, std::int64_t{1} << 40));
  subcommand.add_option("--seconds", options->budget.seconds, "wall time to spend")
      ->check(PositiveSeconds());
  subcommand.add_option("--seed", options->seed, "seed (default: 0)")
      ->check(WholeNumber(0, kLargestInt));
  subcommand
      .add_option("--reference",
                  options->reference,
                  "score that an agent that learns is rewarded against, in the units of the "
                  "objective (default: that of single_device)")
      ->check(PositiveNumber());
  subcommand.add_option("--threads", options->threads, "threads (default: one per core)")
      ->check(WholeNumber(1, 1024));
  AddProblem(subcommand, *problem);
  subcommand.add_option("--out", options->out, "plan file to write (default: none)")
      ->type_name("PLAN");
  AddTracking(subcommand, options->tracking);
  AddJson(subcommand, options->json);
  subcommand.callback([&command, options, problem] {
    command = [options, problem](const Console& console) {
      options->problem = ToProblem(*problem);
      return Place(*options, console);
    };
  });
}

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
void CheckOut(const PlaceOptions& options, const OutFile& out) {
  if (out.is_standard_output() && IsStandardOutput(options.tracking.lines_file)) {
    throw InputError("--out and --progress-json: found standard output for both");
  }
  if (options.out.has_value()) {
    if (const std::optional<std::string> problem = FindOutputProblem(*options.out)) {
      throw InputError("--out " + *options.out + ": " + *problem);
    }
  }
  if (options.json) {
    out.RefuseJson("--out");
  }
}

LoneSearch Search(const PlaceOptions& options,
                  const std::shared_ptr<const env::Problem>& problem,
                  const agents::AgentRegistry& registry,
                  const SearchListeners& listeners,
                  const Console& console) {
  env::Budget budget = options.budget;
  if (!budget.evaluations.has_value() && !budget.seconds.has_value()) {
    budget.evaluations = kDefaultEvaluations;
  }
  return RunLoneSearch(
      {.problem = problem,
       .agent = options.agent,
       .params = ParamsOf(options),
       .seed = options.seed,
       .budget = budget,
       .num_threads = options.threads == 0 ? env::ThreadPool::DefaultNumThreads() : options.threads,
       .interrupt = &console.interrupt,
       .on_progress = listeners.on_progress,
       .on_update = listeners.on_update},
      options.reference,
      registry);
}

// The same, shown on standard error and written to what --tensorboard and --progress-json name.
LoneSearch FollowedSearch(const PlaceOptions& options,
                          const std::shared_ptr<const env::Problem>& problem,
                          const agents::AgentRegistry& registry,
                          const Console& console) {
  const std::unique_ptr<Tracker> tracker = MakeTracker(options.tracking, console);
  const CellKey cell{.graph = options.graph,
                     .hardware = options.hardware,
                     .agent = options.agent,
                     .seed = options.seed};
  LoneSearch search;
  {
    ConsoleListener shown(console.err,
                          console.err_is_terminal ? ProgressStyle::kBar : ProgressStyle::kLines,
                          DescribeTerminal(console.err_is_terminal).columns);
    std::optional<TrackingListener> tracking;
    std::vector<RunListener*> listeners = {&shown};
    if (tracker != nullptr) {
      listeners.push_back(&tracking.emplace(*tracker));
    }
    RunListeners listener(listeners);
    listener.RunStarted(cell);
    search = Search(options, problem, registry, ListenersOf(cell, listener), console);
  }
  WarnOfLoss(tracker.get(), console);
  return search;
}

// The needs of the best plan, if it runs out of memory.
std::vector<MemoryNeed> NeedsOf(const agents::SearchResult& answer, const env::Problem& problem) {
  return answer.best->evaluation.result.outcome == sim::Outcome::kOutOfMemory
             ? NeedsBeyondCapacity(problem, answer.best->plan)
             : std::vector<MemoryNeed>();
}

// Where a host does most of the work, accelerators are likely missing out.
void NoteHostWork(const agents::SearchResult& answer,
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

// The figure of the same placement without what an eager runtime does not do.
std::string EagerText(const sim::SimResult& eager) {
  const std::string start = "as an eager runtime runs it (queue program, fusion none): ";
  return eager.outcome == sim::Outcome::kCompleted
             ? start + "step time " + TimeText(eager.makespan) + ", peak memory " +
                   BytesText(eager.peak_memory)
             : start + std::string(sim::NameOf(eager.outcome)) + " at " + TimeText(eager.makespan);
}

void PrintText(const PlaceOptions& options,
               const agents::SearchResult& answer,
               const env::Problem& problem,
               const std::optional<sim::SimResult>& eager,
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
  if (eager.has_value()) {
    out << EagerText(*eager) << '\n';
  }
  if (!answer.account.empty()) {
    out << answer.account << '\n';
  }
}

int Place(const PlaceOptions& options, const Console& all) {
  const Console console = ConsoleBeside(options.tracking, options.json, all);
  const OutFile out(options.out.value_or(""), console);
  CheckOut(options, out);
  const agents::AgentRegistry& registry = console.agents;
  const NoticeListener notices = NoticesOn(console);
  // A wrong agent, parameter or task is reported before the graph is loaded.
  CheckCheckpoint(options.checkpoint, options.agent, registry);
  static_cast<void>(registry.Make(options.agent, ParamsOf(options)));
  if (const auto problem =
          agents::FindTaskProblem(registry.Get(options.agent).info, options.problem.tasks)) {
    throw InputError("--tasks: " + *problem);
  }
  const auto problem = std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = LoadGraph(options.graph, notices),
                       .hardware = LoadMachine(options.hardware, notices),
                       .settings = options.problem});
  WarnOfMeasured(options.graph, *problem, notices);
  WarnOfPeaks(options.graph, *problem, notices);
  const LoneSearch search = FollowedSearch(options, problem, registry, all);
  const agents::SearchResult& answer = search.result;
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
  const std::optional<sim::SimResult> eager = env::EagerRunOf(*problem, answer.best->plan);
  if (options.json) {
    console.out << PlaceJson({.graph = options.graph,
                              .hardware = options.hardware,
                              .agent = options.agent,
                              .seed = options.seed},
                             search,
                             *problem,
                             NeedsOf(answer, *problem),
                             eager)
                << '\n';
  } else {
    PrintText(options, answer, *problem, eager, out);
  }
  NoteHostWork(answer, *problem, notices);
  if (answer.was_interrupted) {
    console.err << "interrupted: the plan is the best until then\n";
    return kInterrupted;
  }
  return answer.is_feasible() ? kSuccess : kAnswerIsNo;
}

using Json = nlohmann::ordered_json;

std::string PlaceJson(const PlaceQuestion& question,
                      const LoneSearch& search,
                      const env::Problem& problem,
                      const std::vector<MemoryNeed>& needs,
                      const std::optional<sim::SimResult>& eager) {
  const MeasuredCoverage coverage = MeasuredCoverageOn(problem);
  const agents::SearchResult& answer = search.result;
  const env::Evaluation& best = answer.best->evaluation;
  const auto& reference = search.reference;
  const Json json = {{"graph", question.graph},
                     {"hardware", question.hardware},
                     {"agent", question.agent},
                     {"seed", question.seed},
                     {"outcome", sim::NameOf(best.result.outcome)},
                     {"makespan_s", best.result.makespan.seconds()},
                     {"eager_outcome", eager ? Json(sim::NameOf(eager->outcome)) : Json(nullptr)},
                     {"eager_makespan_s", eager ? Json(eager->makespan.seconds()) : Json(nullptr)},
                     {"score", answer.is_feasible() ? Json(best.score) : Json(nullptr)},
                     {"problem_bound_s", problem.problem_bound().seconds()},
                     {"timed_ops", coverage.num_ops},
                     {"measured_ops", coverage.num_measured},
                     {"peak_memory_bytes", best.result.peak_memory.count},
                     {"transfers", best.result.num_transfers},
                     {"needs", NeedsJson(needs)},
                     {"account", answer.account.empty() ? Json(nullptr) : Json(answer.account)},
                     {"agent_bound", answer.bound ? Json(*answer.bound) : Json(nullptr)},
                     {"evaluations", answer.evaluations},
                     {"failures", answer.failures},
                     {"seconds", answer.seconds},
                     {"cpu_seconds", answer.cpu_seconds},
                     {"reference_score", reference ? Json(reference->score) : Json(nullptr)},
                     {"reference_seconds", reference ? Json(reference->seconds) : Json(nullptr)},
                     {"reference_cpu_seconds",
                      reference ? Json(reference->cpu_seconds.value_or(0.0)) : Json(nullptr)}};
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
