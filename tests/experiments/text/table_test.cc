#include "experiments/text/table.h"

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

TEST(TextTableTest, ColumnsLineUpInCharactersNotBytes) {
  TextTable table({{.title = "n"}, {.title = "value", .align = Align::kRight}, {.title = "end"}});
  table.AddRow({"ä", "1 ± 2", "x"});
  table.AddRow({"long name", "—", ""});
  EXPECT_EQ(table.Text(),
            "n          value  end\n"
            "ä          1 ± 2  x\n"
            "long name      —\n");
}

}  // namespace
}  // namespace opyard::experiments
