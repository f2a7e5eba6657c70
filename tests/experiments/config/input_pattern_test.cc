#include "experiments/config/input_pattern.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/config/read_experiment.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::ErrorOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Read;
using testing::WithLine;
using testing::Workplace;

TEST(InputPatternTest, IsAPathWithAStarInItsLastPart) {
  EXPECT_TRUE(IsGraphPattern("*.stg"));
  EXPECT_TRUE(IsGraphPattern("sets/50/rand*"));
  EXPECT_FALSE(IsGraphPattern("sets/50/rand0000.stg"));
  EXPECT_FALSE(IsGraphPattern("se*/rand0000.stg"));
  EXPECT_FALSE(IsGraphPattern("random:layered?n=*"));
  EXPECT_TRUE(IsGraphPattern("zoo:*?scale=small"));
  EXPECT_TRUE(IsMachinePattern("p100x*-pcie"));
  EXPECT_FALSE(IsMachinePattern("p100x2-pcie"));
}

TEST(InputPatternTest, StandsForShippedNamesWhereNoFileMatches) {
  EXPECT_THAT(GraphsOf("gnmt*", "."), ElementsAre("gnmt2"));
  EXPECT_THAT(MachinesOf("p100x*-pcie", "."),
              ElementsAre("p100x1-pcie", "p100x2-pcie", "p100x4-pcie", "p100x8-pcie"));
  EXPECT_THAT(MachinesOf("./p100x*-pcie", "."), IsEmpty());  // a path is never a name
}

TEST(InputPatternTest, StandsForFamiliesWithTheOptionsOfThePattern) {
  EXPECT_THAT(GraphsOf("zoo:res*?scale=small", "."), ElementsAre("zoo:resnet50?scale=small"));
  EXPECT_THAT(GraphsOf("zoo:*vgg*", "."), ElementsAre("zoo:vgg16"));
  EXPECT_THAT(GraphsOf("zoo:none*", "."), IsEmpty());
  EXPECT_FALSE(IsGraphPattern("zo*:vgg16"));
}

TEST(InputPatternTest, GivesAnExperimentItsMachines) {
  const Workplace place;
  place.Write("machines/three.yaml", "");
  place.Write("experiment.yaml", WithLine(4, "hardware: [\"machines/t*.yaml\"]"));
  EXPECT_THAT(Read(place).hardware, ElementsAre("machines/three.yaml", "machines/two.yaml"));
  EXPECT_THAT(Read(place).hardware_places, ElementsAre(HasSubstr("4:12"), HasSubstr("4:12")));
}

TEST(InputPatternTest, StandsForTheFilesItMatchesSortedByName) {
  const opyard::testing::TemporaryFolder folder;
  for (const char* name : {"b.stg", "a.stg", "a.stg.bak", ".a.stg", "sub/c.stg"}) {
    folder.Write(name, "");
  }
  std::filesystem::create_directory(folder.path() / "d.stg");
  EXPECT_THAT(FilesOf((folder.path() / "*.stg").string(), "."),
              ElementsAre(EndsWith("/a.stg"), EndsWith("/b.stg")));
  EXPECT_THAT(FilesOf((folder.path() / "*a*g*").string(), "."),
              ElementsAre(EndsWith("/a.stg"), EndsWith("/a.stg.bak")));
  EXPECT_THAT(FilesOf((folder.path() / "*z").string(), "."), IsEmpty());
  EXPECT_THAT(FilesOf("no/such/folder/*", folder.path()), IsEmpty());
}

TEST(InputPatternTest, IsSearchedInTheExperimentsFolderSecond) {
  const opyard::testing::TemporaryFolder folder;
  folder.Write("set/a.stg", "");
  folder.Write("b.unlike-any", "");
  EXPECT_THAT(FilesOf("set/*.stg", folder.path()), ElementsAre("set/a.stg"));
  EXPECT_THAT(FilesOf("*.unlike-any", folder.path()), ElementsAre("./b.unlike-any"));
}

TEST(InputPatternTest, GivesAnExperimentItsGraphs) {
  const Workplace place;
  place.Write("set/b.stg", "");
  place.Write("set/a.stg", "");
  place.Write("experiment.yaml", WithLine(3, "graphs: [toy.graph.json, \"set/*.stg\"]"));
  EXPECT_THAT(Read(place).graphs, ElementsAre("toy.graph.json", "set/a.stg", "set/b.stg"));
  EXPECT_THAT(Read(place).graph_places,
              ElementsAre(HasSubstr("3:10"), HasSubstr("3:26"), HasSubstr("3:26")));
}

TEST(InputPatternTest, ThatNothingMatchesIsRefusedAndSoIsAFileGivenTwice) {
  const Workplace place;
  place.Write("set/a.stg", "");
  place.Write("experiment.yaml", WithLine(3, "graphs: [\"set/*.gxl\"]"));
  EXPECT_THAT(ErrorOf(place), HasSubstr(":3:10: graphs: found no file \"set/*.gxl\", from the "));
  place.Write("experiment.yaml", WithLine(3, "graphs: [set/a.stg, \"set/*\"]"));
  EXPECT_THAT(ErrorOf(place), HasSubstr(":3:21: graphs: found \"set/a.stg\" twice"));
}

}  // namespace
}  // namespace opyard::experiments
