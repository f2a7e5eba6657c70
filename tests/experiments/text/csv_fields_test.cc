#include "experiments/text/csv_fields.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;

constexpr auto kTitles = std::to_array<const char*>({"b", "a", "c"});

std::string ErrorOf(const std::vector<CsvRow>& rows) {
  try {
    static_cast<void>(FindColumns(rows, kTitles, "t.csv"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(CsvFieldsTest, ColumnsAreFoundByTheirTitles) {
  const std::vector<CsvRow> rows = {{.line = 1, .fields = {"a", "x", "c", "b"}}};
  EXPECT_THAT(FindColumns(rows, kTitles, "t.csv"), ElementsAre(3, 0, 2));
}

TEST(CsvFieldsTest, AMissingTitleIsReportedBesideThoseThatAreThere) {
  EXPECT_EQ(ErrorOf({{.line = 1, .fields = {"a", "c"}}}),
            "t.csv:1: found the columns a, c, expected b, a and c");
  EXPECT_EQ(ErrorOf({}), "t.csv:1: found no line of titles, expected b, a and c");
}

TEST(CsvFieldsTest, AFieldIsANumberAsAWholeOrNotAtAll) {
  EXPECT_EQ(NumberIn("-2.5e3"), -2500.0);
  EXPECT_EQ(CountIn("12"), 12);
  EXPECT_EQ(TimeIn("0.055"), SimTime{55'000'000'000});  // 55 ms, exactly
  for (const char* field : {"", "1x", " 1", "nan", "inf", "1e999"}) {
    EXPECT_FALSE(NumberIn(field).has_value()) << field;
    EXPECT_FALSE(TimeIn(field).has_value()) << field;
  }
  for (const char* field : {"", "1.0", "-1", "9223372036854775808"}) {
    EXPECT_FALSE(CountIn(field).has_value()) << field;
  }
  EXPECT_FALSE(TimeIn("-1").has_value());
  EXPECT_FALSE(TimeIn("5e6").has_value());  // beyond 4.6e6 s
}

}  // namespace
}  // namespace opyard::experiments
