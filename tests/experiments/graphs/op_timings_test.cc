#include "experiments/graphs/op_timings.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/small_graphs.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;
using testing::MakeGraph;

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
              HasSubstr("#/traceEvents/0: event \"a\": found no dur, expected microseconds"));
  EXPECT_THAT(Refusal("t.json", R"({"traceEvents": [)"), HasSubstr("t.json:1:"));
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
