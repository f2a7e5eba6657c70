// Task graphs of the Standard Task Graph Set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/io/text/text_file.h"
#include "tests/graphs/importers/imported.h"

namespace opyard::graphs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kSmall = "tests/fuzz/corpus/stg/small.stg";

TEST(StgTest, TasksAreOpsWithMeasuredMilliseconds) {
  const ImportedGraph imported = ImportGraphFile(kSmall);
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(imported.summary.format, "stg");
  EXPECT_EQ(graph.name(), "small");
  EXPECT_EQ(graph.num_ops(), 7U);  // five tasks and two dummies
  for (const auto& [name, milliseconds] :
       {std::pair("0", 0), {"1", 3}, {"2", 2}, {"3", 4}, {"4", 2}, {"5", 3}, {"6", 0}}) {
    const auto times = graph.measured_times(FindOp(graph, name));
    ASSERT_EQ(times.size(), 1U);
    EXPECT_EQ(times[0].where, "*");
    // Whole numbers stay whole: 1e9 ps each.
    EXPECT_EQ(SimTime::FromSeconds(times[0].seconds), SimTime{milliseconds * 1'000'000'000LL});
  }
}

TEST(StgTest, PrecedenceIsControlEdgesThatSendNothing) {
  const ImportedGraph imported = ImportGraphFile(kSmall);
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(graph.num_tensors(), 0U);
  EXPECT_EQ(graph.num_control_edges(), 9U);
  EXPECT_THAT(graph.control_inputs(FindOp(graph, "4")),
              ElementsAre(FindOp(graph, "1"), FindOp(graph, "2")));
}

TEST(StgTest, TimesHaveTheUnitOfTheOption) {
  const std::string text = "1\n0 7 0\n";
  const Options units({{"seconds_per_cost", 2.0}});
  EXPECT_EQ(ImportText(text, "stg", units).graph->measured_times(OpId(0))[0].seconds, 14.0);
}

TEST(StgTest, LargeWholeTimesStayExact) {
  // 999999 · 1e9 ps, the double of 999.999 s times 1e12 rounded.
  const ImportedGraph imported = ImportText("1\n0 999999 0\n", "stg");
  EXPECT_EQ(SimTime::FromSeconds(imported.graph->measured_times(OpId(0))[0].seconds),
            SimTime{999'999'000'000'000});
}

TEST(StgTest, IsRecognisedByContentToo) {
  const std::string text = sim::ReadTextFile(kSmall);
  EXPECT_EQ(ImportGraph({.bytes = text, .place = "in", .stem = "in"}, "-").summary.format, "stg");
}

TEST(StgTest, PredecessorsMayStandLater) {
  const ImportedGraph imported = ImportText("2\n0 1 1 1  # after task 1\n\n1 1 0\n", "stg");
  EXPECT_THAT(imported.graph->control_inputs(OpId(0)), ElementsAre(OpId(1)));
}

struct Wrong {
  const char* name;
  std::string text;
  const char* message;
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << wrong.name;
}

class WrongStgTest : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongStgTest, IsRefusedWithItsPlace) {
  EXPECT_THAT(MessageOf(GetParam().text, "stg"), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Files,
    WrongStgTest,
    ::testing::Values(
        Wrong{"empty", "# nothing\n", "in:1:1: found the end of the line, expected the number of"},
        Wrong{"no_number", "tasks\n", "in:1:1: found \"tasks\", expected the number of tasks"},
        Wrong{"two_numbers", "1 2\n0 1 0\n", "in:1:3: found \"2\" besides, expected the number"},
        Wrong{"too_many", "9999999\n", "in:1:1: found more tasks than can be read"},
        Wrong{"negative", "1\n0 -3 0\n", "in:2:3: found \"-3\", expected the task's time"},
        Wrong{"fraction", "1\n0 1.5 0\n", "in:2:3: found \"1.5\", expected the task's time"},
        Wrong{"long", "1\n0 4600000001 0\n", "in:2:3: found the time 4600000001, expected 0 to"},
        Wrong{"order", "2\n1 1 0\n0 1 0\n", "in:2:1: found the task 1, expected 0"},
        Wrong{"missing", "2\n0 1 0\n1 1 2 0\n", "in:3:8: found the end of the line, expected pred"},
        Wrong{"besides", "2\n0 1 0\n1 1 1 0 0\n", "in:3:9: found \"0\" besides, expected 1 pred"},
        Wrong{"beyond", "1\n0 1 1 3\n", "in:2:7: found the predecessor 3, expected a task"},
        Wrong{"count", "3\n0 1 0\n1 1 0\n", "in: found 2 tasks, expected 3 or two dummies more"},
        Wrong{"no_tasks", "1\n", "in: found 0 tasks, expected 1 or two dummies more"},
        Wrong{"cycle", "2\n0 1 1 1\n1 1 1 0\n", "in: imported graph"},
        Wrong{"itself", "1\n0 1 1 0\n", "in: imported graph"}),
    [](const auto& file) { return std::string(file.param.name); });

}  // namespace
}  // namespace opyard::graphs
