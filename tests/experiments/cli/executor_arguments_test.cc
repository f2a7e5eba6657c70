#include "experiments/cli/executor_arguments.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

TEST(ExecutorArgumentsTest, ThisProcessIsTheDefaultAndMayBeNamed) {
  const Workplace place;
  EXPECT_EQ(place.RunExperiment({"--executor", "local"}).status, 0);
}

TEST(ExecutorArgumentsTest, OthersNeedThePythonPackage) {
  for (const char* subcommand : {"run", "train", "tune"}) {
    const Ended ended = RunCommand({subcommand, "quickstart", "--executor", "ray"});
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("the Python package")) << subcommand;
  }
}

TEST(ExecutorArgumentsTest, OptionsOfOthersAreRefusedWithoutThem) {
  const Ended ended = RunCommand({"run", "quickstart", "--pieces", "4"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err, "--pieces: found it with --executor local, expected ray or slurm there\n");
}

TEST(DryRunTest, CountsTheRunsOfAPieceAndStoresNothing) {
  const Workplace place;
  const Ended ended = place.RunExperiment({"--dry-run", "--json", "--shard", "1/2"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.Json().at("runs"), 2);  // of 3: random with two seeds, single_device with one
  EXPECT_EQ(ended.Json().at("resolved").at("name"), "toy");
  EXPECT_EQ(ended.Json().at("graphs").at("toy.graph.json").get<std::string>().size(), 64U);
  EXPECT_FALSE(std::filesystem::exists(place.Path("results")));
}

TEST(DryRunTest, RefusesWhatWouldNotBegin) {
  const Workplace place;
  const Ended ended = place.RunExperiment({"--dry-run", "--set", "graphs=[absent.graph.json]"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("absent.graph.json"));
}

}  // namespace
}  // namespace opyard::experiments
