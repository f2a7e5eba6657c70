#include "experiments/runner/graphs/op_timings.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/small_graphs.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeGraph;
using ::testing::Pair;

sim::OpSpec OpOf(const std::string& name, const std::string& type) {
  return {.name = name, .type = type};
}

// Those that the timings are for; tables do not ask for them.
ProfiledTypes SomeTypes() {
  return ProfiledTypes(*MakeGraph({OpOf("a", "mm")}));
}

std::string Refusal(const std::string& name, const std::string& text) {
  const testing::TemporaryFolder folder;
  try {
    static_cast<void>(ReadTimings(folder.Write(name, text), SomeTypes()));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(OpTimingsTest, ReadsATableInAnyOfItsUnits) {
  const testing::TemporaryFolder folder;
  const std::vector<Timing> seconds =
      ReadTimings(folder.Write("s.csv", "op,seconds\na,0.25\n"), SomeTypes()).list;
  ASSERT_EQ(seconds.size(), 1U);
  EXPECT_EQ(seconds[0].name, "a");
  EXPECT_EQ(seconds[0].seconds, 0.25);
  EXPECT_EQ(
      ReadTimings(folder.Write("m.csv", "note,ms,name\n,250,a\n"), SomeTypes()).list[0].seconds,
      0.25);
  EXPECT_EQ(ReadTimings(folder.Write("u.csv", "op,us\na,0\n"), SomeTypes()).list[0].seconds, 0.0);
}

TEST(OpTimingsTest, AByteOrderMarkAndBlanksAroundCellsDoNotCount) {
  const testing::TemporaryFolder folder;
  const std::vector<Timing> timings =
      ReadTimings(folder.Write("b.csv", "\xEF\xBB\xBFop , ms\na b\t, 250 \n \" c\" ,\t2\n"),
                  SomeTypes())
          .list;
  ASSERT_EQ(timings.size(), 2U);
  EXPECT_EQ(timings[0].name, "a b");
  EXPECT_EQ(timings[0].seconds, 0.25);
  EXPECT_EQ(timings[1].name, " c");  // within quotes they do
}

TEST(OpTimingsTest, ATableHoldsLaunchesATraceOfAGpuDoesNot) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(ReadTimings(folder.Write("t.csv", "op,us\na,1\n"), SomeTypes()).measured,
            sim::Measured::kWithLaunch);
  const std::string op =
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 2, "args": {"External id": 7}})";
  const std::string kernel =
      R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 2, "dur": 3, "args": {"External id": 7}})";
  const auto read = [&](const std::string& events) {
    return ReadTimings(folder.Write("t.json", R"({"traceEvents": [)" + events + "]}"), SomeTypes());
  };
  EXPECT_EQ(read(op).measured, sim::Measured::kWithLaunch);
  EXPECT_EQ(read(op + ", " + kernel).measured, sim::Measured::kKernel);
}

TEST(OpTimingsTest, ReadsTheCompleteEventsOfATraceByTheirStarts) {
  const testing::TemporaryFolder folder;
  const std::vector<Timing> timings =
      ReadTimings(folder.Write("t.json",
                               R"({"schemaVersion": 1, "traceEvents": [
 {"ph": "X", "cat": "cpu_op", "name": "second", "ts": 20.5, "dur": 3, "args": {"dur": 9}},
 {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},
 {"ph": "X", "cat": "cpu_op", "name": "first", "ts": 10, "dur": 2.5, "tid": 1}],
 "deviceProperties": [{"id": 0}]})"),
                  SomeTypes())
          .list;
  ASSERT_EQ(timings.size(), 2U);
  EXPECT_EQ(timings[0].name, "first");
  EXPECT_DOUBLE_EQ(timings[0].seconds, 2.5e-6);
  EXPECT_EQ(timings[1].name, "second");
}

TEST(OpTimingsTest, RefusesWithThePlace) {
  EXPECT_THAT(Refusal("t.csv", "op,minutes\na,1\n"), HasSubstr("one of seconds, ms, us"));
  EXPECT_THAT(Refusal("t.csv", ""), HasSubstr("expected a column op"));
  EXPECT_THAT(Refusal("t.csv", "op,us,note,ms\na,1,,2\n"),
              HasSubstr("t.csv:1: found the columns of times us, ms, expected one"));
  EXPECT_THAT(Refusal("t.csv", "op,us\na,1\nb,soon\n"), HasSubstr("t.csv:3: found \"soon\""));
  EXPECT_THAT(Refusal("t.csv", "op,us\na,-1\n"), HasSubstr("t.csv:2: found a time of"));
  EXPECT_THAT(Refusal("t.csv", "op,us\na,nan\n"), HasSubstr("t.csv:2: found a time of"));
  EXPECT_THAT(Refusal("t.json", R"({"traceEvents": [{"ph": "X", "name": "a", "ts": 1}]})"),
              HasSubstr("#/traceEvents/0: found a time of"));
  EXPECT_THAT(Refusal("t.json", R"({"traceEvents": [)"), HasSubstr("t.json:1:"));
}

TEST(OpTimingsTest, AnOpTakesTheMedianOfItsTimings) {
  const auto graph = MakeGraph({OpOf("a", "Relu"), OpOf("b", "Relu")});
  const TimingMatch match =
      Match(*graph, {{"a", 9.0}, {"a", 2.0}, {"b", 4.0}, {"a", 3.0}, {"b", 5.0}});
  EXPECT_THAT(match.seconds, ElementsAre(Pair(0, 3.0), Pair(1, 4.5)));
  EXPECT_EQ(match.num_by_name, 2);
  EXPECT_TRUE(match.unmatched.empty());
}

TEST(OpTimingsTest, TimingsOfATypeBelongToItsOpsInOrder) {
  // d stands last but is first in topological order among the ops without a timing by name.
  const auto graph = MakeGraph({testing::TimedOp("a", 1), OpOf("b", "mm"), OpOf("d", "MM")});
  const TimingMatch match =
      Match(*graph, {{"aten::mm", 1.0}, {"aten::mm", 2.0}, {"aten::mm", 3.0}, {"aten::mm", 4.0}});
  // Two steps of two ops: b ran for 1 and 3, d for 2 and 4.
  EXPECT_THAT(match.seconds, ElementsAre(Pair(1, 2.0), Pair(2, 3.0)));
  EXPECT_EQ(match.num_by_order, 2);
}

// aten::mm and aten::addmm are both MatMul.
TEST(OpTimingsTest, AtenNamesAreOfTheTypeThatImportersGiveThem) {
  const auto graph = MakeGraph({OpOf("a", "MatMul"), OpOf("b", "MatMul"), OpOf("c", "Relu")});
  const TimingMatch match =
      Match(*graph, {{"aten::addmm", 1.0}, {"aten::mm", 2.0}, {"aten::relu_", 3.0}});
  EXPECT_THAT(match.seconds, ElementsAre(Pair(0, 1.0), Pair(1, 2.0), Pair(2, 3.0)));
  EXPECT_TRUE(match.unmatched.empty());
}

TEST(OpTimingsTest, NamesWinOverTypes) {
  const auto graph = MakeGraph({OpOf("mm", "mm"), OpOf("other", "mm")});
  const TimingMatch match = Match(*graph, {{"mm", 5.0}, {"aten::mm", 7.0}});
  EXPECT_THAT(match.seconds, ElementsAre(Pair(0, 5.0), Pair(1, 7.0)));
}

TEST(OpTimingsTest, WhatDoesNotComeOutEvenIsListed) {
  const auto graph = MakeGraph({OpOf("a", "mm"), OpOf("b", "mm"), OpOf("c", "Relu")});
  const TimingMatch match = Match(
      *graph, {{"aten::mm", 1.0}, {"aten::mm", 2.0}, {"aten::mm", 3.0}, {"Memcpy HtoD", 1.0}});
  EXPECT_TRUE(match.seconds.empty());
  EXPECT_THAT(match.unmatched, ElementsAre("Memcpy HtoD", "aten::mm"));
}

TEST(OpTimingsTest, TimesReplaceThoseOfTheirDeviceOnly) {
  sim::OpSpec op = OpOf("a", "mm");
  op.seconds = {{.where = "gpu", .seconds = 1.0}, {.where = "*", .seconds = 2.0}};
  const auto graph = MakeGraph({op, OpOf("b", "mm")});
  const auto timed = WithTimes(*graph, {.seconds = {{0, 0.5}}}, "gpu", sim::Measured::kWithLaunch);
  const auto times = timed->measured_times(OpId(std::size_t{0}));
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].where, "*");
  EXPECT_EQ(times[0].seconds, 2.0);
  EXPECT_EQ(times[1].where, "gpu");
  EXPECT_EQ(times[1].seconds, 0.5);
  EXPECT_TRUE(timed->measured_times(OpId(std::size_t{1})).empty());
}

TEST(OpTimingsTest, AGraphHoldsTimesOfOneKind) {
  sim::OpSpec op = OpOf("a", "mm");
  op.seconds = {{.where = "gpu", .seconds = 1.0}};
  const auto graph = MakeGraph({op, testing::VariableOp("w", 4)});  // w has a time of 0
  const TimingMatch match = {.seconds = {{0, 0.5}}};
  EXPECT_EQ(WithTimes(*graph, match, "gpu", sim::Measured::kKernel)->measured(),
            sim::Measured::kKernel);
  try {
    static_cast<void>(WithTimes(*graph, match, "cpu", sim::Measured::kKernel));
    FAIL() << "the time for gpu holds a launch";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("op \"a\" has a time for \"gpu\" measured with_launch"));
  }
}

}  // namespace
}  // namespace opyard::experiments
