// Warnings about a machine's figures where it is validated, shown and used.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunCommand;
using testing::Workplace;

// The tiny device with another peak.
std::string DeviceWithPeak(const std::string& peaks) {
  std::string device = testing::kTinyDevice;
  const std::string old = "{f32: 1 TFLOP/s}";
  return device.replace(device.find(old), old.size(), peaks);
}

std::vector<std::string> With(const Workplace& place, const std::string& subcommand) {
  return {subcommand,
          "--graph",
          place.Path("toy.graph.json"),
          "--hardware",
          place.Path("machines/two.yaml"),
          "--evaluations",
          "5"};
}

std::size_t CountOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(MachineWarningsTest, AnImplausiblePeakOfATypeShowsOnceWhereverTheMachineIsUsed) {
  const Workplace place;
  place.Write("devices/tiny.yaml", DeviceWithPeak("{f32: 15.7 GFLOP/s}"));
  const std::string text = "a peak of 15.7 GFLOP/s for f32 is implausible for a gpu";
  const std::string machine = place.Path("machines/two.yaml");
  for (const Ended& ended :
       {RunCommand({"profile", "validate", machine}),
        RunCommand({"profile", "show", machine}),
        RunCommand(With(place, "place")),
        RunCommand({"graph", "info", place.Path("toy.graph.json"), "--hardware", machine}),
        place.RunExperiment()}) {
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(CountOf(ended.err, text), 1U) << ended.err;
  }
}

TEST(MachineWarningsTest, WhereNumbersComeFromIsReportedOfTypesWhereAMachineIsValidated) {
  const Workplace place;
  const std::string text = "devices/tiny.yaml:4:9: no provenance says where \"memory\" comes from";
  EXPECT_EQ(CountOf(RunCommand({"profile", "validate", place.Path("machines/two.yaml")}).err, text),
            1U);
  EXPECT_EQ(RunCommand(With(place, "place")).err, "");
}

// a has 7 FLOPs of f32 and no measured time; b and c have none.
constexpr const char* kModelledGraph =
    R"({"format": "opyard-graph/1", "name": "toy", "ops": [
  {"name": "a", "type": "MatMul", "outputs": [{"bytes": 8}], "flops": 7},
  {"name": "b", "type": "MatMul", "dtype": "i8", "outputs": [{"bytes": 8}], "flops": 7},
  {"name": "c", "type": "Custom", "outputs": [{"bytes": 8}], "flops": 0}]})";

TEST(PeaksTest, F32OpsOnADeviceWithOnlyI8AreWarnedOf) {
  const Workplace place;
  place.Write("toy.graph.json", kModelledGraph);
  place.Write("devices/tiny.yaml", DeviceWithPeak("{i8: 4 TFLOP/s}"));
  const std::string text =
      "device type \"tiny\" has no peak_flops for f32: 1 op is taken to run at its "
      "fastest, that of i8, 4.000 TFLOP/s";
  EXPECT_EQ(CountOf(RunCommand(With(place, "place")).err, text), 1U);
  EXPECT_EQ(CountOf(place.RunExperiment().err, text), 1U);
}

TEST(PeaksTest, WithAPeakForF32NothingIsSaid) {
  const Workplace place;
  place.Write("toy.graph.json", kModelledGraph);
  EXPECT_EQ(RunCommand(With(place, "place")).err, "");
}

TEST(OtherFilesTest, AreNamedInOneLineWhereAMachineOrAnExperimentIsExpected) {
  const Workplace place;
  const std::string pod = place.Write("pod.yaml", "apiVersion: v1\nkind: Pod\nspec: {a: 1}\n");
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"profile", "validate", pod},
           {"profile", "show", pod},
           {"run", pod},
           {"graph", "info", place.Path("toy.graph.json"), "--hardware", pod}}) {
    const Ended ended = RunCommand(args);
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("found a Kubernetes manifest (keys apiVersion, kind, spec)"));
    EXPECT_EQ(CountOf(ended.err, "\n"), 1U) << ended.err;
  }
  EXPECT_THAT(RunCommand({"run", place.Path("machines/two.yaml")}).err,
              HasSubstr("found a machine, which an experiment names under hardware"));
  EXPECT_THAT(RunCommand({"profile", "validate", place.Path("experiment.yaml")}).err,
              HasSubstr("found an experiment, which opyard run takes"));
}

}  // namespace
}  // namespace opyard::experiments
