// Notes of `opyard simulate` beside its figures: on plans of other graphs, and on fusion.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

Ended SimulateWith(const Workplace& place, const std::string& plan) {
  return RunCommand({"simulate",
                     "--graph",
                     place.Path("toy.graph.json"),
                     "--hardware",
                     place.Path("machines/two.yaml"),
                     "--plan",
                     place.Write("p.plan.json", plan)});
}

std::string PlanWith(const std::string& fields) {
  return R"({"format": "opyard-plan/1", "placement": ["gpu0", "gpu0", "gpu0"])" + fields + "}";
}

// a and b may fuse, c not. Fused, b need not read a's megabyte: 12.5 us at 100 GB/s · 0.8.
constexpr const char* kFusingGraph =
    R"({"format": "opyard-graph/1", "name": "toy", "origin": "a test", "ops": [
  {"name": "a", "type": "Relu", "outputs": [{"bytes": 1000000}], "seconds": {"*": 0.002}},
  {"name": "b", "type": "Relu", "inputs": [[0, 0]], "outputs": [], "seconds": {"*": 0.003}},
  {"name": "c", "type": "Custom", "inputs": [[0, 0]], "outputs": [], "seconds": {"*": 0.005}}]})";

TEST(SimulateNotesTest, APlanOfAnotherGraphIsWarnedOf) {
  const Workplace place;
  const Ended ended = SimulateWith(place, PlanWith(R"(, "graph": "gnmt2")"));
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.err,
            "warning: " + place.Path("p.plan.json") +
                " was written for the graph \"gnmt2\", this one is \"toy\"\n");
  EXPECT_EQ(SimulateWith(place, PlanWith(R"(, "graph": "toy")")).err, "");
  EXPECT_EQ(SimulateWith(place, PlanWith("")).err, "");
}

TEST(SimulateNotesTest, GraphShowWarnsToo) {
  const Workplace place;
  const Ended ended = RunCommand({"graph",
                                  "show",
                                  place.Path("toy.graph.json"),
                                  "--dot",
                                  "--hardware",
                                  place.Path("machines/two.yaml"),
                                  "--plan",
                                  place.Write("p.plan.json", PlanWith(R"(, "graph": "gnmt2")"))});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.err, HasSubstr("was written for the graph \"gnmt2\""));
}

TEST(SimulateNotesTest, APlanWithoutFusionPrioritiesIsNotedWhereOpsCouldFuse) {
  const Workplace place;
  place.Write("toy.graph.json", kFusingGraph);
  const Ended ended = SimulateWith(place, PlanWith(""));
  // 2 + 3 + 5 ms, and with a and b in one kernel 9.9875 ms.
  EXPECT_THAT(ended.out, HasSubstr("completed: 10.000 ms"));
  EXPECT_EQ(ended.err,
            "note: the plan has no fusion_priority, so nothing is fused; with 1 for every op 3 ops "
            "are 2 kernels, completed: 9.988 ms\n");
  EXPECT_EQ(SimulateWith(place, PlanWith(R"(, "fusion_priority": [0, 0, 0])")).err, "");
}

TEST(SimulateNotesTest, WhereNothingCouldFuseThereIsNoNote) {
  EXPECT_EQ(SimulateWith(Workplace(), PlanWith("")).err, "");
}

}  // namespace
}  // namespace opyard::experiments
