// The command line for Python: the `opyard` command of the package is the same code as the program.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "agents/missing_learned.h"
#include "agents/registry.h"
#include "bindings/bindings.h"
#include "experiments/cli/bench/engine_runs.h"
#include "experiments/cli/command_line/command_line.h"
#include "experiments/statistics/statistics.h"
#include "sim/base/error.h"

namespace opyard::bindings {

namespace {

// Seconds of the engine alone; the first runs of each thread, which allocate, are not timed.
double TimeRuns(const env::Problem& problem,
                const std::vector<std::shared_ptr<sim::Plan>>& plans,
                std::int64_t threads) {
  constexpr std::size_t kWarming = 8;  // runs per thread (Simulator::Run)
  std::vector<sim::Plan> copies;
  for (const auto& plan : plans) {
    if (plan == nullptr) {
      throw pybind11::type_error("plans: found None, expected plans");
    }
    copies.push_back(*plan);
  }
  std::vector<sim::Workspace> workspaces(ToNumThreads(threads));
  const std::size_t num_first = std::min(copies.size(), kWarming * workspaces.size());
  InterruptFlag interrupt;
  double seconds = 0.0;
  RunInterruptibly(interrupt, [&] {
    static_cast<void>(
        experiments::TimeRuns(problem, std::span(copies).first(num_first), workspaces, interrupt));
    seconds = experiments::TimeRuns(problem, copies, workspaces, interrupt);
  });
  return seconds;
}

void BindTimeRuns(pybind11::module_& module) {
  module.def("time_runs",
             &TimeRuns,
             pybind11::arg("problem").none(false),
             pybind11::arg("plans"),
             pybind11::arg("threads") = 1,
             R"(Wall seconds in which the engine alone runs plans, each once: for benchmarks.

Args:
    problem: What the plans are for.
    plans: A list of plans; thread i of n runs plans i, i + n, i + 2 n, ...
    threads: From 1 to 1024, or 0 for one per core.

Returns:
    Seconds, without those of the first runs of each thread, which allocate memory and are made
    twice.

Raises:
    InputError: A number of threads out of its range.
    PlanError: A plan does not fit.
)");
}

}  // namespace

void BindExperiments(pybind11::module_& module) {
  BindTimeRuns(module);
  module.def(
      "run_command_line",
      [](const std::vector<std::string>& args,
         const std::string& why_not_learned,
         const agents::AgentRegistry* python) {
        return experiments::RunCommandLine(args,
                                           agents::ClassicalAgents() +
                                               agents::MissingLearnedAgents(why_not_learned) +
                                               OrNone(python),
                                           std::cout,
                                           std::cerr);
      },
      pybind11::arg("args"),
      pybind11::arg("why_not_learned") = agents::kBuiltWithoutTorch,
      pybind11::arg("python") = pybind11::none(),
      pybind11::call_guard<pybind11::gil_scoped_release>(),
      R"(Runs ``opyard ARGS...`` in this process and returns its exit code.

Figures go to the process's standard output, errors and progress to its standard error. While it
runs, SIGINT and SIGTERM stop it (exit code 130) instead of raising KeyboardInterrupt; the former
handlers come back afterwards.

Args:
    args: The arguments after the program's name, e.g. ``["graph", "list", "--json"]``.
    why_not_learned: What the learned agents, which are not in this module, answer when asked for.
    python: The agents that are written in Python; none by default.

Returns:
    0; 1 if it ran but the answer is no; 2 for bad input; 3 for a bug of opyard; 130 if interrupted.
)");
  module.def(
      "mean_with_interval",
      [](const std::vector<double>& values) {
        const auto mean = experiments::MeanOf(values);
        if (!mean.has_value()) {
          throw InputError("mean_with_interval: values: found none, expected one or more");
        }
        return std::pair(mean->mean, mean->half_width);
      },
      pybind11::arg("values"),
      R"(The mean of ``values`` and the half width of its 95 % confidence interval.

The interval is that of ``opyard run``: Student's t, for values of a normal distribution.

Args:
    values: One for each seed.

Returns:
    The mean, and the half width in the same unit; None of a single value.

Raises:
    InputError: ``values`` is empty.
)");
}

}  // namespace opyard::bindings
