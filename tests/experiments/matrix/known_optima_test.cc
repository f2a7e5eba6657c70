#include "experiments/matrix/known_optima.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/experiments/config/read_experiment.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::Read;
using testing::WithLine;
using testing::Workplace;

constexpr const char* kTitles = "graph,machine,makespan_s,proven\n";

// A workplace whose experiment names set/optima.csv with these `rows`.
class OptimaPlace : public Workplace {
 public:
  explicit OptimaPlace(const std::string& rows) {
    Write("set/optima.csv", kTitles + rows);
    Write("experiment.yaml", WithLine(8, "optima: set/optima.csv"));
  }
};

TEST(KnownOptimaTest, RowsNameReferencesOrFilesFromTheTablesFolder) {
  for (const char* row : {"toy.graph.json,machines/two.yaml,0.007,true\n",
                          "../toy.graph.json,./../machines/two.yaml,0.007,true\n"}) {
    const OptimaPlace place(row);
    const KnownOptima known = ReadKnownOptima(Read(place));
    ASSERT_EQ(known.optima.size(), 1U) << row;
    const auto& [pair, optimum] = *known.optima.begin();
    EXPECT_EQ(pair, PairKey("toy.graph.json", "machines/two.yaml"));
    EXPECT_EQ(optimum.makespan, SimTime{7'000'000'000});
  }
}

TEST(KnownOptimaTest, RowsOfOtherProblemsAreCounted) {
  const OptimaPlace place(
      "toy.graph.json,machines/two.yaml,1,true\ntoy.graph.json,regal,1,true\nx,y,1,true\n");
  EXPECT_EQ(ReadKnownOptima(Read(place)).num_other_rows, 2U);
}

TEST(KnownOptimaTest, TwoRowsOfOneProblemAreRefused) {
  const OptimaPlace place(
      "toy.graph.json,machines/two.yaml,1,true\n../toy.graph.json,machines/two.yaml,2,true\n");
  try {
    static_cast<void>(ReadKnownOptima(Read(place)));
    FAIL() << "two rows of one problem were read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("optima.csv:3: found toy.graph.json on machines/two.yaml again"));
  }
}

TEST(RunWithOptimaTest, TheAnswerEndsWithTheGapOfEachAgent) {
  // On one device 10 ms (2 + 3 + 5); the optimum has b on the other, after a copy: 7 ms.
  const OptimaPlace place("toy.graph.json,machines/two.yaml,0.007,true\n");
  const Ended ended = place.RunExperiment();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("gap to set/optima.csv: 1 of 1 problem known, 1 proven"));
  EXPECT_THAT(ended.out, HasSubstr("\nsingle_device     1        0          0.0         42.86"));
  const Ended json = place.RunExperiment({"--resume", "--json"});
  const nlohmann::json optima = json.Json().at("optima");
  EXPECT_EQ(optima.at("proven"), 1);
  EXPECT_EQ(optima.at("agents")[0].at("agent"), "single_device");
  EXPECT_EQ(optima.at("agents")[0].at("reached"), 0);
  EXPECT_EQ(optima.at("contradictions").size(), 0U);
}

TEST(RunWithOptimaTest, ABetterPlanThanAProvenOptimumIsLoud) {
  const OptimaPlace place("toy.graph.json,machines/two.yaml,0.011,true\n");
  const Ended ended = place.RunExperiment({"--json"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err, HasSubstr("CONTRADICTION: 3 runs shorter than a proven optimum"));
  EXPECT_EQ(ended.Json().at("optima").at("contradictions").size(), 3U);
}

TEST(RunWithOptimaTest, AWrongTableIsRefusedBeforeAnythingRuns) {
  const OptimaPlace place("toy.graph.json,machines/two.yaml,soon,true\n");
  const Ended ended = place.RunExperiment();
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("experiment.yaml:8:9: "));
  EXPECT_THAT(ended.err, HasSubstr("optima.csv:2: makespan_s: found \"soon\""));
  EXPECT_EQ(ended.out, "");
}

}  // namespace
}  // namespace opyard::experiments
