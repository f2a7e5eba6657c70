#include "experiments/text/csv.h"

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

TEST(CsvTableTest, QuotesOnlyFieldsThatNeedIt) {
  CsvTable table({"a", "b"});
  table.AddRow({"x y", "1,5"});
  table.AddRow({"say \"no\"", "two\nlines"});
  EXPECT_EQ(table.text(), "a,b\nx y,\"1,5\"\n\"say \"\"no\"\"\",\"two\nlines\"\n");
  EXPECT_EQ(table.num_rows(), 2U);
}

}  // namespace
}  // namespace opyard::experiments
