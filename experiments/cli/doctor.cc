#include "experiments/cli/doctor.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "agents/registry.h"
#include "env/parallel/thread_pool.h"
#include "env/problem.h"
#include "experiments/base/version.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/store/sqlite.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "graphs/graph_sources.h"
#include "sim/base/data_root.h"
#include "sim/base/error.h"
#include "sim/engine/simulator.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
namespace {

struct DoctorOptions {
  bool json = false;
};

// One line per check; kAnswerIsNo if one fails.
[[nodiscard]] int Doctor(const DoctorOptions& options, const Console& console);

// The result of one check of an installation.
struct InstallationCheck {
  std::string name;
  bool is_ok = false;
  std::string detail;      // what there is, or what is wrong
  bool is_absent = false;  // it is not there, and need not be
};

// The answer with --json.
[[nodiscard]] std::string DoctorJson(const std::vector<InstallationCheck>& checks);

}  // namespace

void AddDoctorArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(app,
                                       {.name = "doctor",
                                        .summary = "check this installation",
                                        .examples = "  opyard doctor --json"});
  const auto options = std::make_shared<DoctorOptions>();
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &Doctor);
}

namespace {

// A check that throws has failed: its error is the detail, and the others still run. An
// UnsupportedError says what this installation does without.
InstallationCheck Examine(const std::string& name, const std::function<std::string()>& run) {
  try {
    return {.name = name, .is_ok = true, .detail = run()};
  } catch (const UnsupportedError& error) {
    return {.name = name, .is_ok = true, .detail = OneLine(error.what()), .is_absent = true};
  } catch (const Error& error) {
    return {.name = name, .is_ok = false, .detail = OneLine(error.what())};
  }
}

std::string LookAtVersions() {
  return std::string("opyard ") + Version() + ", compiler " + __VERSION__ + ", SQLite " +
         SqliteVersion() + ", zlib " + zlibVersion();
}

std::string LookAtData() {
  std::error_code ignored;
  const std::filesystem::path root = DataRoot();
  if (!std::filesystem::is_directory(root / "hardware_profiles", ignored)) {
    throw InputError(root.string() +
                     ": no folder hardware_profiles; set OPYARD_DATA to the folder that holds it");
  }
  return root.string();
}

std::string LookAtPages() {
  std::error_code ignored;
  const std::filesystem::path pages = DataRoot() / "docs";
  if (!std::filesystem::is_regular_file(pages / "formats.md", ignored)) {
    throw UnsupportedError("no pages here: they come with the wheel and the sources");
  }
  return pages.string();
}

std::string LookAtProfiles() {
  std::size_t machines = 0;
  for (const sim::ShippedProfile& profile : sim::ListShippedProfiles()) {
    if (profile.is_machine) {
      static_cast<void>(sim::ReadMachineFile(profile.path));
      ++machines;
    } else {
      static_cast<void>(sim::ReadDeviceFile(profile.path));
    }
  }
  if (machines == 0) {
    throw InputError("no machine is shipped with this installation");
  }
  return std::to_string(machines) + " machines can be read";
}

std::string LookAtGraphs() {
  const auto shipped = graphs::ListShippedGraphs();
  for (const graphs::ShippedGraph& graph : shipped) {
    static_cast<void>(graphs::LoadGraph(graph.name));
  }
  return std::to_string(shipped.size()) + " shipped graphs can be read, " +
         std::to_string(graphs::GraphSources().size()) + " generated families";
}

// The first shipped machine runs a small graph.
std::string LookAtSimulator() {
  for (const sim::ShippedProfile& profile : sim::ListShippedProfiles()) {
    if (!profile.is_machine) {
      continue;
    }
    const env::Problem problem({.graph = graphs::LoadGraph("random:layered?n=100&seed=1"),
                                .hardware = sim::LoadMachine(profile.name)});
    sim::Workspace workspace;
    const sim::SimResult result =
        problem.simulator().Run({.placement = problem.default_placement()}, workspace);
    return std::to_string(problem.graph().num_ops()) + " ops on " + profile.name + ": " +
           sim::NameOf(result.outcome);
  }
  throw InputError("no machine to simulate");
}

int Doctor(const DoctorOptions& options, const Console& console) {
  std::vector<InstallationCheck> checks = {
      Examine("versions", LookAtVersions),
      Examine("data folder", LookAtData),
      Examine("pages", LookAtPages),
      Examine("hardware profiles", LookAtProfiles),
      Examine("graphs", LookAtGraphs),
      Examine("agents",
              [&] { return std::to_string(console.agents.entries().size()) + " registered"; }),
      Examine("threads",
              [] { return std::to_string(env::ThreadPool::DefaultNumThreads()) + " by default"; }),
      Examine("simulator", LookAtSimulator)};
  for (const agents::AgentCheck& check : console.agents.checks()) {
    checks.push_back(Examine(check.name, check.run));
  }
  TextTable table({{.title = "check"}, {.title = "ok"}, {.title = "detail"}});
  bool are_all_ok = true;
  for (const InstallationCheck& check : checks) {
    table.AddRow({check.name, check.is_absent ? "-" : check.is_ok ? "yes" : "NO", check.detail});
    are_all_ok = are_all_ok && check.is_ok;
  }
  console.out << (options.json ? DoctorJson(checks) + "\n" : table.Text());
  return are_all_ok ? kSuccess : kAnswerIsNo;
}

std::string DoctorJson(const std::vector<InstallationCheck>& checks) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const InstallationCheck& check : checks) {
    json.push_back({{"check", check.name}, {"ok", check.is_ok}, {"detail", check.detail}});
  }
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
