#include "experiments/training/teacher.h"

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>

#include <gtest/gtest.h>

#include "agents/registry.h"
#include "env/baseline_plans.h"
#include "env/evaluation.h"
#include "graphs/graph_sources.h"
#include "sim/engine/run/workspace.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

env::PooledProblem SmallProblem() {
  return {.name = "twelve ops",
          .problem = std::make_shared<const env::Problem>(
              env::ProblemSpec{.graph = graphs::LoadGraph("random:layered?n=12&seed=1"),
                               .hardware = sim::LoadMachine("p100x2-pcie")})};
}

std::int64_t NumFiles(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

class TeacherTest : public ::testing::Test {
 protected:
  TeacherTest() { config_.training.teacher = TeacherConfig{.agent = "auto", .evaluations = 200}; }
  [[nodiscard]] Teacher Made() const {
    return {config_, registry_, {.folder = folder_.path() / "teacher"}};
  }
  [[nodiscard]] double ScoreOf(const sim::Plan& plan) const {
    const env::PooledProblem problem = SmallProblem();
    sim::Workspace workspace;
    return env::EvaluateUncounted(*problem.problem, plan, workspace).score;
  }
  opyard::testing::TemporaryFolder folder_;
  ExperimentConfig config_;
  agents::AgentRegistry registry_ = agents::ClassicalAgents();
};

TEST_F(TeacherTest, ItsPlanIsNoWorseThanOneDevice) {
  const std::shared_ptr<const sim::Plan> plan = Made().PlanFor(SmallProblem());
  ASSERT_NE(plan, nullptr);
  for (const sim::Plan& other : env::SingleDevicePlans(*SmallProblem().problem)) {
    EXPECT_LE(ScoreOf(*plan), ScoreOf(other));
  }
}

// A second teacher under the same conditions reads what the first one wrote; another seed searches
// anew.
TEST_F(TeacherTest, AProblemIsSearchedOnceForAllTrainings) {
  const std::shared_ptr<const sim::Plan> first = Made().PlanFor(SmallProblem());
  EXPECT_EQ(NumFiles(folder_.path() / "teacher"), 1);
  const fs::path file = fs::directory_iterator(folder_.path() / "teacher")->path();
  const auto written = fs::last_write_time(file);
  EXPECT_EQ(*Made().PlanFor(SmallProblem()), *first);
  EXPECT_EQ(fs::last_write_time(file), written);
  EXPECT_EQ(NumFiles(folder_.path() / "teacher"), 1);
  config_.training.teacher->seed = 1;
  static_cast<void>(Made().PlanFor(SmallProblem()));
  EXPECT_EQ(NumFiles(folder_.path() / "teacher"), 2);
}

TEST_F(TeacherTest, WhatAnInterruptLeftIsNoPlanOfIt) {
  InterruptFlag interrupt;
  interrupt.Raise();
  const Teacher teacher(
      config_, registry_, {.folder = folder_.path() / "teacher", .interrupt = &interrupt});
  EXPECT_EQ(teacher.PlanFor(SmallProblem()), nullptr);
  EXPECT_EQ(NumFiles(folder_.path() / "teacher"), 0);
}

}  // namespace
}  // namespace opyard::experiments
