// The inputs of ops in traces of PyTorch's profiler, which are kept where they are asked for.
#include "experiments/graphs/trace_events.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

constexpr const char* kProduct =
    R"([{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 2, "dur": 3,
         "args": {"External id": 5, "Input Dims": [[2, 3], [3, 5]], "Ev Idx": 7,
                  "Input type": ["float", "float"], "Concrete Inputs": ["", "[1, 1]"]}}])";

TEST(TraceEventsTest, InputsOfOpsAreKeptWhereTheyAreAskedFor) {
  const std::vector<TraceEvent> events = ReadTraceEvents(kProduct, "t.json", TraceInputs::kKept);
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(events[0].inputs,
            R"({"Input Dims":[[2,3],[3,5]],"Input type":["float","float"],)"
            R"("Concrete Inputs":["","[1, 1]"]})");
  EXPECT_EQ(events[0].external_id, 5);
}

TEST(TraceEventsTest, InputsAreDroppedElse) {
  EXPECT_EQ(ReadTraceEvents(kProduct, "t.json")[0].inputs, "");
}

TEST(TraceEventsTest, AnOpWithoutInputsHasNone) {
  const std::string text =
      R"([{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 2, "dur": 3, "args": {}}])";
  EXPECT_EQ(ReadTraceEvents(text, "t.json", TraceInputs::kKept)[0].inputs, "");
}

}  // namespace
}  // namespace opyard::experiments
