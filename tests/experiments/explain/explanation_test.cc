// The answer of `opyard simulate` for the tiny plan: a (2 ms) and b (3 ms) on gpu0, c (5 ms) on
// gpu1, which waits 1 ms for the copy of a's megabyte. The makespan is 8 ms.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/experiments/workplace.h"
#include "tests/support/scoped_variable.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunCommand;
using testing::Workplace;

constexpr const char* kPlan =
    R"({"format": "opyard-plan/1", "graph": "toy", "placement": ["gpu0", "gpu0", "gpu1"]})";

Ended Simulate(const Workplace& place,
               const std::vector<std::string>& more,
               const std::string& plan = kPlan) {
  std::vector<std::string> args = {"simulate",
                                   "--graph",
                                   place.Path("toy.graph.json"),
                                   "--hardware",
                                   place.Path("machines/two.yaml"),
                                   "--plan",
                                   place.Write("p.plan.json", plan)};
  args.insert(args.end(), more.begin(), more.end());
  return RunCommand(args);
}

// gpu0 is idle from 5 on, gpu1 until 3. At 2 ms gpu0 holds a:0, a's 11 bytes of parameters and b's
// 13 of output. The copy takes half a millisecond over a faster cable. With a on gpu1, c runs 2–7
// and b 3–6; with b there too, b runs 3–6 and c 6–11; with all on gpu0, c runs 5–10.
constexpr const char* kExplanation = R"(
critical path            time    share
kernels        7.000000000 ms   87.5 %
transfers      1.000000000 ms   12.5 %
makespan       8.000000000 ms  100.0 %

      at       for  what
0.000 ms  2.000 ms  a runs on gpu0
2.000 ms  1.000 ms  copy of a:0 goes from gpu0 to gpu1
3.000 ms  5.000 ms  c runs on gpu1

idle time  no work ready    memory  stream head  dispatch      gaps    idle
gpu0            3.000 ms  0.000 ms     0.000 ms  0.000 ms  0.000 ms  37.5 %
gpu1            3.000 ms  0.000 ms     0.000 ms  0.000 ms  0.000 ms  37.5 %

largest at the peak of gpu0       bytes
a:0                          976.56 KiB
b:0                                13 B
parameters of a                    11 B
all, at 2.000 ms             976.59 KiB

what if                   makespan     change
link cable twice as fast  7.500 ms  -0.500 ms
no memory limit           8.000 ms       none
free transfers            7.000 ms  -1.000 ms

   change  one other decision (3 tried, 0 of them do not complete)
-1.000 ms  a on gpu1 instead of gpu0
+3.000 ms  b on gpu1 instead of gpu0
+2.000 ms  c on gpu0 instead of gpu1
)";

TEST(ExplainTest, SaysItInWords) {
  const Workplace place;
  const Ended ended = Simulate(place, {"--explain"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(ended.out.ends_with(kExplanation)) << ended.out;
}

TEST(ExplainTest, SaysTheSameAsData) {
  const Workplace place;
  const Ended ended = Simulate(place, {"--explain", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json explanation = ended.Json().at("explanation");
  EXPECT_EQ(explanation.at("critical_path"), nlohmann::json::parse(R"([
    {"kind": "kernel", "start_ps": 0, "duration_ps": 2000000000, "what": "a", "device": "gpu0"},
    {"kind": "transfer", "start_ps": 2000000000, "duration_ps": 1000000000, "what": "copy of a:0",
     "device": "gpu0", "to": ["gpu1"]},
    {"kind": "kernel", "start_ps": 3000000000, "duration_ps": 5000000000, "what": "c",
     "device": "gpu1"}])"));
  EXPECT_EQ(explanation.at("critical_path_ps").at("kernel"), 7'000'000'000);
  EXPECT_EQ(explanation.at("critical_path_ps").at("dispatch"), 0);
  EXPECT_EQ(explanation.at("devices")[0], nlohmann::json::parse(R"(
    {"name": "gpu0",
     "idle_s": {"no_ready_work": 0.003, "memory": 0.0, "stream_head": 0.0, "dispatch": 0.0,
                "gap": 0.0},
     "peak_instant_s": 0.002,
     "peak_residents": [{"name": "a:0", "bytes": 1000000}, {"name": "b:0", "bytes": 13},
                        {"name": "parameters of a", "bytes": 11}]})"));
  EXPECT_EQ(explanation.at("what_if")[0], nlohmann::json::parse(R"(
    {"change": "link cable twice as fast", "outcome": "completed", "makespan_s": 0.0075})"));
  EXPECT_EQ(explanation.at("decisions"), nlohmann::json::parse(R"(
    {"tried": 3, "incomplete": 0,
     "savings": [{"decision": "device", "ops": ["a"], "from": "gpu0", "to": "gpu1",
                  "makespan_s": 0.007}],
     "costs": [{"decision": "device", "ops": ["b"], "from": "gpu0", "to": "gpu1",
                "makespan_s": 0.011},
               {"decision": "device", "ops": ["c"], "from": "gpu1", "to": "gpu0",
                "makespan_s": 0.01}]})"));
}

// {a, b} runs 0–4.9875 on gpu0: 2 + 3 ms, less b's read of a megabyte at 100 GB/s · 0.8. Its copies
// go to c on gpu1 until 5.9875 and to d until 6.4875; c ends at 10.9875, d at 11.9875. With d's
// copy first, c runs 6.4875–11.4875. With a or b alone: a 0–2, the copies 2–3.5, c 3–8, d 8–9.
TEST(ExplainTest, FusionAndThePrioritiesOfCopiesAreDecisionsToo) {
  const Workplace place;
  place.Write("toy.graph.json", R"({"format": "opyard-graph/1", "name": "toy", "origin": "a test",
"ops": [
  {"name": "a", "type": "Relu", "outputs": [{"bytes": 1000000}, {"bytes": 500000}],
   "seconds": {"*": 0.002}},
  {"name": "b", "type": "Relu", "inputs": [[0, 0]], "outputs": [], "seconds": {"*": 0.003}},
  {"name": "c", "type": "Custom", "inputs": [[0, 0]], "outputs": [], "seconds": {"*": 0.005}},
  {"name": "d", "type": "Custom", "inputs": [[0, 1]], "outputs": [], "seconds": {"*": 0.001}}]})");
  const std::string plan = R"({"format": "opyard-plan/1", "graph": "toy",
"placement": ["gpu0", "gpu0", "gpu1", "gpu1"], "fusion_priority": [1, 1, 0, 0],
"transfer_priority": [{"op": 0, "output": 0, "device": "gpu1", "priority": 2},
                      {"op": 0, "output": 1, "device": "gpu1", "priority": 1}]})";
  const Ended text = Simulate(place, {"--explain"}, plan);
  EXPECT_THAT(text.out, HasSubstr("-2.988 ms  b declining to be fused\n"));
  EXPECT_THAT(
      text.out,
      HasSubstr("-0.500 ms  copy of a:1 to gpu1 before all others instead of priority 1\n"));
  const nlohmann::json savings = Simulate(place, {"--explain", "--json"}, plan)
                                     .Json()
                                     .at("explanation")
                                     .at("decisions")
                                     .at("savings");
  EXPECT_THAT(savings, ::testing::Contains(nlohmann::json::parse(R"(
    {"decision": "fusion", "ops": ["b"], "from": 1, "to": 0, "makespan_s": 0.009})")));
  EXPECT_THAT(savings, ::testing::Contains(nlohmann::json::parse(R"(
    {"decision": "transfer_priority", "tensor": "a:1", "destination": "gpu1", "from": 1, "to": 3,
     "makespan_s": 0.0114875})")));
}

TEST(ExplainTest, APlanThatFailsIsExplainedAsFarAsItWent) {
  const Workplace place;
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("1000000"), 7, "2000000000");  // of 1 GiB
  place.Write("toy.graph.json", graph);
  const Ended text = Simulate(place, {"--explain"});
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.out, Not(HasSubstr("critical path")));
  EXPECT_THAT(text.out, HasSubstr("no memory limit"));
  EXPECT_THAT(text.out, HasSubstr("completes"));
  const Ended ended = Simulate(place, {"--explain", "--json"});
  EXPECT_EQ(ended.status, 1);
  const nlohmann::json explanation = ended.Json().at("explanation");
  EXPECT_TRUE(explanation.at("critical_path").empty());
  EXPECT_EQ(explanation.at("decisions"), nullptr);
}

// gpu0 is fuller, with a:0 and b:0, but c asks gpu1 for 2,000,000,000 bytes when a's copy has come.
TEST(ExplainTest, WhatFillsTheMemoryIsReportedOfTheDeviceThatRanOut) {
  const Workplace place;
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("17}"), 2, "2000000000");
  place.Write("toy.graph.json", graph);
  EXPECT_THAT(Simulate(place, {"--explain"}).out, HasSubstr(R"(
largest on gpu1, which ran out       bytes
copy of a:0                     976.56 KiB
all, at 3.000 ms                976.56 KiB
asked for by op c                 1.86 GiB
capacity                          1.00 GiB
)"));
}

// a 3 us, its copy of 1 kB 1 us, c 3 us: 7 us.
TEST(ExplainTest, AShortStepIsPrintedInMicroseconds) {
  const Workplace place;
  place.Write("toy.graph.json", R"({"format": "opyard-graph/1", "name": "toy", "origin": "a test",
"ops": [
  {"name": "a", "type": "Custom", "outputs": [{"bytes": 1000}], "seconds": {"*": 3e-6}},
  {"name": "b", "type": "Custom", "inputs": [[0, 0]], "outputs": [], "seconds": {"*": 2e-6}},
  {"name": "c", "type": "Custom", "inputs": [[0, 0]], "outputs": [], "seconds": {"*": 3e-6}}]})");
  const std::string text = Simulate(place, {"--explain", "--gantt"}).out;
  EXPECT_THAT(text, HasSubstr("completed: 7.000 us; "));
  EXPECT_THAT(text, HasSubstr("\nmakespan       7.000000 us  100.0 %\n"));
  EXPECT_THAT(text, Not(HasSubstr(" ms")));
}

TEST(ExplainTest, WithoutItThereIsNone) {
  EXPECT_FALSE(Simulate(Workplace(), {"--json"}).Json().contains("explanation"));
}

TEST(TraceOptionTest, WritesAFileThatIsJsonPlainOrPacked) {
  const Workplace place;
  ASSERT_EQ(Simulate(place, {"--trace", place.Path("t.json")}).status, 0);
  std::ifstream file(place.Path("t.json"));
  const nlohmann::json trace = nlohmann::json::parse(file);
  EXPECT_EQ(trace.at("otherData").at("makespan_ps"), 8'000'000'000);
  ASSERT_EQ(Simulate(place, {"--trace", place.Path("t.json.gz")}).status, 0);
  EXPECT_LT(std::filesystem::file_size(place.Path("t.json.gz")),
            std::filesystem::file_size(place.Path("t.json")));
  const Ended ended = Simulate(place, {"--trace", place.Path("absent/t.json")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("cannot be written"));
}

TEST(GanttOptionTest, DrawsInTheWidthThatIsAskedFor) {
  const Workplace place;
  const opyard::testing::ScopedVariable locale("LC_ALL", "C");
  const Ended ended = Simulate(place, {"--gantt", "--width", "31"});
  // 16 columns of half a millisecond beside "ingress:gpu1", a space and two bars.
  EXPECT_THAT(ended.out, HasSubstr("\ngpu0         |##########      |\n"));
  EXPECT_THAT(ended.out, HasSubstr("\ncable>       |    ##          |\n"));
  EXPECT_THAT(ended.out, HasSubstr("\npath         |KKKKTTKKKKKKKKKK|\n"));
  EXPECT_EQ(Simulate(place, {"--gantt", "--json"}).status, 2);
  EXPECT_EQ(Simulate(place, {"--width", "31"}).status, 2);
}

}  // namespace
}  // namespace opyard::experiments
