// `opyard plan to-order`, `from-schedule` and `from-pipeline`.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/rng.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/io/plan/plan_json.h"
#include "tests/experiments/workplace.h"
#include "tests/support/layer_chain.h"
#include "tests/support/pipeline_schedules.h"
#include "tests/support/random_cases.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

// `opyard plan` with the graph and the machine of the workplace.
Ended RunPlan(const Workplace& place,
              const std::string& subcommand,
              std::vector<std::string> args,
              const std::string& graph = "toy.graph.json",
              const std::string& machine = "machines/two.yaml") {
  args.insert(
      args.begin(),
      {"plan", subcommand, "--graph", place.Path(graph), "--hardware", place.Path(machine)});
  return RunCommand(args);
}

nlohmann::json SimulatedMakespan(const Workplace& place,
                                 const std::string& plan,
                                 const std::string& graph,
                                 const std::string& machine = "machines/two.yaml") {
  const Ended ended = RunCommand({"simulate",
                                  "--plan",
                                  plan,
                                  "--json",
                                  "--graph",
                                  place.Path(graph),
                                  "--hardware",
                                  place.Path(machine)});
  EXPECT_EQ(ended.status, 0) << ended.err;
  return ended.Json().at("makespan_s");
}

// a 0–2 ms, then c 2–7 before b 7–10 by its priority.
constexpr const char* kPriorityPlan = R"({"format": "opyard-plan/1", "graph": "toy",
 "placement": ["gpu0", "gpu0", "gpu0"], "op_priority": [0, 1, 2]})";

TEST(PlanToOrderTest, WritesThePlanThatReplays) {
  const Workplace place;
  const std::string out = place.Path("order.plan.json");
  const Ended ended = RunPlan(
      place, "to-order", {place.Write("p.plan.json", kPriorityPlan), "--out", out, "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.Json().at("queue"), "priority");
  EXPECT_EQ(ended.Json().at("before"), ended.Json().at("after"));
  EXPECT_EQ(ended.Json().at("after").at("makespan_s"), 0.010);
  const std::string text = RunPlan(place, "to-order", {out, "--out", "-"}).out;
  EXPECT_THAT(text, HasSubstr(R"("gpu0": [[0, 2, 1]])"));
}

TEST(PlanToOrderTest, AProgramBecomesItsOrder) {
  const Workplace place;
  const std::string plan = place.Write("p.plan.json", R"({"format": "opyard-plan/1",
 "placement": ["gpu0", "gpu0", "gpu0"], "queue": "program"})");
  const Ended ended = RunPlan(place, "to-order", {plan, "--out", "-"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(R"("gpu0": [[0, 1, 2]])"));
  EXPECT_THAT(ended.err,
              HasSubstr("queue program: completed: 10.000 ms\nqueue order: completed: "
                        "10.000 ms; plan in standard output\n"));
}

TEST(PlanToOrderTest, ARunThatDoesNotCompleteHasNoOrder) {
  const Workplace place;
  place.Write("devices/tiny.yaml",
              std::string(testing::kTinyDevice)
                  .replace(std::string(testing::kTinyDevice).find("1 GiB"), 5, "1 MB "));
  const std::string out = place.Path("order.plan.json");
  const Ended ended =
      RunPlan(place, "to-order", {place.Write("p.plan.json", kPriorityPlan), "--out", out});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err, HasSubstr("queue priority: out_of_memory: "));
  EXPECT_THAT(ended.err, HasSubstr("nothing written"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

// The figure of the run and of its replay, through files, under several rules.
class PlanToOrderRulesTest : public ::testing::TestWithParam<const char*> {};

TEST_P(PlanToOrderRulesTest, RandomPlansReplay) {
  const Workplace place;
  place.Write("machines/r.yaml", std::string(testing::kTwoDevices) + GetParam());
  const auto machine = sim::ReadMachineFile(place.Path("machines/r.yaml")).machine;
  Rng rng(7);
  for (int i = 0; i < 12; ++i) {
    const auto graph =
        opyard::testing::RandomGraph(rng, opyard::testing::Values::kRound, {}, *machine);
    place.Write("r.graph.json", sim::WriteGraphText(*graph));
    const sim::Plan random = opyard::testing::RandomPlan(rng, *graph, *machine);
    const std::string plan =
        place.Write("r.plan.json", sim::WritePlanText(random, *graph, *machine));
    const std::string out = place.Path("order.plan.json");
    const Ended ended = RunPlan(
        place, "to-order", {plan, "--out", out, "--json"}, "r.graph.json", "machines/r.yaml");
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.Json().at("before"), ended.Json().at("after")) << i;
    EXPECT_EQ(SimulatedMakespan(place, out, "r.graph.json", "machines/r.yaml"),
              ended.Json().at("before").at("makespan_s"))
        << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Rules,
                         PlanToOrderRulesTest,
                         ::testing::Values("",
                                           "transfers: {sharing: fair}\n",
                                           "transfers: {one_per: output, gap_after: 3 us}\n",
                                           "execution: {dispatch: 2 us, gap_after_op: 1 us}\n"));

TEST(PlanToOrderTest, PrioritiesUnderOneTransferPerEdgeAreRefused) {
  const Workplace place;
  place.Write("machines/edge.yaml",
              std::string(testing::kTwoDevices) + "transfers: {one_per: edge}\n");
  const std::string plan = place.Write("p.plan.json", kPriorityPlan);
  const Ended ended =
      RunPlan(place, "to-order", {plan, "--out", "-"}, "toy.graph.json", "machines/edge.yaml");
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("transfers.one_per: under edge each edge has the priority"));
}

TEST(PlanFromScheduleTest, WritesThePlanAndSaysWhatItTakes) {
  const Workplace place;
  const std::string schedule =
      place.Write("s.csv", "op,device,start_s\na,gpu0,0\nc,gpu0,0.002\nb,gpu1,0.003\n");
  const std::string out = place.Path("s.plan.json");
  const Ended ended = RunPlan(place, "from-schedule", {schedule, "--out", out, "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.Json().at("makespan_s"), 0.007);  // a 0–2 ms, c 2–7; the copy 2–3, b 3–6
  EXPECT_EQ(ended.Json().at("ops"), 3);
  EXPECT_EQ(RunPlan(place, "to-order", {out, "--out", place.Path("o.plan.json")}).status, 0);
}

TEST(PlanFromScheduleTest, ProblemsHaveTheirLines) {
  const Workplace place;
  const std::string schedule = place.Write("s.csv", "op,device,start_s\na,gpu7,0\nd,gpu0,x\n");
  const Ended ended = RunPlan(place, "from-schedule", {schedule, "--out", "-"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("s.csv:2: device: \"gpu7\" does not exist"));
  EXPECT_THAT(ended.err, HasSubstr("s.csv:3: start_s: found \"x\""));
}

// Two ranks, four micro-batches: a layer takes 1 + 1 + 1 us, and the copies of 0 bytes none.
class PlanFromPipelineTest : public ::testing::Test {
 protected:
  PlanFromPipelineTest() {
    const auto chain = opyard::testing::MakeLayerChain({.num_layers = 2, .activation_bytes = 0});
    place_.Write("chain.graph.json", sim::WriteGraphText(*chain));
    const Ended ended = RunCommand({"graph",
                                    "microbatch",
                                    place_.Path("chain.graph.json"),
                                    "--microbatches",
                                    "4",
                                    "--out",
                                    place_.Path("four.graph.json")});
    EXPECT_EQ(ended.status, 0) << ended.err;
  }

  [[nodiscard]] Ended Run(const std::string& schedule,
                          const std::vector<std::string>& more,
                          const std::string& out) const {
    std::vector<std::string> args = {place_.Write("s.csv", schedule), "--out", out};
    args.insert(args.end(), more.begin(), more.end());
    return RunPlan(place_, "from-pipeline", args, "four.graph.json");
  }

  Workplace place_;
};

TEST_F(PlanFromPipelineTest, WritesThePlanAndSaysItsBubble) {
  const std::string out = place_.Path("s.plan.json");
  const Ended ended =
      Run(opyard::testing::OneForwardOneBackward(2, 4), {"--stage-layers", "0,1", "--json"}, out);
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json json = ended.Json();
  EXPECT_EQ(json.at("outcome"), "completed");
  EXPECT_EQ(json.at("bubble"), 1.0 - 4.0 / 5.0);  // (p − 1) / (m + p − 1), p = 2, m = 4
  EXPECT_EQ(json.at("actions"), 16);
  EXPECT_EQ(json.at("microbatches"), 4);
  EXPECT_EQ(json.at("devices"), nlohmann::json({"gpu0", "gpu1"}));
  EXPECT_EQ(json.at("first_layers"), nlohmann::json({0, 1}));
  EXPECT_EQ(SimulatedMakespan(place_, out, "four.graph.json"), json.at("makespan_s"));
}

TEST_F(PlanFromPipelineTest, RanksGoToTheDevicesThatAreNamed) {
  const std::string schedule = opyard::testing::GPipe(2, 4);
  const Ended ended = Run(schedule, {"--devices", "gpu1,gpu0"}, "-");
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err,
              HasSubstr("; bubble 20.0 %; 16 actions of 2 ranks, 2 stages from the layers -1, 1 on "
                        "and 4 micro-batches; plan in standard output\n"));
  EXPECT_EQ(nlohmann::json::parse(ended.out).at("placement").at(0), "gpu1");  // "x@mb0"
  EXPECT_EQ(Run(schedule, {"--devices", "gpu1"}, "-").status, 2);
  EXPECT_THAT(Run(schedule, {"--stage-layers", "0"}, "-").err,
              HasSubstr("--stage-layers: found 1 layers, expected 2"));
}

TEST_F(PlanFromPipelineTest, TwoEntriesSwappedAreADeadlock) {
  std::string schedule = opyard::testing::OneForwardOneBackward(2, 4);
  ASSERT_THAT(schedule, ::testing::StartsWith("0F0,0F1,0B0,0F2,0B1,"));
  schedule.replace(0, 19, "0F0,0B1,0B0,0F2,0F1");  // 0B1 waits for 1B1, and that for 0F1
  const std::string out = place_.Path("s.plan.json");
  const Ended ended = Run(schedule, {}, out);
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("deadlock, this schedule can never go on: "));
  EXPECT_THAT(ended.err,
              HasSubstr("0F1 (line 1, cell 5), which stands behind 0B1 (line 1, cell 2)"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

// The reader of plans finds the same cycle in the order that such a schedule would have.
TEST_F(PlanFromPipelineTest, APlanWithTwoEntriesSwappedIsRefusedWithItsCycle) {
  const Ended ended = Run(opyard::testing::OneForwardOneBackward(2, 4), {}, "-");
  nlohmann::json plan = nlohmann::json::parse(ended.out);
  nlohmann::json& stream = plan["order"]["gpu0"][0];
  std::swap(stream[0], stream[stream.size() - 1]);  // "x@mb0" and the last gradient
  const Ended read = RunCommand({"simulate",
                                 "--plan",
                                 place_.Write("s.plan.json", plan.dump()),
                                 "--graph",
                                 place_.Path("four.graph.json"),
                                 "--hardware",
                                 place_.Path("machines/two.yaml")});
  EXPECT_EQ(read.status, 2);
  EXPECT_THAT(read.err, HasSubstr("#/order: deadlock, this order can never go on: op "));
}

}  // namespace
}  // namespace opyard::experiments
