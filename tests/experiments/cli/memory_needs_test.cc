// Messages about memory and hosts: how much is needed, how much there is, what to leave out.
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

// big holds 2 GiB of parameters, makes 1.5 GiB and works in 0.5 GiB: 4 GiB, of which a device has
// one. small, which reads that, makes 0.25 GiB.
constexpr const char* kBigGraph =
    R"({"format": "opyard-graph/1", "name": "toy", "ops": [
  {"name": "big", "type": "MatMul", "outputs": [{"bytes": 1610612736}], "param_bytes": 2147483648,
   "workspace_bytes": 536870912, "seconds": {"*": 0.002}},
  {"name": "small", "type": "Custom", "inputs": [[0, 0]], "outputs": [{"bytes": 268435456}],
   "seconds": {"*": 0.003}}]})";

std::vector<std::string> With(const Workplace& place,
                              const std::string& subcommand,
                              const std::vector<std::string>& more) {
  std::vector<std::string> args = {subcommand,
                                   "--graph",
                                   place.Path("toy.graph.json"),
                                   "--hardware",
                                   place.Path("machines/two.yaml")};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

std::vector<std::string> Simulating(const Workplace& place) {
  const std::string plan =
      place.Write("p.plan.json", R"({"format": "opyard-plan/1", "placement": ["gpu0", "gpu0"]})");
  return With(place, "simulate", {"--plan", plan});
}

constexpr const char* kNeeds =
    "needs 4.00 GiB on gpu0 (2.00 GiB of parameters and up to 2.00 GiB of other tensors), which "
    "has "
    "1.00 GiB";

TEST(MemoryNeedsTest, SimulateSaysWhatThePlanNeedsAndWhatThereIs) {
  const Workplace place;
  place.Write("toy.graph.json", kBigGraph);
  const Ended ended = RunCommand(Simulating(place));
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("without limits the plan " + std::string(kNeeds)));
  EXPECT_THAT(ended.out, HasSubstr("the whole graph needs 4.00 GiB on one device"));
  std::vector<std::string> args = Simulating(place);
  args.push_back("--json");
  const nlohmann::json need = RunCommand(args).Json().at("failure").at("needs").at(0);
  EXPECT_EQ(need.at("device"), "gpu0");
  EXPECT_EQ(need.at("needed_bytes"), std::int64_t{4} << 30);
  EXPECT_EQ(need.at("parameter_bytes"), std::int64_t{2} << 30);
  EXPECT_EQ(need.at("capacity_bytes"), std::int64_t{1} << 30);
}

TEST(MemoryNeedsTest, PlaceSaysItOfTheBestPlan) {
  const Workplace place;
  place.Write("toy.graph.json", kBigGraph);
  const Ended ended = RunCommand(With(place, "place", {"--agent", "single_device"}));
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr(kNeeds));
  const Ended json = RunCommand(With(place, "place", {"--agent", "single_device", "--json"}));
  EXPECT_EQ(json.Json().at("needs").at(0).at("needed_bytes"), std::int64_t{4} << 30);
}

TEST(MemoryNeedsTest, RunSaysItOfEachFailure) {
  const Workplace place;
  place.Write("toy.graph.json", kBigGraph);
  const Ended ended = place.RunExperiment();
  EXPECT_THAT(ended.out + ended.err, HasSubstr(kNeeds));
}

TEST(MemoryNeedsTest, GraphInfoStatesParametersAndThePeakOnOneDevice) {
  const Workplace place;
  place.Write("toy.graph.json", kBigGraph);
  const Ended ended = RunCommand({"graph", "info", place.Path("toy.graph.json")});
  EXPECT_THAT(
      ended.out,
      HasSubstr("one device that runs all ops, in topological order, holds 4.00 GiB at most: "
                "the parameters and 2.00 GiB of other tensors"));
  const Ended on_machine = RunCommand({"graph",
                                       "info",
                                       place.Path("toy.graph.json"),
                                       "--hardware",
                                       place.Path("machines/two.yaml")});
  EXPECT_THAT(
      on_machine.out,
      HasSubstr("the whole graph needs 4.00 GiB on one device: gpu0 has 1.00 GiB (too little), "
                "gpu1 1.00 GiB (too little)\n"));
}

// a (2 ms) is bound to neither; b (3 ms) and c (5 ms) take 100 times as long on the GPU.
constexpr const char* kHostGraph =
    R"({"format": "opyard-graph/1", "name": "toy", "ops": [
  {"name": "a", "type": "Custom", "outputs": [{"bytes": 8}], "seconds": {"*": 0.002}},
  {"name": "b", "type": "Custom", "inputs": [[0, 0]], "outputs": [{"bytes": 8}],
   "seconds": {"gpu": 0.3, "cpu": 0.003}},
  {"name": "c", "type": "Custom", "inputs": [[1, 0]], "outputs": [{"bytes": 8}],
   "seconds": {"gpu": 0.5, "cpu": 0.005}}]})";

constexpr const char* kHostMachine = R"(schema_version: 1
name: two
devices:
  - {name: gpu, type: tiny, count: 2}
  - {name: cpu0, type: tiny, kind: cpu}
links:
  - {name: bus, between: [gpu0, gpu1, cpu0], bandwidth: 1 GB/s, latency: 0 us, duplex: half}
)";

TEST(HostWorkTest, PlaceSaysThatTheHostDoesTheWorkAndHowToLeaveItOut) {
  const Workplace place;
  place.Write("toy.graph.json", kHostGraph);
  place.Write("machines/two.yaml", kHostMachine);
  // All on cpu0 is best: 2 + 3 + 5 = 10 ms of 10 ms.
  const Ended ended = RunCommand(With(place, "place", {"--agent", "single_device"}));
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err,
              HasSubstr("note: the plan leaves 100.0 % of its work (busy time) to the host cpu0, "
                        "although there are accelerators; to leave it out: --devices gpu0,gpu1\n"));
  EXPECT_EQ(
      RunCommand(With(place, "place", {"--agent", "single_device", "--devices", "gpu0,gpu1"})).err,
      "");
}

TEST(HostWorkTest, AHostThatOpsNeedCannotBeLeftOut) {
  const Workplace place;
  std::string graph = kHostGraph;
  const std::string seconds = R"("seconds": {"gpu": 0.5)";
  graph.insert(graph.find(seconds), R"("device_kinds": ["cpu"], )");
  place.Write("toy.graph.json", graph);
  place.Write("machines/two.yaml", kHostMachine);
  const Ended ended = RunCommand(With(place, "place", {"--agent", "single_device"}));
  EXPECT_THAT(ended.err, HasSubstr("some ops may run nowhere else, so it cannot be left out"));
}

}  // namespace
}  // namespace opyard::experiments
