#include "experiments/explain/gantt.h"

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/text/number_format.h"
#include "tests/experiments/explain/explained_plan.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::PlacedOn;
using opyard::testing::TimedOp;
using testing::ExplainedPlan;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::string Picture(const ExplainedPlan& made, const Terminal& terminal) {
  return GanttText(made.step(), made.timeline(), made.path(), terminal);
}

// 10 us: a 0–2 on d0, its copy 2–5, b 5–10 on d1.
ExplainedPlan Chain() {
  return {MakeGraph({TimedOp("a", 2, {}, {3000}), TimedOp("b", 5, {{0, 0}})}),
          MeshMachine(2),
          PlacedOn({0, 1})};
}

TEST(GanttTest, RowsShowWhatIsBusyWhen) {
  // 10 cells of 1 us beside a name of 10 columns, a space and two bars.
  const std::string text = Picture(Chain(), {.columns = 23});
  EXPECT_THAT(text,
              HasSubstr("d0         |##        |\n"
                        "d1         |     #####|\n"
                        "d0-d1>     |  ###     |\n"
                        "egress:d0  |  ###     |\n"
                        "ingress:d1 |  ###     |\n"
                        "path       |KKTTTKKKKK|\n"));
}

TEST(GanttTest, CellsAreAsDarkAsTheyAreFull) {
  // 12 cells of 2.5 us in 30; a 0–1 takes 2/5 of the first one on d0, x 0–30 all of d1.
  const std::string text =
      Picture(ExplainedPlan(
                  MakeGraph({TimedOp("a", 1), TimedOp("x", 30)}), MeshMachine(2), PlacedOn({0, 1})),
              {.columns = 19, .has_unicode = true});
  EXPECT_THAT(text, HasSubstr("d0   |░           |\n"));  // 0.4 of a column: less than half
  EXPECT_THAT(text, HasSubstr("d1   |████████████|\n"));
}

TEST(GanttTest, ColoursOnlyWhereTheTerminalHasThem) {
  EXPECT_THAT(Picture(Chain(), {.columns = 60}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(Picture(Chain(), {.columns = 60, .has_color = true}), HasSubstr("\x1b[32m#\x1b[0m"));
}

TEST(GanttTest, RowsAreAsWideAsTheTerminal) {
  const auto made = opyard::testing::MakeRandomCase(
      5, opyard::testing::Values::kRound, {.least_ops = 50, .most_ops = 80, .least_devices = 4});
  const ExplainedPlan plan(made.graph, made.hardware, made.plan);
  for (const std::size_t columns : {40U, 80U, 133U}) {
    for (const std::string& line : LinesOf(Picture(plan, {.columns = columns}))) {
      if (line.ends_with('|')) {
        EXPECT_EQ(ColumnsOf(line), columns);
      }
    }
  }
}

TEST(GanttTest, AStepWithoutTimeIsEmpty) {
  const std::string text = Picture(
      ExplainedPlan(MakeGraph({TimedOp("a", 0)}), MeshMachine(1), PlacedOn({0})), {.columns = 20});
  EXPECT_THAT(text, HasSubstr("d0   |             |\n"));
}

}  // namespace
}  // namespace opyard::experiments
