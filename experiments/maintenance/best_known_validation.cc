#include "experiments/maintenance/best_known_validation.h"

#include <map>
#include <memory>
#include <string>

#include "env/objective.h"
#include "env/problem.h"
#include "experiments/statistics/best_known.h"
#include "experiments/store/fingerprint.h"
#include "experiments/text/number_format.h"
#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "sim/base/options.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/io/plan/plan_json.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

// "FILE: graph on machine, placement,scheduling".
std::string NameOf(const fs::path& table, const ProblemWords& words) {
  const std::string objective = words.objective == "makespan" ? "" : ", " + words.objective;
  return OneLine(table.string() + ": " + words.graph + " on " + words.machine + ", " + words.tasks +
                 objective);
}

// The graphs and machines of a table, each loaded and digested once.
template <class Input>
class Inputs {
 public:
  // Throws InputError if it is not the one of the row.
  template <class Load>
  std::shared_ptr<const Input> Get(const std::string& reference,
                                   const std::string& sha256,
                                   const char* what,
                                   const Load& load) {
    auto& [input, digest] = inputs_[reference];
    if (input == nullptr) {
      input = load();
      digest = Fingerprint(*input);
    }
    if (digest != sha256) {
      throw InputError(std::string("the ") + what + " has changed since the plan was found");
    }
    return input;
  }

 private:
  std::map<std::string, std::pair<std::shared_ptr<const Input>, std::string>> inputs_;
};

class TableValidator {
 public:
  explicit TableValidator(const fs::path& table) : folder_(table.parent_path()) {}

  // The difference of the plan from its row; "" if there is none. Throws InputError for what cannot
  // be read.
  std::string DifferenceOf(const BestKnownPlan& row) {
    const ProblemWords& words = row.problem;
    const env::Problem problem(
        SpecOf(words,
               graphs_.Get(words.graph,
                           row.graph_sha256,
                           "graph",
                           [&] { return graphs::LoadGraph(words.graph, folder_); }),
               machines_.Get(words.machine, row.machine_sha256, "machine", [&] {
                 return sim::LoadMachine(words.machine, folder_);
               })));
    const sim::Plan plan =
        sim::ReadPlanFile(folder_ / row.file, problem.graph(), problem.hardware());
    sim::Workspace workspace;
    return Compare(row, problem, problem.simulator().Run(plan, workspace));
  }

 private:
  static std::string Compare(const BestKnownPlan& row,
                             const env::Problem& problem,
                             const sim::SimResult& result) {
    if (result.outcome != sim::Outcome::kCompleted) {
      return std::string("its plan does not complete: ") + sim::NameOf(result.outcome);
    }
    if (result.makespan != row.best.makespan) {
      return "stated makespan " + std::to_string(row.best.makespan.picoseconds) +
             " ps, simulated " + std::to_string(result.makespan.picoseconds) + " ps";
    }
    const double score = env::Score(problem.objective(), problem.objective_scale(), result);
    if (score != row.best.score) {  // the same sums in the same order: nothing is rounded apart
      return "stated score " + ToText(row.best.score) + ", simulated " + ToText(score);
    }
    return "";
  }

  fs::path folder_;
  Inputs<sim::OpGraph> graphs_;
  Inputs<sim::HardwareProfile> machines_;
};

// The first line of what is wrong, fit for a line of the answer.
std::string FirstLineOf(const Error& error) {
  const std::string text = error.what();
  return OneLine(text.substr(0, text.find('\n')));
}

}  // namespace

Validation ValidateBestKnown(const fs::path& table, const InterruptFlag& interrupt) {
  TableValidator validator(table);
  Validation validation;
  for (const BestKnownPlan& row : ReadBestKnown(table)) {
    if (interrupt.is_raised()) {
      break;
    }
    ++validation.runs;
    ++validation.plans;
    std::string difference;
    try {
      difference = validator.DifferenceOf(row);
    } catch (const Error& error) {  // of this row alone: the others are evaluated all the same
      difference = FirstLineOf(error);
    }
    validation.agreed += difference.empty() ? 1 : 0;
    if (!difference.empty()) {
      validation.differences.push_back(NameOf(table, row.problem) + ": " + difference);
    }
  }
  return validation;
}

}  // namespace opyard::experiments
