#include "experiments/cli/validate.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/store/compression.h"
#include "experiments/store/sqlite.h"
#include "tests/experiments/workplace.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

void Execute(const Workplace& place, const std::string& sql) {
  Database(place.Path("results/results.sqlite"), OpenMode::kReadWrite).Execute(sql);
}

void ChangeGraph(const Workplace& place) {
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("0.003"), 5, "0.004");
  place.Write("toy.graph.json", graph);
}

TEST(ValidateTest, AgreesWithWhatARunStored) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  const Ended ended = RunCommand({"validate", place.Path("results")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "3 of 3 stored plans agree to the picosecond\n");
}

TEST(ValidateTest, OnePicosecondIsADifference) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  Execute(place,
          "UPDATE runs SET makespan_ps = makespan_ps + 1 WHERE agent = 'random' AND seed = 0");
  const Ended ended = RunCommand({"validate", place.Path("results"), "--json"});
  EXPECT_EQ(ended.status, 1);
  const nlohmann::json json = ended.Json();
  EXPECT_EQ(json.at("agreed"), 2);
  EXPECT_EQ(json.at("plans"), 3);
  ASSERT_EQ(json.at("differences").size(), 1U);
  EXPECT_THAT(json.at("differences")[0].get<std::string>(), HasSubstr("random, seed 0"));
}

// Makes the store one of schema version 2, which held no graphs and machines.
void MakeVersion2(const Workplace& place) {
  for (const char* column : {"cpu_seconds",
                             "reference_score",
                             "reference_makespan_ps",
                             "reference_seconds",
                             "reference_cpu_seconds",
                             "training_id",
                             "failure",
                             "start",
                             "cost_model",
                             "agent_bound"}) {
    Execute(place, std::string("ALTER TABLE runs DROP COLUMN ") + column);
  }
  Execute(place,
          "DROP TABLE inputs; DROP TABLE trainings; DROP TABLE bounds; PRAGMA user_version = 2");
}

TEST(ValidateTest, AStoreWithoutInputsNeedsTheirFilesUnchanged) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  MakeVersion2(place);
  EXPECT_EQ(RunCommand({"validate", place.Path("results")}).status, 0);
  ChangeGraph(place);
  const Ended ended = RunCommand({"validate", place.Path("results")});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("the graph has changed"));
  EXPECT_THAT(ended.out, HasSubstr("0 of 3"));
}

TEST(ValidateTest, ResumingGivesAnOlderStoreItsInputs) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  MakeVersion2(place);
  ASSERT_EQ(place.RunExperiment({"--resume"}).status, 0);
  std::filesystem::remove(place.Path("toy.graph.json"));
  EXPECT_EQ(RunCommand({"validate", place.Path("results")}).status, 0);
}

TEST(ValidateTest, AStoreAloneReplaysWhereverItIs) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  const opyard::testing::TemporaryFolder elsewhere;
  const std::filesystem::path moved = elsewhere.path() / "moved.sqlite";
  std::filesystem::rename(place.Path("results/results.sqlite"), moved);
  std::filesystem::remove(place.Path("toy.graph.json"));
  std::filesystem::remove_all(place.Path("machines"));
  const Ended ended = RunCommand({"validate", moved.string()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "3 of 3 stored plans agree to the picosecond\n");
}

TEST(ValidateTest, AChangedGraphOrMachineIsNotedButTheRunsAgree) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  ChangeGraph(place);
  place.Write("machines/two.yaml", std::string(testing::kTwoDevices) + "memory: {reserve: 0.5}\n");
  const Ended ended = RunCommand({"validate", place.Path("results")});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, HasSubstr("note: the graph toy.graph.json is another one today"));
  EXPECT_THAT(ended.out, HasSubstr("note: the machine machines/two.yaml is another one today"));
  EXPECT_THAT(ended.out, HasSubstr("3 of 3"));
  EXPECT_EQ(RunCommand({"validate", place.Path("results"), "--json"}).Json().at("notes").size(),
            2U);
}

TEST(ValidateTest, AllDamagedPlansAreReportedAndTheOthersEvaluated) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  {
    // No zlib; zlib of no JSON; a plan for another graph.
    Execute(place, "UPDATE runs SET plan = x'00ff' WHERE id = 1");
    Database database(place.Path("results/results.sqlite"), OpenMode::kReadWrite);
    const std::string broken = Compress("{\"format\": ");
    const std::string other =
        Compress(R"({"format": "opyard-plan/1", "graph": "toy", "placement": ["gpu0", "gpu9"]})");
    database.Prepare("UPDATE runs SET plan = ?1 WHERE id = 2").BindBlob(1, broken).Step();
    database.Prepare("UPDATE runs SET plan = ?1 WHERE id = 3").BindBlob(1, other).Step();
  }
  const Ended ended = RunCommand({"validate", place.Path("results")});
  EXPECT_EQ(ended.status, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("run 1 (toy.graph.json, machines/two.yaml, single_device"));
  EXPECT_THAT(ended.out, HasSubstr("the plan of run 1 cannot be unpacked"));
  EXPECT_THAT(ended.out, HasSubstr("run 2 ("));
  EXPECT_THAT(ended.out, HasSubstr("run 3 ("));
  EXPECT_THAT(ended.out, HasSubstr("0 of 3 stored plans agree"));
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 4) << ended.out;
  const nlohmann::json json = RunCommand({"validate", place.Path("results"), "--json"}).Json();
  EXPECT_EQ(json.at("differences").size(), 3U);
  EXPECT_EQ(json.at("agreed"), 0);
}

TEST(ValidateTest, ALostPlanIsADifference) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  Execute(place, "UPDATE runs SET plan = NULL WHERE id = 2");
  const Ended ended = RunCommand({"validate", place.Path("results")});
  EXPECT_EQ(ended.status, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("its plan is gone"));
  EXPECT_THAT(ended.out, HasSubstr("2 of 3 stored plans agree"));
}

TEST(ValidateTest, ADamagedInputIsADifferenceOfItsRunsAlone) {
  const Workplace place;
  const std::string graph = testing::kTinyGraph;
  place.Write("b.graph.json", std::string(graph).replace(graph.find("0.003"), 5, "0.004"));
  ASSERT_EQ(place.RunExperiment({"--set", "graphs=[toy.graph.json, b.graph.json]"}).status, 0);
  Execute(place,
          "UPDATE inputs SET data = x'00' WHERE sha256 ="
          " (SELECT graph_sha256 FROM runs WHERE graph = 'b.graph.json' LIMIT 1)");
  const Ended ended = RunCommand({"validate", place.Path("results")});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("3 of 6 stored plans agree"));
  EXPECT_THAT(ended.out, HasSubstr("cannot be unpacked"));
}

TEST(ValidateTest, FlippedBytesNeverCrashIt) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  std::ifstream in(place.Path("results/results.sqlite"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t at = 0; at < whole.size(); at += 307) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5A);
    const Ended ended = RunCommand({"validate", place.Write("damaged.sqlite", damaged), "--json"});
    EXPECT_GE(ended.status, 0) << at;
    EXPECT_LE(ended.status, 2) << at;
  }
}

TEST(ValidateTest, AForeignFileIsBadInput) {
  const Workplace place;
  EXPECT_EQ(RunCommand({"validate", place.Path("toy.graph.json")}).status, 2);
  EXPECT_EQ(RunCommand({"validate", place.Path("absent")}).status, 2);
}

}  // namespace
}  // namespace opyard::experiments
