// Run times out of traces of PyTorch's profiler, in the form that it exports.
#include "experiments/graphs/profiler_trace.h"

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

Timings ReadFor(const std::vector<sim::OpSpec>& ops, const std::string& events) {
  const ProfiledTypes types(*testing::MakeGraph(ops));
  return ReadProfilerTrace(R"({"traceEvents": [)" + events + "]}", "t.json", types);
}

// For a graph with products alone.
std::vector<Timing> Read(const std::string& events) {
  return ReadFor({OpOf("a", "MatMul")}, events).list;
}

// "ph": "X" of an op of the CPU on thread 1, with its id.
std::string Op(const std::string& name, double start, double length, int id) {
  return R"({"ph": "X", "cat": "cpu_op", "name": ")" + name + R"(", "pid": 1, "tid": 1, "ts": )" +
         std::to_string(start) + R"(, "dur": )" + std::to_string(length) +
         R"(, "args": {"External id": )" + std::to_string(id) + "}},";
}

// The runtime's call that launches kernel `correlation`; it carries the op's id, too.
std::string Launch(double start, int correlation, int id) {
  return R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, )"
         R"("ts": )" +
         std::to_string(start) + R"(, "dur": 5, "args": {"correlation": )" +
         std::to_string(correlation) + R"(, "External id": )" + std::to_string(id) + "}},";
}

// A kernel of `args`; the last event.
std::string Kernel(double start, double length, const std::string& args) {
  return R"({"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": )" +
         std::to_string(start) + R"(, "dur": )" + std::to_string(length) + R"(, "args": {)" + args +
         "}}";
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

// aten::cross_entropy_loss is no op of the graph, so that the ops that it calls are listed, too.
TEST(ProfilerTraceTest, WhatTheGraphHasNotContainsNothing) {
  const std::vector<Timing> timings = Read(R"(
 {"ph": "X", "name": "aten::cross_entropy_loss", "pid": 1, "tid": 1, "ts": 10, "dur": 20},
 {"ph": "X", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 12, "dur": 5})");
  EXPECT_THAT(NamesIn(timings), ElementsAre("aten::cross_entropy_loss", "aten::mm"));
}

// The launch, the kernel and the op all carry id 7: 42 us, not 84.
TEST(ProfilerTraceTest, AKernelCountsOnceThoughItsLaunchCarriesTheIdToo) {
  const std::vector<Timing> timings =
      Read(Op("aten::mm", 100, 30, 7) + Launch(110, 55, 7) +
           Kernel(130, 42, R"("correlation": 55, "External id": 7)"));
  ASSERT_THAT(NamesIn(timings), ElementsAre("aten::mm"));
  EXPECT_DOUBLE_EQ(timings[0].seconds, 42e-6);
}

// Without ids of ops a kernel belongs to the op that made the call of the same correlation.
TEST(ProfilerTraceTest, ACorrelationLeadsToTheOpThatMadeTheCall) {
  const std::vector<Timing> timings = Read(Op("aten::mm", 100, 30, 7) + Launch(110, 55, 0) +
                                           Kernel(130, 42, R"("correlation": 55)"));
  ASSERT_THAT(NamesIn(timings), ElementsAre("aten::mm"));
  EXPECT_DOUBLE_EQ(timings[0].seconds, 42e-6);
}

// One launch of a CUDA graph runs two kernels of 20 and 22 us: nobody's, but listed.
TEST(ProfilerTraceTest, KernelsOfAGraphLaunchBelongToNoOp) {
  const std::vector<Timing> timings =
      Read(Op("aten::mm", 100, 30, 7) +
           R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1,
               "ts": 200, "dur": 5, "args": {"correlation": 55}},)" +
           Kernel(210, 20, R"("correlation": 55)") + "," + Kernel(230, 22, R"("correlation": 55)"));
  ASSERT_THAT(NamesIn(timings), ElementsAre("aten::mm", "sgemm", "sgemm"));
  EXPECT_FALSE(timings[0].is_measured);  // it launched nothing
  EXPECT_DOUBLE_EQ(timings[1].seconds + timings[2].seconds, 42e-6);
}

// The second product's record is lost: its time is not known, and not 0.
TEST(ProfilerTraceTest, ARecordWithoutADurationIsLost) {
  const Timings timings =
      ReadFor({OpOf("a", "MatMul")},
              Op("aten::mm", 100, 30, 7) + Op("aten::mm", 200, 30, 8) + Launch(210, 56, 8) +
                  Kernel(0, 0, R"("correlation": 56, "External id": 8)") + "," +
                  Kernel(130, 42, R"("External id": 7)"));
  EXPECT_EQ(timings.num_lost, 1);
  ASSERT_EQ(timings.list.size(), 2U);
  EXPECT_TRUE(timings.list[0].is_measured);
  EXPECT_FALSE(timings.list[1].is_measured);
}

TEST(ProfilerTraceTest, NumbersThatAreNotFiniteMatterOnlyAsTimes) {
  const std::string copy =
      R"({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy", "pid": 0, "tid": 7, "ts": 90, "dur": 3,
          "args": {"bandwidth": inf, "External id": 7, "x": NaN}})";
  EXPECT_DOUBLE_EQ(Read(Op("aten::mm", 100, 30, 7) + copy)[0].seconds, 3e-6);
  try {
    static_cast<void>(Read(
        R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": nan},
           {"ph": "X", "cat": "cpu_op", "name": "aten::t", "pid": 1, "tid": 1, "ts": inf, "dur": 1})"));
    FAIL() << "times that are no numbers";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "t.json#/traceEvents/0: event \"aten::mm\": found a dur that is no finite number, "
                 "expected microseconds, up to 4.6e12\n"
                 "t.json#/traceEvents/1: event \"aten::t\": found a ts that is no finite number, "
                 "expected microseconds, up to 4.6e12");
  }
}

// Self times on the CPU: MmBackward0 lasts 20, of which its parts 9; aten::mm 5 of them. In all 20.
TEST(ProfilerTraceTest, OnTheCpuTimesAddUpToWhatTheTraceHolds) {
  const std::vector<Timing> timings = Read(Op("MmBackward0", 10, 20, 1) + Op("aten::t", 11, 4, 2) +
                                           Op("aten::mm", 16, 5, 3) + R"({"ph": "M"})");
  ASSERT_THAT(NamesIn(timings), ElementsAre("MmBackward0", "aten::t", "aten::mm"));
  EXPECT_DOUBLE_EQ(timings[0].seconds, 11e-6);
  EXPECT_DOUBLE_EQ(timings[1].seconds, 4e-6);
  EXPECT_DOUBLE_EQ(timings[2].seconds, 5e-6);
}

// Annotations of the device, Python frames and spans of the profiler repeat what ops say.
TEST(ProfilerTraceTest, OtherTracksDoNotCount) {
  std::string events = Op("aten::mm", 10, 5, 1);
  for (const std::string category :
       {"gpu_user_annotation", "user_annotation", "python_function", "Trace", "cuda_sync"}) {
    events += R"({"ph": "X", "cat": ")" + category +
              R"(", "name": "other", "pid": 1, "tid": 1, "ts": 1, "dur": 100},)";
  }
  const std::vector<Timing> timings = Read(events + R"({"ph": "M"})");
  ASSERT_THAT(NamesIn(timings), ElementsAre("aten::mm"));
  EXPECT_DOUBLE_EQ(timings[0].seconds, 5e-6);
}

// The same as pairs, out of order, as a bare list.
TEST(ProfilerTraceTest, PairsOfEventsInABareListAreEvents) {
  const ProfiledTypes types(*testing::MakeGraph({OpOf("a", "MatMul")}));
  const std::vector<Timing> timings = ReadProfilerTrace(R"([
 {"ph": "E", "pid": 1, "tid": 1, "ts": 40},
 {"ph": "E", "pid": 1, "tid": 1, "ts": 30},
 {"ph": "B", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 20},
 {"ph": "B", "name": "MmBackward0", "pid": 1, "tid": 1, "ts": 15}])",
                                                        "t.json",
                                                        types)
                                          .list;
  ASSERT_THAT(NamesIn(timings), ElementsAre("MmBackward0", "aten::mm"));
  EXPECT_DOUBLE_EQ(timings[0].seconds, 15e-6);
  EXPECT_DOUBLE_EQ(timings[1].seconds, 10e-6);
}

// aten::matmul is whatever it calls, here a product of batches.
TEST(ProfilerTraceTest, AMatmulIsOfTheTypeOfItsPart) {
  const std::vector<Timing> timings =
      ReadFor({OpOf("a", "MatMul"), OpOf("b", "BatchMatMul")},
              Op("aten::matmul", 10, 9, 1) + Op("aten::bmm", 11, 5, 2) +
                  Op("aten::matmul", 20, 3, 3) + R"({"ph": "M"})")
          .list;
  ASSERT_THAT(NamesIn(timings), ElementsAre("aten::matmul", "aten::bmm", "aten::matmul"));
  EXPECT_EQ(timings[0].type, "");
  EXPECT_EQ(timings[1].type, "batchmatmul");
  EXPECT_EQ(timings[2].type, "matmul");
}

// Ops that accumulate or clear gradients, or update weights, are no sum of the graph.
TEST(ProfilerTraceTest, WhatAnOptimizerCallsIsPartOfItsStep) {
  const Timings timings = ReadFor(
      {OpOf("a", "Add"), OpOf("w", "ApplyGradient")},
      Op("aten::add", 10, 5, 1) +
          Op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 20, 10, 2) +
          Op("torch::autograd::AccumulateGrad", 21, 8, 3) + Op("aten::add_", 22, 4, 4) +
          R"({"ph": "X", "cat": "user_annotation", "name": "Optimizer.step#SGD.step",
                      "pid": 1, "tid": 1, "ts": 40, "dur": 20},)" +
          Op("aten::add_", 45, 3, 5) + Op("aten::add", 70, 6, 6) + R"({"ph": "M"})");
  ASSERT_THAT(NamesIn(timings.list),
              ElementsAre("aten::add",
                          "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
                          "Optimizer.step#SGD.step",
                          "aten::add"));
  EXPECT_DOUBLE_EQ(timings.list[1].seconds, 10e-6);
  EXPECT_EQ(timings.list[1].phase, sim::Phase::kBackward);
  EXPECT_EQ(timings.list[2].type, ProfiledTypes::kUpdates);
  EXPECT_DOUBLE_EQ(timings.list[2].seconds, 3e-6);  // of ops, not of Python
  // A step ends with its optimizer's.
  EXPECT_EQ(timings.list[2].step, 0);
  EXPECT_EQ(timings.list[3].step, 1);
}

TEST(ProfilerTraceTest, StepsAreThoseThatTheProfilerNames) {
  const std::string step = R"({"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 1, "name": )";
  const std::vector<Timing> timings = Read(
      Op("aten::mm", 1, 2, 1) + step + R"("ProfilerStep#4", "ts": 10, "dur": 10},)" +
      Op("aten::mm", 11, 2, 2) + Op("aten::mm", 14, 2, 3) + step +
      R"("ProfilerStep#5", "ts": 20, "dur": 10},)" + Op("aten::mm", 20, 2, 4) + R"({"ph": "M"})");
  ASSERT_EQ(timings.size(), 4U);
  EXPECT_EQ(timings[0].step, -1);
  EXPECT_EQ(timings[1].step, 0);
  EXPECT_EQ(timings[2].step, 0);
  EXPECT_EQ(timings[3].step, 1);
}

}  // namespace
}  // namespace opyard::experiments
