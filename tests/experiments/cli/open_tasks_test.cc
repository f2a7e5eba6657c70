// Agents that decide none of the open tasks are refused before anything is loaded.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using testing::RunCommand;
using testing::Workplace;

TEST(OpenTasksTest, PlaceRefusesAnAgentWithNothingToDecide) {
  const Workplace place;
  const Ended ended = RunCommand({"place",
                                  "--graph",
                                  "absent.graph.json",
                                  "--hardware",
                                  place.Path("machines/two.yaml"),
                                  "--agent",
                                  "metis",
                                  "--tasks",
                                  "fusion",
                                  "--out",
                                  place.Path("best.plan.json")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err,
            "--tasks: agent metis decides placement, scheduling; the open tasks are fusion\n");
}

TEST(OpenTasksTest, RunRefusesThemTooButNotAsItsBaseline) {
  const Workplace place;
  const Ended refused =
      place.RunExperiment({"--set", "problem.tasks=[fusion]", "--set", "agents=[heft, metis]"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "--set agents=[heft, metis]:1:2: agent heft decides placement, scheduling; the open "
            "tasks are fusion\n"
            "--set agents=[heft, metis]:1:8: agent metis decides placement, scheduling; the open "
            "tasks are fusion\n");
  const Ended ended = place.RunExperiment({"--set", "problem.tasks=[fusion]"});
  EXPECT_EQ(ended.status, 0) << ended.err;
}

}  // namespace
}  // namespace opyard::experiments
