#include "experiments/runner/command_line/command_line_parser.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>

#include <CLI/CLI.hpp>

#include "experiments/runner/command_line/command_line_checks.h"
#include "experiments/runner/command_line/command_line_completion.h"
#include "experiments/runner/command_line/command_line_convert.h"
#include "experiments/runner/command_line/command_line_examples.h"
#include "experiments/runner/command_line/command_line_export.h"
#include "experiments/runner/command_line/command_line_graph.h"
#include "experiments/runner/command_line/command_line_refusal.h"
#include "experiments/runner/verbs/agents.h"
#include "experiments/runner/verbs/bench_sim.h"
#include "experiments/runner/verbs/doctor.h"
#include "experiments/runner/verbs/place.h"
#include "experiments/runner/verbs/profile.h"
#include "experiments/runner/verbs/results.h"
#include "experiments/runner/verbs/run.h"
#include "experiments/runner/verbs/simulate.h"
#include "experiments/runner/verbs/validate.h"
#include "experiments/runner/version.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

constexpr std::int64_t kLargestInt = std::numeric_limits<std::int64_t>::max();

// What the chosen verb leaves behind: the call to make.
struct Chosen {
  Command command;
};

template <class VerbOptions>
void Choose(CLI::App& verb,
            Chosen& chosen,
            const std::shared_ptr<VerbOptions>& options,
            int (*run)(const VerbOptions&, const Console&)) {
  verb.callback([&chosen, options, run] {
    chosen.command = [options, run](const Console& console) { return run(*options, console); };
  });
}

CLI::Option& AddJson(CLI::App& verb, bool& json) {
  return *verb.add_flag("--json", json, "print JSON");
}

void AddRun(CLI::App& app, Chosen& chosen) {
  CLI::App& verb =
      *app.add_subcommand("run", "run an experiment: graphs x machines x agents x seeds");
  verb.alias("sweep");
  const auto options = std::make_shared<RunOptions>();
  verb.add_option("experiment", options->experiment, "experiment file, or a shipped one's name")
      ->required()
      ->type_name("EXPERIMENT");
  verb.add_option("--out", options->out, "results folder (default: results/NAME)")
      ->type_name("DIR");
  verb.add_option(
          "--jobs", options->jobs, "runs at once; the cores are shared among them (default: 1)")
      ->check(WholeNumber(1, 1024));
  verb.add_flag("--resume", options->resume, "go on with the results in the folder");
  verb.add_option("--set", options->overrides, "override one key, e.g. budget.seconds=10")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  verb.add_flag("--quiet", options->quiet, "no progress");
  AddJson(verb, options->json);
  Choose(verb, chosen, options, &RunExperiment);
}

void AddValidate(CLI::App& app, Chosen& chosen) {
  CLI::App& verb = *app.add_subcommand("validate", "simulate every stored plan again");
  const auto options = std::make_shared<ValidateOptions>();
  verb.add_option("results", options->results, "results folder or file")
      ->required()
      ->type_name("RESULTS");
  AddJson(verb, options->json);
  Choose(verb, chosen, options, &ValidateResults);
}

void AddPair(CLI::App& verb, std::string& graph, std::string& hardware) {
  verb.add_option("--graph", graph, "graph file, name or family")->required()->type_name("GRAPH");
  verb.add_option("--hardware", hardware, "machine file or name")->required()->type_name("MACHINE");
}

// The words of `place` whose meaning is more than a number.
struct PlaceWords {
  std::optional<std::string> tasks;
  std::string objective = "makespan";
  std::string queue = "fifo";
  std::string fusion = "framework";
  std::string decide_per = "group";
};

env::Objective ObjectiveNamed(const std::string& text, ProblemList& problems) {
  if (text == "makespan") {
    return {};
  }
  if (text == "peak_memory") {
    return {.kind = env::ObjectiveKind::kPeakMemory};
  }
  const std::vector<std::string> parts = CLI::detail::split(text, ':');
  env::Objective objective{.kind = env::ObjectiveKind::kWeighted};
  if (parts.size() == 3 && parts[0] == "weighted") {
    const OptionValue makespan = ParseOptionValue(parts[1]);
    const OptionValue memory = ParseOptionValue(parts[2]);
    Options weights({{"makespan", makespan}, {"peak_memory", memory}});
    constexpr double kHeaviest = 1e9;
    objective.makespan_weight = weights.Double("makespan", 0.0, 0.0, kHeaviest);
    objective.peak_memory_weight = weights.Double("peak_memory", 0.0, 0.0, kHeaviest);
    if (objective.makespan_weight + objective.peak_memory_weight > 0.0) {
      return objective;
    }
  }
  problems.Add("--objective",
               "found " + Quoted(text) +
                   ", expected makespan, peak_memory or weighted:A:B with a weight above 0, for "
                   "A x makespan / lower bound + B x peak memory / largest device");
  return {};
}

void Apply(const PlaceWords& words, ProblemConfig& problem) {
  ProblemList problems;
  if (words.tasks.has_value()) {
    problem.tasks = TasksNamed(CLI::detail::split(*words.tasks, ','), "--tasks", problems);
  }
  problem.objective = ObjectiveNamed(words.objective, problems);
  problem.default_queue =
      words.queue == "fifo" ? sim::QueueDiscipline::kFifo : sim::QueueDiscipline::kPriority;
  problem.default_fusion =
      words.fusion == "none" ? env::DefaultFusion::kNone : env::DefaultFusion::kFramework;
  problem.decide_per = words.decide_per == "op" ? env::DecidePer::kOp : env::DecidePer::kGroup;
  problems.ThrowIfAny();
}

void AddProblem(CLI::App& verb, PlaceOptions& options, PlaceWords& words) {
  verb.add_option("--tasks", words.tasks, "what is decided (default: placement,scheduling)")
      ->type_name("TASK,…");
  verb.add_option(
          "--objective",
          words.objective,
          "makespan (seconds), peak_memory (bytes), or weighted:A:B for A x makespan / lower "
          "bound + B x peak memory / largest device, a number without unit")
      ->type_name("OBJECTIVE");
  verb.add_option("--queue", words.queue, "queues where scheduling is not decided: fifo, priority")
      ->check(CLI::IsMember({"fifo", "priority"}))
      ->type_name("QUEUE");
  verb.add_option("--fusion",
                  words.fusion,
                  "fusion where it is not decided: framework (all that may), none")
      ->check(CLI::IsMember({"framework", "none"}))
      ->type_name("FUSION");
  verb.add_option("--decide-per", words.decide_per, "unit of decision: group, op")
      ->check(CLI::IsMember({"group", "op"}))
      ->type_name("UNIT");
  verb.add_option("--max-groups", options.problem.max_groups, "most groups (default: 512)")
      ->check(WholeNumber(1, 1'000'000));
}

void AddPlace(CLI::App& app, Chosen& chosen) {
  CLI::App& verb = *app.add_subcommand("place", "search one plan with one agent");
  const auto options = std::make_shared<PlaceOptions>();
  const auto words = std::make_shared<PlaceWords>();
  AddPair(verb, options->graph, options->hardware);
  verb.add_option("--agent", options->agent, "agent (see opyard agents list)")
      ->required()
      ->type_name("AGENT");
  verb.add_option("--param", options->params, "one parameter of the agent")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  verb.add_option("--evaluations", options->budget.evaluations, "plans to try (default: 2000)")
      ->check(WholeNumber(1, std::int64_t{1} << 40));
  verb.add_option("--seconds", options->budget.seconds, "wall time to spend")
      ->check(PositiveSeconds());
  verb.add_option("--seed", options->seed, "seed (default: 0)")->check(WholeNumber(0, kLargestInt));
  verb.add_option("--threads", options->threads, "threads (default: one per core)")
      ->check(WholeNumber(1, 1024));
  AddProblem(verb, *options, *words);
  verb.add_option("--out", options->out, "plan file to write (default: none)")->type_name("PLAN");
  AddJson(verb, options->json);
  verb.callback([&chosen, options, words] {
    chosen.command = [options, words](const Console& console) {
      Apply(*words, options->problem);
      return Place(*options, console);
    };
  });
}

void AddSimulate(CLI::App& app, Chosen& chosen) {
  CLI::App& verb = *app.add_subcommand("simulate", "execute one plan");
  const auto options = std::make_shared<SimulateOptions>();
  AddPair(verb, options->graph, options->hardware);
  verb.add_option("--plan", options->plan, "plan file")->required()->type_name("PLAN");
  verb.add_flag("--ops", options->ops, "start and finish of each op");
  verb.add_flag("--explain",
                options->explain,
                "why it takes so long: the critical path in words, idle time by reason, what fills "
                "the memory, what if, and the decisions that matter most (on all cores)");
  verb.add_option("--trace",
                  options->trace,
                  "write a timeline for ui.perfetto.dev and chrome://tracing (.json or .json.gz)")
      ->type_name("FILE");
  CLI::Option& gantt = *verb.add_flag("--gantt", options->gantt, "draw a timeline of characters");
  verb.add_option("--width", options->width, "columns of the drawing (default: the terminal's)")
      ->check(WholeNumber(20, 1000))
      ->needs(&gantt);
  AddJson(verb, options->json).excludes(&gantt);
  Choose(verb, chosen, options, &Simulate);
}

void AddGraph(CLI::App& app, Chosen& chosen) {
  CLI::App& group = *app.add_subcommand("graph", "graphs")->require_subcommand(1);
  AddGraphVerbs(group, chosen.command);
  AddGraphConvert(group, chosen.command);
}

void AddProfileVerb(CLI::App& group,
                    Chosen& chosen,
                    const std::string& name,
                    const std::string& help,
                    int (*run)(const ProfileOptions&, const Console&)) {
  CLI::App& verb = *group.add_subcommand(name, help);
  const auto options = std::make_shared<ProfileOptions>();
  verb.add_option("profile", options->profile, "device or machine: file or name")
      ->required()
      ->type_name("PROFILE");
  AddJson(verb, options->json);
  Choose(verb, chosen, options, run);
}

void AddProfile(CLI::App& app, Chosen& chosen) {
  CLI::App& group = *app.add_subcommand("profile", "hardware profiles")->require_subcommand(1);
  CLI::App& list = *group.add_subcommand("list", "the shipped devices and machines");
  const auto options = std::make_shared<ProfileListOptions>();
  AddJson(list, options->json);
  Choose(list, chosen, options, &PrintProfileList);
  AddProfileVerb(group, chosen, "validate", "check a device or machine file", &ValidateProfile);
  AddProfileVerb(group, chosen, "show", "devices, routes, sources of a profile", &ShowProfile);
}

void AddAgents(CLI::App& app, Chosen& chosen) {
  CLI::App& group = *app.add_subcommand("agents", "agents")->require_subcommand(1);
  CLI::App& list = *group.add_subcommand("list", "all agents");
  const auto list_options = std::make_shared<AgentsListOptions>();
  AddJson(list, list_options->json);
  Choose(list, chosen, list_options, &PrintAgentsList);
  CLI::App& show = *group.add_subcommand("show", "one agent");
  const auto show_options = std::make_shared<AgentsShowOptions>();
  show.add_option("name", show_options->name, "agent")->required()->type_name("AGENT");
  AddJson(show, show_options->json);
  Choose(show, chosen, show_options, &PrintAgent);
}

void AddResults(CLI::App& app, Chosen& chosen) {
  CLI::App& group = *app.add_subcommand("results", "stored results")->require_subcommand(1);
  CLI::App& verb = *group.add_subcommand("export", "runs, histories, training curves as CSV");
  const auto options = std::make_shared<ResultsExportOptions>();
  verb.add_option("results", options->results, "results folder or file")
      ->required()
      ->type_name("RESULTS");
  verb.add_option("--out", options->out, "folder to write the tables to")
      ->required()
      ->type_name("DIR");
  Choose(verb, chosen, options, &ExportResults);
}

void AddDoctorAndBench(CLI::App& app, Chosen& chosen) {
  CLI::App& doctor = *app.add_subcommand("doctor", "check this installation");
  const auto doctor_options = std::make_shared<DoctorOptions>();
  AddJson(doctor, doctor_options->json);
  Choose(doctor, chosen, doctor_options, &Doctor);
  CLI::App& bench = *app.add_subcommand("bench", "benchmarks")->require_subcommand(1);
  CLI::App& sim =
      *bench.add_subcommand("sim", "ops per second of the simulator, fastest batch of each case");
  const auto sim_options = std::make_shared<BenchSimOptions>();
  AddJson(sim, sim_options->json);
  sim.add_flag("--quick", sim_options->quick, "shorter measurements");
  Choose(sim, chosen, sim_options, &BenchSim);
}

void AddVerbs(CLI::App& app, Chosen& chosen) {
  app.require_subcommand(1);
  AddRun(app, chosen);
  AddValidate(app, chosen);
  AddResults(app, chosen);
  AddPlace(app, chosen);
  AddSimulate(app, chosen);
  AddGraph(app, chosen);
  AddProfile(app, chosen);
  AddAgents(app, chosen);
  AddExport(app, chosen.command);
  AddDoctorAndBench(app, chosen);
  AddCompletion(app, chosen.command);
  for (CLI::App* group : app.get_subcommands({})) {
    if (const std::vector<std::string> names = VerbNames(*group); !names.empty()) {
      group->description(group->get_description() + ": " + JoinNames(names));
    }
  }
}

Command Print(std::string text) {
  return [text = std::move(text)](const Console& console) {
    console.out << text;
    return kSuccess;
  };
}

std::unique_ptr<CLI::App> MakeApp(Chosen& chosen) {
  auto app = std::make_unique<CLI::App>(
      "place, schedule and simulate training graphs on machines with several devices", "opyard");
  app->set_version_flag("--version", std::string("opyard ") + Version());
  AddVerbs(*app, chosen);
  AddExamples(*app);
  return app;
}

// What the scripts of `opyard completion` ask for.
Command PrintCandidates(std::vector<std::string> words) {
  return [words = std::move(words)](const Console& console) {
    Chosen unused;
    for (const std::string& candidate : Candidates(*MakeApp(unused), words, console.agents)) {
      console.out << candidate << '\n';
    }
    return kSuccess;
  };
}

}  // namespace

Command ParseCommandLine(const std::vector<std::string>& args) {
  Chosen chosen;
  const std::unique_ptr<CLI::App> owner = MakeApp(chosen);
  CLI::App& app = *owner;
  if (!args.empty() && args.front() == kCompleteVerb) {
    return PrintCandidates({args.begin() + 1, args.end()});
  }
  CheckWords(app, args);
  // CLI11 takes the arguments from the back, and reports through exceptions of its own.
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    static_cast<void>(app.exit(success, text, text));
    return Print(text.str());
  } catch (const CLI::ParseError& error) {
    RefuseCommand(app, args, error.what());
  }
  return chosen.command;
}

}  // namespace opyard::experiments
