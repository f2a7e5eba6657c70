#include "experiments/runner/config/graph_pattern.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/runner/config/read_experiment.h"
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

TEST(GraphPatternTest, IsAPathWithAStarInItsLastPart) {
  EXPECT_TRUE(IsGraphPattern("*.stg"));
  EXPECT_TRUE(IsGraphPattern("sets/50/rand*"));
  EXPECT_FALSE(IsGraphPattern("sets/50/rand0000.stg"));
  EXPECT_FALSE(IsGraphPattern("se*/rand0000.stg"));
  EXPECT_FALSE(IsGraphPattern("random:layered?n=*"));
}

TEST(GraphPatternTest, StandsForTheFilesItMatchesSortedByName) {
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

TEST(GraphPatternTest, IsLookedForInTheExperimentsFolderSecond) {
  const opyard::testing::TemporaryFolder folder;
  folder.Write("set/a.stg", "");
  folder.Write("b.unlike-any", "");
  EXPECT_THAT(FilesOf("set/*.stg", folder.path()), ElementsAre("set/a.stg"));
  EXPECT_THAT(FilesOf("*.unlike-any", folder.path()), ElementsAre("./b.unlike-any"));
}

TEST(GraphPatternTest, GivesAnExperimentItsGraphs) {
  const Workplace place;
  place.Write("set/b.stg", "");
  place.Write("set/a.stg", "");
  place.Write("experiment.yaml", WithLine(3, "graphs: [toy.graph.json, \"set/*.stg\"]"));
  EXPECT_THAT(Read(place).graphs, ElementsAre("toy.graph.json", "set/a.stg", "set/b.stg"));
  EXPECT_THAT(Read(place).graph_places,
              ElementsAre(HasSubstr("3:10"), HasSubstr("3:26"), HasSubstr("3:26")));
}

TEST(GraphPatternTest, ThatNothingMatchesIsRefusedAndSoIsAFileGivenTwice) {
  const Workplace place;
  place.Write("set/a.stg", "");
  place.Write("experiment.yaml", WithLine(3, "graphs: [\"set/*.gxl\"]"));
  EXPECT_THAT(ErrorOf(place), HasSubstr(":3:10: graphs: found no file \"set/*.gxl\", from the "));
  place.Write("experiment.yaml", WithLine(3, "graphs: [set/a.stg, \"set/*\"]"));
  EXPECT_THAT(ErrorOf(place), HasSubstr(":3:21: graphs: found \"set/a.stg\" twice"));
}

}  // namespace
}  // namespace opyard::experiments
