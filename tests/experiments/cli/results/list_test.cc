#include "experiments/cli/results/list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/store/sqlite.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

void Execute(const Workplace& place, const std::string& sql) {
  Database(place.Path("results/results.sqlite"), OpenMode::kReadWrite).Execute(sql);
}

TEST(ResultsListTest, CountsWhatIsDoneFailedAndMissing) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);  // single_device once, random twice
  Execute(place, "DELETE FROM runs WHERE agent = 'random' AND seed = 1");
  const Ended list = RunCommand({"results", "list", place.Path("results")});
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("toy         all       2       0        1"));
  const nlohmann::json json =
      RunCommand({"results", "list", place.Path("results"), "--json"}).Json()[0];
  EXPECT_EQ(json.at("experiment"), "toy");
  EXPECT_EQ(json.at("done"), 2);
  EXPECT_EQ(json.at("failed"), 0);
  EXPECT_EQ(json.at("missing"), 1);
  EXPECT_TRUE(json.at("shard").is_null());
}

}  // namespace
}  // namespace opyard::experiments
