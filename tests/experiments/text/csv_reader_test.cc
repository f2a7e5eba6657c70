#include "experiments/text/csv_reader.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/text/csv.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Refusal(const std::string& text) {
  try {
    static_cast<void>(ReadCsv(text, "t.csv"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CsvReaderTest, ReadsPlainAndQuotedFieldsAndBothLineEnds) {
  const std::vector<CsvRow> rows = ReadCsv("a,b\r\n\"x, \"\"y\"\"\",\n\n\"two\nlines\",3", "t.csv");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[0].fields, ElementsAre("a", "b"));
  EXPECT_THAT(rows[1].fields, ElementsAre("x, \"y\"", ""));
  EXPECT_THAT(rows[2].fields, ElementsAre("two\nlines", "3"));
  EXPECT_EQ(rows[2].line, 4U);  // behind the empty line
}

TEST(CsvReaderTest, ReadsBackWhatTheWriterWrites) {
  CsvTable table({"name", "what"});
  table.AddRow({"a,b", "say \"no\"\nor yes"});
  const std::vector<CsvRow> rows = ReadCsv(table.text(), "t.csv");
  EXPECT_THAT(rows[1].fields, ElementsAre("a,b", "say \"no\"\nor yes"));
}

TEST(CsvReaderTest, NothingHasNoRows) {
  EXPECT_TRUE(ReadCsv("", "t.csv").empty());
  EXPECT_TRUE(ReadCsv("\n\n", "t.csv").empty());
}

TEST(CsvReaderTest, RefusesWithTheLine) {
  EXPECT_THAT(Refusal("a,b\n1,2\n3"), HasSubstr("t.csv:3: found 1 fields, expected 2"));
  EXPECT_THAT(Refusal("a\n\"x"), HasSubstr("t.csv:2: a quote is not closed"));
  EXPECT_THAT(Refusal("a\n\"x\"y"), HasSubstr("t.csv:2: found text behind a closing quote"));
}

}  // namespace
}  // namespace opyard::experiments
