// opyard._core.search: one search of one agent; opyard.search is its face.
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include <pybind11/stl.h>

#include "agents/base/agent_info.h"
#include "agents/base/search_start.h"
#include "agents/missing_learned.h"
#include "agents/registry.h"
#include "bindings/bindings.h"
#include "bindings/interruptible.h"
#include "bindings/search_progress.h"
#include "env/eager_run.h"
#include "experiments/external/plugin_agents.h"
#include "experiments/external/python_agents.h"
#include "experiments/matrix/references.h"
#include "sim/base/error.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

py::dict OptionDict(const agents::OptionInfo& option) {
  py::object range = py::none();
  if (option.range.has_value()) {
    range = py::make_tuple(option.range->low, option.range->high);
  }
  return py::dict("name"_a = option.name,
                  "default"_a = option.default_value,
                  "range"_a = range,
                  "allowed"_a = option.allowed,
                  "meaning"_a = option.meaning,
                  "paper"_a = option.paper);
}

// By the name of a check that was made already: whether what it is about is there, and what it
// found.
using FoundPackages = std::map<std::string, std::pair<bool, std::string>>;

std::vector<agents::AgentCheck> ChecksOf(const FoundPackages& found) {
  std::vector<agents::AgentCheck> checks;
  for (const auto& [name, package] : found) {
    checks.push_back({.name = name, .run = [package = package] {
                        const auto& [is_there, detail] = package;
                        return is_there ? detail : throw UnsupportedError(detail);
                      }});
  }
  return checks;
}

py::list OptionDicts(const agents::AgentInfo& info) {
  py::list options;
  for (const agents::OptionInfo& option : info.options) {
    options.append(OptionDict(option));
  }
  return options;
}

py::list InfosOf(const agents::AgentRegistry& registry) {
  std::vector<agents::AgentInfo> all;
  {
    const py::gil_scoped_release released;  // those in Python have to be loaded
    all = agents::InfosOf(registry);
  }
  py::list infos;
  for (const agents::AgentInfo& info : all) {
    infos.append(py::dict("name"_a = info.name,
                          "kind"_a = NameOf(info.kind),
                          "tasks"_a = info.tasks,
                          "start"_a = info.start,
                          "paper"_a = info.paper,
                          "summary"_a = info.summary,
                          "deviations"_a = info.deviations,
                          "options"_a = OptionDicts(info)));
  }
  return infos;
}

// Asks for each type itself: pybind11's variant would take None for false and a float32 for true.
OptionValue ToOption(const std::string& name, const py::handle& value) {
  if (PyBool_Check(value.ptr()) != 0) {
    return py::cast<bool>(value);
  }
  if (py::isinstance<py::str>(value)) {
    return py::cast<std::string>(value);
  }
  if (PyIndex_Check(value.ptr()) != 0) {
    try {
      return py::cast<std::int64_t>(value);
    } catch (const py::cast_error&) {
      throw InputError("params/" + name + ": found " + py::cast<std::string>(py::str(value)) +
                       ", expected a whole number of 64 bits");
    }
  }
  if (PyNumber_Check(value.ptr()) != 0) {
    return py::cast<double>(py::float_(py::reinterpret_borrow<py::object>(value)));
  }
  throw py::type_error("params/" + name + ": expected a bool, an int, a float or a str");
}

Options ToOptions(const py::dict& params) {
  Options options;
  for (const auto& [key, value] : params) {
    if (!py::isinstance<py::str>(key)) {
      throw py::type_error("params: expected names that are of type str");
    }
    const auto name = py::cast<std::string>(key);
    options.Set(name, ToOption(name, value));
  }
  return options;
}

py::list HistoryDicts(const agents::SearchResult& result) {
  py::list history;
  for (const agents::HistoryRow& row : result.history) {
    history.append(py::dict("evaluations"_a = row.evaluations,
                            "seconds"_a = row.seconds,
                            "score"_a = row.score,
                            "makespan_s"_a = row.makespan.seconds()));
  }
  return history;
}

py::object ReferenceDict(const std::optional<experiments::ReferenceRecord>& reference) {
  if (!reference.has_value()) {
    return py::none();
  }
  return py::dict("score"_a = reference->score,
                  "seconds"_a = reference->seconds,
                  "cpu_seconds"_a = reference->cpu_seconds);
}

py::object EagerDict(const env::Problem& problem, const sim::Plan& plan) {
  std::optional<sim::SimResult> eager;
  {
    const py::gil_scoped_release released;
    eager = env::EagerRunOf(problem, plan);
  }
  if (!eager.has_value()) {
    return py::none();
  }
  return py::dict("outcome"_a = sim::NameOf(eager->outcome),
                  "makespan_s"_a = eager->makespan.seconds(),
                  "peak_memory_bytes"_a = eager->peak_memory.count);
}

py::dict SearchDict(const env::Problem& problem, const experiments::LoneSearch& search) {
  const agents::SearchResult& result = search.result;
  py::dict dict("plan"_a = py::none(),
                "best"_a = py::none(),
                "eager"_a = py::none(),
                "evaluations"_a = result.evaluations,
                "failures"_a = result.failures,
                "seconds"_a = result.seconds,
                "cpu_seconds"_a = result.cpu_seconds,
                "reference"_a = ReferenceDict(search.reference),
                "history"_a = HistoryDicts(result));
  if (result.best.has_value()) {
    dict["plan"] = result.best->plan;
    dict["best"] = EvaluationDict(result.best->evaluation);
    dict["eager"] = EagerDict(problem, result.best->plan);
  }
  return dict;
}

// Throws InputError for an agent that does not exist, or has nothing to decide.
void CheckTasks(const agents::AgentRegistry& registry,
                const std::string& agent,
                const env::TaskSet& tasks) {
  const py::gil_scoped_release released;  // one in Python has to be loaded
  if (const auto found = agents::FindTaskProblem(registry.Get(agent).info, tasks)) {
    throw InputError("tasks: " + *found);
  }
}

py::dict ProgressDict(const ProgressReport& report) {
  py::list improvements;
  for (const agents::HistoryRow& row : report.improvements) {
    improvements.append(py::dict("evaluations"_a = row.evaluations,
                                 "score"_a = row.score,
                                 "makespan_s"_a = row.makespan.seconds()));
  }
  py::dict dict("evaluations"_a = report.evaluations,
                "failures"_a = report.failures,
                "seconds"_a = report.seconds,
                "score"_a = py::none(),
                "makespan_s"_a = py::none(),
                "improvements"_a = improvements,
                "plan"_a = py::none());
  if (report.best.has_value()) {
    dict["score"] = report.best->score;
    dict["makespan_s"] = report.best->makespan.seconds();
    dict["plan"] = *report.plan;
  }
  return dict;
}

// Calls a function of Python with the progress of a search, in the thread that asked for it.
class ProgressCalls {
 public:
  // `call` returns true to stop the search.
  ProgressCalls(const std::optional<py::function>& call, double pause_s, InterruptFlag& interrupt)
      : call_(call), pause_(pause_s), interrupt_(interrupt) {}

  // For agents::SearchRequest; empty where nobody listens.
  [[nodiscard]] std::function<void(const env::Evaluator&)> listener() {
    if (!call_.has_value()) {
      return {};
    }
    return [this](const env::Evaluator& evaluator) { progress_.Update(evaluator); };
  }

  void Poll() {
    if (!call_.has_value() || interrupt_.is_raised()) {
      return;
    }
    if (const std::optional<ProgressReport> report = progress_.Take()) {
      Call(*report);
      last_call_ = Clock::now();
      is_asked_ = false;
    } else if (!is_asked_ && Clock::now() - last_call_ >= pause_) {
      progress_.Ask();
      is_asked_ = true;
    }
  }

  void Finish(const agents::SearchResult& result) {
    if (call_.has_value()) {
      Call(progress_.Last(result));
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  void Call(const ProgressReport& report) {
    if (py::cast<bool>((*call_)(ProgressDict(report)))) {
      interrupt_.Raise();
    }
  }

  const std::optional<py::function>& call_;
  std::chrono::duration<double> pause_;
  InterruptFlag& interrupt_;
  SearchProgress progress_;
  Clock::time_point last_call_;
  bool is_asked_ = false;
};

py::dict Search(const agents::AgentRegistry& registry,
                const std::shared_ptr<env::Problem>& problem,
                const std::string& agent,
                const py::dict& params,
                std::optional<std::int64_t> evaluations,
                std::optional<double> seconds,
                std::int64_t seed,
                std::optional<double> reference,
                std::int64_t threads,
                const std::optional<py::function>& progress,
                double progress_seconds) {
  env::Budget budget = ToBudget(evaluations, seconds);
  if (!evaluations.has_value() && !seconds.has_value()) {
    budget.evaluations = experiments::kDefaultEvaluations;
  }
  CheckTasks(registry, agent, problem->tasks());
  if (reference.has_value() && !(*reference > 0.0 && std::isfinite(*reference))) {
    throw InputError("reference: found " + ToText(*reference) + ", expected a number above 0");
  }
  if (!(progress_seconds >= 0.0 && std::isfinite(progress_seconds))) {
    throw InputError("callback_seconds: found " + ToText(progress_seconds) +
                     ", expected 0 or more");
  }
  InterruptFlag interrupt;
  ProgressCalls calls(progress, progress_seconds, interrupt);
  const agents::SearchRequest request{
      .problem = problem,
      .agent = agent,
      .params = ToOptions(params),
      .seed = InRange("seed", seed, 0, std::numeric_limits<std::int64_t>::max()),
      .budget = budget,
      .num_threads = ToNumThreads(threads),
      .interrupt = &interrupt,
      .on_progress = calls.listener(),
      .on_update = {}};
  experiments::LoneSearch search;
  RunInterruptibly(
      interrupt,
      [&] { search = experiments::RunLoneSearch(request, reference, registry); },
      [&] { calls.Poll(); });
  if (!search.result.failure.empty()) {
    throw Error(search.result.failure);
  }
  calls.Finish(search.result);
  return SearchDict(*problem, search);
}

}  // namespace

void BindSearch(py::module_& module) {
  py::class_<agents::AgentRegistry>(module, "AgentRegistry", "The agents that exist.")
      .def("infos", &InfosOf, "One dict per agent: what `opyard agents show NAME --json` prints.");
  module.def(
      "classical_agents",
      [](const std::string& why_not_learned, const agents::AgentRegistry* python) {
        return agents::ClassicalAgents() + agents::MissingLearnedAgents(why_not_learned) +
               OrNone(python);
      },
      py::arg("why_not_learned") = agents::kBuiltWithoutTorch,
      py::arg("python") = py::none(),
      "The agents of this module; the learned ones are listed, but answer `why_not_learned`. With "
      "those of `python`, if that is given.");
  module.def(
      "python_agents",
      [](std::vector<std::string> command,
         std::map<std::string, std::string> installed,
         const FoundPackages& found) {
        return experiments::PythonAgents(
                   {.command = std::move(command), .installed = std::move(installed)}) +
               agents::AgentRegistry({}, ChecksOf(found));
      },
      py::arg("command"),
      py::arg("installed"),
      py::arg("found") = FoundPackages{},
      "The agents that are written in Python: `installed` says where each is by its name, and any "
      "MODULE:CLASS is one. `command` starts the host that loads them; empty: there is none. "
      "`found` holds rows of `opyard doctor` by their names: whether it is there, and the detail.");
  module.def("describe_start",
             &agents::DescribeStart,
             "start"_a,
             "What the word for where a search begins means: \"random plans\".");
  module.def(
      "with_plugins",
      [](const agents::AgentRegistry& registry, const std::vector<std::string>& files) {
        std::vector<std::string> all = experiments::PluginsOfEnvironment();
        all.insert(all.end(), files.begin(), files.end());
        return experiments::WithPlugins(registry, all);
      },
      py::arg("registry"),
      py::arg("files"),
      "The agents of `registry`, and those of the shared libraries in `files` and in the "
      "environment variable OPYARD_PLUGINS, which are loaded into this process.");
  module.def("search",
             &Search,
             py::arg("registry"),
             py::arg("problem").none(false),
             py::kw_only(),
             py::arg("agent"),
             py::arg("params") = py::dict(),
             py::arg("evaluations") = py::none(),
             py::arg("seconds") = py::none(),
             py::arg("seed") = 0,
             py::arg("reference") = py::none(),
             py::arg("threads") = 0,
             py::arg("progress") = py::none(),
             py::arg("progress_seconds") = 1.0,
             "One search; opyard.place says what the arguments and the answer are.");
}

}  // namespace opyard::bindings
