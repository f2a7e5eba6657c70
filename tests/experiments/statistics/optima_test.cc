#include "experiments/statistics/optima.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  const opyard::testing::TemporaryFolder folder;
  try {
    static_cast<void>(ReadOptima(folder.Write("optima.csv", text)));
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(OptimaTest, ColumnsStandInAnyOrderAndOthersDoNotCount) {
  const opyard::testing::TemporaryFolder folder;
  const auto rows = ReadOptima(folder.Write("optima.csv",
                                            "proven,agent,makespan_s,machine,graph\n"
                                            "true,heft,0.055,m,a.stg\n"
                                            "false,brkga,2,m,b.stg\n"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].graph, "a.stg");
  EXPECT_EQ(rows[0].machine, "m");
  EXPECT_EQ(rows[0].optimum.makespan, SimTime{55'000'000'000});  // 55 ms, exactly
  EXPECT_TRUE(rows[0].optimum.is_proven);
  EXPECT_FALSE(rows[1].optimum.is_proven);
  EXPECT_THAT(rows[1].place, HasSubstr("optima.csv:3"));
}

TEST(OptimaTest, AllThatIsWrongIsReportedWithItsLine) {
  const std::string titles = "graph,machine,makespan_s,proven\n";
  EXPECT_THAT(ErrorOf(""), HasSubstr("optima.csv:1: found no line of titles, expected graph"));
  EXPECT_THAT(ErrorOf("graph,machine,proven\n"),
              HasSubstr(":1: found the columns graph, machine, proven, expected graph, machine, "));
  const std::string error = ErrorOf(titles + "g,m,0,true\ng,m,1,yes\n,m,1,true\ng,m,1e7,true\n");
  EXPECT_THAT(error, HasSubstr(":2: makespan_s: found \"0\", expected seconds, above 0"));
  EXPECT_THAT(error, HasSubstr(":3: proven: found \"yes\", expected true or false"));
  EXPECT_THAT(error, HasSubstr(":4: found no graph or no machine"));
  EXPECT_THAT(error, HasSubstr(":5: makespan_s: found \"1e7\""));
}

}  // namespace
}  // namespace opyard::experiments
