#include "experiments/training/teacher.h"

#include <system_error>
#include <utility>

#include "agents/base/search_run.h"
#include "env/problem_words.h"
#include "experiments/base/version.h"
#include "experiments/store/sha256.h"
#include "sim/base/error.h"
#include "sim/io/plan/plan_json.h"

namespace opyard::experiments {

namespace fs = std::filesystem;

Teacher::Teacher(const ExperimentConfig& config,
                 const agents::AgentRegistry& registry,
                 TeacherOptions options)
    : config_(config), registry_(registry), options_(std::move(options)) {
  std::error_code failure;
  fs::create_directories(options_.folder, failure);
  if (failure) {
    throw InputError(options_.folder.string() + ": cannot be made: " + failure.message() +
                     "; training.teacher keeps its plans there");
  }
}

fs::path Teacher::FileOf(const env::PooledProblem& problem) const {
  const TeacherConfig& teacher = *config_.training.teacher;
  const std::string conditions = problem.name + "\n" + ProblemJson(config_.problem) + "\n" +
                                 env::TasksText(problem.problem->tasks()) + "\n" + teacher.agent +
                                 "\n" + std::to_string(teacher.evaluations) + "\n" +
                                 std::to_string(teacher.seed) + "\n" + Version();
  return options_.folder / (Sha256(conditions).substr(0, 24) + ".plan.json");
}

std::shared_ptr<const sim::Plan> Teacher::PlanFor(const env::PooledProblem& problem) const {
  const fs::path file = FileOf(problem);
  std::error_code ignored;
  if (fs::exists(file, ignored)) {
    return std::make_shared<const sim::Plan>(
        sim::ReadPlanFile(file, problem.problem->graph(), problem.problem->hardware()));
  }
  std::shared_ptr<const sim::Plan> plan = Search(problem);
  if (plan != nullptr) {
    sim::WritePlanFile(*plan, problem.problem->graph(), problem.problem->hardware(), file);
  }
  return plan;
}

std::shared_ptr<const sim::Plan> Teacher::Search(const env::PooledProblem& problem) const {
  const TeacherConfig& teacher = *config_.training.teacher;
  agents::SearchRequest request{.problem = problem.problem,
                                .agent = teacher.agent,
                                .params = {},
                                .seed = teacher.seed,
                                .budget = {.evaluations = teacher.evaluations},
                                .num_threads = options_.num_threads,
                                .interrupt = options_.interrupt,
                                .on_progress = {}};
  const agents::SearchResult answer = agents::RunSearch(request, registry_);
  const bool is_whole = options_.interrupt == nullptr || !options_.interrupt->is_raised();
  return is_whole && answer.is_feasible() ? std::make_shared<const sim::Plan>(answer.best->plan)
                                          : nullptr;
}

}  // namespace opyard::experiments
