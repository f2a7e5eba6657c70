// Problems of some devices only: from the command line, in experiments and in what they store.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/store/result_store.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using ::testing::Each;
using testing::Ended;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunCommand;
using testing::Workplace;

Ended PlaceWith(const Workplace& place, std::vector<std::string> more) {
  std::vector<std::string> args = {"place",
                                   "--graph",
                                   place.Path("toy.graph.json"),
                                   "--hardware",
                                   place.Path("machines/two.yaml"),
                                   "--evaluations",
                                   "30"};
  args.insert(args.end(), more.begin(), more.end());
  return RunCommand(args);
}

std::vector<std::string> PlacementIn(const std::string& plan) {
  return nlohmann::json::parse(plan).at("placement").get<std::vector<std::string>>();
}

TEST(DevicesTest, PlacePutsOpsOnTheNamedDevicesOnly) {
  for (const char* agent : {"random", "heft", "local_search"}) {
    const Workplace place;
    const Ended ended = PlaceWith(place, {"--agent", agent, "--devices", "gpu1", "--out", "-"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(PlacementIn(ended.out), Each("gpu1")) << agent;
  }
}

TEST(DevicesTest, ADeviceThatIsNotThereIsNamed) {
  const Workplace place;
  const Ended ended = PlaceWith(place, {"--devices", "gpu0,gpu7"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err,
              HasSubstr("devices: found \"gpu7\"; did you mean \"gpu0\"?, expected a device of "
                        "machine \"two\": gpu0, gpu1"));
}

TEST(DevicesTest, AnExperimentIsStoredValidatedAndRepeatedWithItsDevices) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "devices=[gpu1]"}).status, 0);
  ResultStore store = ResultStore::OpenToRead(place.Path("results"));
  for (const StoredRun& run : store.Runs()) {
    EXPECT_THAT(PlacementIn(store.PlanOf(run.id)), Each("gpu1"));
    EXPECT_THAT(run.record.settings, HasSubstr(R"("devices":["gpu1"])"));
    EXPECT_THAT(run.record.reproduce, HasSubstr(" --devices gpu1 "));
  }
  EXPECT_EQ(RunCommand({"validate", place.Path("results")}).status, 0);
}

TEST(DevicesTest, ResumingWithOtherDevicesIsRefused) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "devices=[gpu1]"}).status, 0);
  EXPECT_EQ(place.RunExperiment({"--resume", "--set", "devices=[gpu1]"}).status, 0);
  const Ended other = place.RunExperiment({"--resume"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("devices: the results were made with"));
}

TEST(DevicesTest, ResultsOnSomeDevicesAreNoBestKnownPlans) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "devices=[gpu1]"}).status, 0);
  const Ended best =
      RunCommand({"results", "best-known", place.Path("results"), "--out", place.Path("best")});
  EXPECT_EQ(best.status, 2);
  EXPECT_THAT(best.err, HasSubstr("found devices, expected all of the machine"));
}

TEST(DevicesTest, AnExperimentWhoseMachineLacksADeviceIsRefusedBeforeItRuns) {
  const Workplace place;
  const Ended ended = place.RunExperiment({"--set", "devices=[gpu1, npu0]"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("devices: found \"npu0\""));
  EXPECT_THAT(place.RunExperiment({"--set", "devices=[]"}).err,
              HasSubstr("devices: found no device, expected at least one"));
}

TEST(DevicesTest, NullInALaterLayerMeansAllDevices) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "devices=[gpu1]", "--set", "devices=null"}).status, 0);
  const std::vector<StoredRun> runs = ResultStore::OpenToRead(place.Path("results")).Runs();
  EXPECT_THAT(runs[0].record.settings, Not(HasSubstr("devices")));
}

TEST(UnsupportedTest, OpsStayOffDevicesThatDoNotRunTheirType) {
  const Workplace place;
  place.Write("machines/two.yaml",
              "schema_version: 1\nname: two\ndevices:\n  - {name: gpu0, type: tiny, unsupported: "
              "[Custom]}\n  - {name: gpu1, type: tiny}\nlinks:\n  - {name: cable, between: [gpu0, "
              "gpu1], bandwidth: 1 GB/s, latency: 0 us}\n");
  const Ended ended = PlaceWith(place, {"--agent", "random", "--out", "-"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::vector<std::string> placement = PlacementIn(ended.out);
  EXPECT_EQ(placement[1], "gpu1");  // b and c are Custom, a is not
  EXPECT_EQ(placement[2], "gpu1");
  const Ended none = PlaceWith(place, {"--devices", "gpu0"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("op \"b\" may run on no device"));
  EXPECT_THAT(none.err, HasSubstr("\"gpu0\" runs no \"Custom\" (unsupported)"));
}

}  // namespace
}  // namespace opyard::experiments
