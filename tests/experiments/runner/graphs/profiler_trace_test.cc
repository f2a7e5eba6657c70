// Run times out of traces of PyTorch's profiler, in the form that it exports.
#include "experiments/runner/graphs/profiler_trace.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;

sim::OpSpec OpOf(const std::string& name, const std::string& type) {
  return {.name = name, .type = type};
}

std::vector<std::string> NamesIn(const std::vector<Timing>& timings) {
  std::vector<std::string> names;
  for (const Timing& timing : timings) {
    names.push_back(timing.name);
  }
  return names;
}

// For a graph with products alone.
std::vector<Timing> Read(const std::string& events) {
  const ProfiledTypes types(*testing::MakeGraph({OpOf("a", "MatMul")}));
  return ReadProfilerTrace(R"({"traceEvents": [)" + events + "]}", "t.json", types).list;
}

// aten::linear runs from 10 to 30 and calls aten::addmm; the next aten::mm begins at its end.
TEST(ProfilerTraceTest, WhatAKnownOpCallsIsPartOfIt) {
  const std::vector<Timing> timings = Read(R"(
 {"ph": "X", "name": "aten::addmm", "pid": 1, "tid": 1, "ts": 12, "dur": 15},
 {"ph": "X", "name": "aten::linear", "pid": 1, "tid": 1, "ts": 10, "dur": 20},
 {"ph": "X", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 30, "dur": 5})");
  EXPECT_THAT(NamesIn(timings), ElementsAre("aten::linear", "aten::mm"));
  EXPECT_DOUBLE_EQ(timings[0].seconds, 20e-6);
}

// Autograd's MmBackward0 is no op of a graph, and aten::t, a view, takes no time.
TEST(ProfilerTraceTest, WhatOtherEventsCallIsListed) {
  const std::vector<Timing> timings = Read(R"(
 {"ph": "X", "name": "MmBackward0", "pid": 1, "tid": 2, "ts": 10, "dur": 20},
 {"ph": "X", "name": "aten::t", "pid": 1, "tid": 2, "ts": 11, "dur": 9},
 {"ph": "X", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 12, "dur": 5})");
  EXPECT_THAT(NamesIn(timings), ElementsAre("MmBackward0", "aten::t", "aten::mm"));
}

TEST(ProfilerTraceTest, ThreadsDoNotContainEachOther) {
  const std::vector<Timing> timings = Read(R"(
 {"ph": "X", "name": "aten::linear", "pid": 1, "tid": 1, "ts": 10, "dur": 20},
 {"ph": "X", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 12, "dur": 5})");
  EXPECT_THAT(NamesIn(timings), ElementsAre("aten::linear", "aten::mm"));
}

// On a GPU an op's `dur` is the time of launching. Kernels: 100 us by addmm (id 2), 7 us by a copy
// within linear (id 1), 40 us by mm (id 3): linear takes 107 us, mm 40 us.
TEST(ProfilerTraceTest, OpsTakeTheTimeOfTheKernelsTheyLaunched) {
  const std::vector<Timing> timings = Read(R"(
 {"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 1, "tid": 1, "ts": 10, "dur": 20, "args": {"External id": 1}},
 {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 1, "ts": 12, "dur": 15, "args": {"External id": 2}},
 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 40, "dur": 5, "args": {"External id": 3}},
 {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy", "pid": 0, "tid": 7, "ts": 15, "dur": 7, "args": {"External id": 1}},
 {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 25, "dur": 100, "args": {"External id": 2}},
 {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 125, "dur": 40, "args": {"External id": 3}})");
  EXPECT_THAT(NamesIn(timings), ElementsAre("aten::linear", "aten::mm"));
  EXPECT_DOUBLE_EQ(timings[0].seconds, 107e-6);
  EXPECT_DOUBLE_EQ(timings[1].seconds, 40e-6);
}

TEST(ProfilerTraceTest, RefusesATimeThatIsNone) {
  EXPECT_THROW(static_cast<void>(Read(R"({"ph": "X", "name": "aten::mm", "ts": 1, "dur": -1})")),
               InputError);
}

// aten::cross_entropy_loss is no op of the graph, so that what it calls is looked for.
TEST(ProfilerTraceTest, WhatTheGraphHasNotContainsNothing) {
  const std::vector<Timing> timings = Read(R"(
 {"ph": "X", "name": "aten::cross_entropy_loss", "pid": 1, "tid": 1, "ts": 10, "dur": 20},
 {"ph": "X", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 12, "dur": 5})");
  EXPECT_THAT(NamesIn(timings), ElementsAre("aten::cross_entropy_loss", "aten::mm"));
}

}  // namespace
}  // namespace opyard::experiments
