#include "experiments/cli/results/show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/store/sqlite.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunCommand;
using testing::Workplace;

void Execute(const Workplace& place, const std::string& sql) {
  Database(place.Path("results/results.sqlite"), OpenMode::kReadWrite).Execute(sql);
}

TEST(ResultsShowTest, NamesTheCellsThatAreMissing) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  Execute(place, "DELETE FROM runs WHERE agent = 'random' AND seed = 1");
  const Ended show = RunCommand({"results", "show", place.Path("results")});
  EXPECT_THAT(show.out, HasSubstr("experiment toy: 2 done, 0 failed, 1 missing\n"));
  EXPECT_THAT(show.out,
              HasSubstr("missing: toy.graph.json · machines/two.yaml · random · seed 1\n"));
  // a 2 ms, then c 5 ms, which does not fuse with it.
  EXPECT_THAT(show.out, HasSubstr("lower_bound of toy.graph.json · machines/two.yaml: 7.000 ms"));
  const nlohmann::json cells =
      RunCommand({"results", "show", place.Path("results"), "--agent", "random", "--json"})
          .Json()
          .at("cells");
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].at("status"), "done");
  EXPECT_EQ(cells[1].at("status"), "missing");
  EXPECT_EQ(cells[1].at("seed"), 1);
}

TEST(ResultsShowTest, SaysWhyARunFailed) {
  const Workplace place;
  // 1 GiB per device: a's output of 2 GB does not fit.
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("1000000"), 7, "2000000000");
  place.Write("toy.graph.json", graph);
  ASSERT_EQ(place.RunExperiment({"--set", "agents=[single_device]"}).status, 0);
  const Ended show = RunCommand({"results", "show", place.Path("results")});
  EXPECT_THAT(show.out, HasSubstr("0 done, 1 failed, 0 missing"));
  EXPECT_THAT(show.out, HasSubstr("seed 0: out of memory on gpu"));
  EXPECT_THAT(show.out, HasSubstr("a asked for 1.86 GiB"));  // 2e9 / 2^30
  EXPECT_THAT(show.out, HasSubstr("after 2 of 2 plans failed"));
}

TEST(ResultsShowTest, PrintsTheExperimentThatTheStoreIsOf) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "budget.evaluations=9"}).status, 0);
  const Ended show = RunCommand({"results", "show", place.Path("results"), "--resolved"});
  place.Write("again.yaml", show.out);
  const Ended again = RunCommand(
      {"run", place.Path("again.yaml"), "--out", place.Path("results"), "--resume", "--json"});
  EXPECT_EQ(again.status, 0) << again.err;  // nothing differs, nothing is missing
  EXPECT_EQ(again.Json().at("cells").size(), 3U);
}

TEST(ResultsShowTest, OfAnOlderStoreItIsUnknownWhatIsMissing) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  Execute(place, "DELETE FROM info WHERE key IN ('matrix', 'resolved', 'shard')");
  EXPECT_THAT(RunCommand({"results", "show", place.Path("results")}).out,
              HasSubstr("missing: unknown"));
  EXPECT_EQ(RunCommand({"results", "show", place.Path("results"), "--resolved"}).status, 2);
  ASSERT_EQ(place.RunExperiment({"--resume"}).status, 0);
  EXPECT_THAT(RunCommand({"results", "show", place.Path("results")}).out,
              Not(HasSubstr("unknown")));
}

}  // namespace
}  // namespace opyard::experiments
