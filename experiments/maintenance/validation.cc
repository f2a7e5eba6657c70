#include "experiments/maintenance/validation.h"

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "env/problem.h"
#include "env/setting_value.h"
#include "experiments/matrix/stored_problem.h"
#include "experiments/store/fingerprint.h"
#include "experiments/store/result_store.h"
#include "experiments/store/stored_inputs.h"
#include "experiments/text/number_format.h"
#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/io/plan/plan_json.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

// One graph on one machine, or why they cannot be had.
struct World {
  std::unique_ptr<const env::Problem> problem;
  std::string fault;
};

// The first line of what is wrong, fit for a line of the answer.
std::string ReasonOf(const Error& error) {
  const std::string text = error.what();
  const std::size_t end = text.find('\n');
  return OneLine(text.substr(0, end)) + (end == std::string::npos ? "" : " …");
}

// The setting `field` of a run on one line; "" where it is not there.
std::string TextOf(const RunRecord& record, std::string_view field) {
  return env::SettingText(StoredSetting(record, field).value_or(env::SettingValue()));
}

class Validator {
 public:
  explicit Validator(const fs::path& results)
      : file_(ResultStore::FileOf(results)), store_(ResultStore::OpenToRead(results)) {
    folder_ = file_.parent_path() / store_.Info().experiment_folder;
  }

  Validation Run(const InterruptFlag& interrupt) {
    for (const StoredRun& run : store_.Runs()) {
      if (interrupt.is_raised()) {
        break;
      }
      ++validation_.runs;
      try {
        Check(run);
      } catch (const Error& error) {  // of this run alone: the others are evaluated all the same
        ++validation_.plans;
        validation_.differences.push_back(NameOf(run) + ": " + ReasonOf(error));
      }
    }
    return std::move(validation_);
  }

 private:
  [[nodiscard]] std::string NameOf(const StoredRun& run) const {
    const CellKey& cell = run.record.cell;
    return OneLine(file_.string() + ": run " + std::to_string(run.id) + " (" + cell.graph + ", " +
                   cell.hardware + ", " + cell.agent + ", seed " + std::to_string(cell.seed) + ")");
  }

  // Throws InputError for a plan that is damaged.
  void Check(const StoredRun& run) {
    const std::string plan = store_.PlanOf(run.id);
    if (plan.empty() && run.record.makespan.has_value()) {
      throw InputError("its plan is gone: a run with a makespan has one");
    }
    if (plan.empty()) {
      return;
    }
    const std::string difference = DifferenceOf(run, plan);
    ++validation_.plans;
    if (difference.empty()) {
      ++validation_.agreed;
    } else {
      validation_.differences.push_back(NameOf(run) + ": " + difference);
    }
  }

  const World& WorldOf(const RunRecord& record) {
    const auto [found, is_new] = worlds_.try_emplace({record.cell.graph,
                                                      record.cell.hardware,
                                                      record.graph_sha256,
                                                      record.hardware_sha256,
                                                      TextOf(record, "devices"),
                                                      TextOf(record, "cost_model")});
    World& world = found->second;
    if (is_new) {
      try {
        world.problem = std::make_unique<const env::Problem>(
            env::ProblemSpec{.graph = GraphOf(record),
                             .hardware = MachineOf(record),
                             .settings = ReplaySettings(record)});
      } catch (const Error& error) {
        world.fault = ReasonOf(error);
      }
    }
    return world;
  }

  // The store's own copy; a store without one needs what the run was made from.
  std::shared_ptr<const sim::OpGraph> GraphOf(const RunRecord& record) {
    const auto load = [&] { return graphs::LoadGraph(record.cell.graph, folder_); };
    auto graph = FindGraph(store_, record.graph_sha256);
    if (graph != nullptr) {
      NoteIfChanged(record.cell.graph, record.graph_sha256, "graph", load);
      return graph;
    }
    graph = load();
    if (Fingerprint(*graph) != record.graph_sha256) {
      throw InputError("the graph has changed since the run");
    }
    return graph;
  }

  std::shared_ptr<const sim::HardwareProfile> MachineOf(const RunRecord& record) {
    const auto load = [&] {
      return env::WithMemory(sim::LoadMachine(record.cell.hardware, folder_),
                             ReplaySettings(record).memory);
    };
    auto machine = FindMachine(store_, record.hardware_sha256);
    if (machine != nullptr) {
      NoteIfChanged(record.cell.hardware, record.hardware_sha256, "machine", load);
      return machine;
    }
    machine = load();
    if (Fingerprint(*machine) != record.hardware_sha256) {
      throw InputError("the machine has changed since the run");
    }
    return machine;
  }

  // Once for each. What is gone, or cannot be read, has not changed.
  template <class Load>
  void NoteIfChanged(const std::string& reference,
                     const std::string& sha256,
                     const std::string& what,
                     const Load& load) {
    if (!compared_.emplace(reference, sha256).second) {
      return;
    }
    try {
      if (Fingerprint(*load()) == sha256) {
        return;
      }
    } catch (const Error&) {
      return;
    }
    validation_.notes.push_back(
        OneLine("the " + what + " " + reference +
                " is another one today; its runs were evaluated on the copy in the "
                "store"));
  }

  std::string DifferenceOf(const StoredRun& run, const std::string& plan_text) {
    const World& world = WorldOf(run.record);
    if (world.problem == nullptr) {
      return world.fault;
    }
    const env::Problem& problem = *world.problem;
    const sim::Plan plan =
        sim::ReadPlanText(plan_text, "plan", problem.graph(), problem.hardware());
    const sim::SimResult result = problem.simulator().Run(plan, workspaces_[&problem]);
    return Compare(run.record, result);
  }

  static std::string Compare(const RunRecord& record, const sim::SimResult& result) {
    const std::string outcome = sim::NameOf(result.outcome);
    if (outcome != record.outcome) {
      return "stored outcome " + OneLine(record.outcome) + ", simulated " + outcome;
    }
    if (!record.makespan.has_value() || *record.makespan != result.makespan) {
      const std::string stored = record.makespan.has_value()
                                     ? std::to_string(record.makespan->picoseconds) + " ps"
                                     : std::string("none");
      return "stored makespan " + stored + ", simulated " +
             std::to_string(result.makespan.picoseconds) + " ps";
    }
    return "";
  }

  fs::path file_;
  ResultStore store_;
  fs::path folder_;  // the experiment's
  Validation validation_;
  // By references, digests, and the settings that change what a plan is worth.
  std::map<std::array<std::string, 6>, World> worlds_;
  std::set<std::pair<std::string, std::string>> compared_;
  std::map<const env::Problem*, sim::Workspace> workspaces_;
};

}  // namespace

Validation ValidateStore(const std::string& results, const InterruptFlag& interrupt) {
  return Validator(results).Run(interrupt);
}

}  // namespace opyard::experiments
