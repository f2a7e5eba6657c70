// Several runs of a matrix at once. The thread sanitizer runs these, too (./dev test --all).
#include <algorithm>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "experiments/store/result_store.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using testing::RunCommand;
using testing::Workplace;

// 1 graph × 1 machine × (2 agents × 4 seeds, and one that samples nothing), with progress.
Ended RunNine(const Workplace& place, const std::string& num_jobs) {
  return RunCommand({"run",
                     place.Path("experiment.yaml"),
                     "--out",
                     place.Path("results"),
                     "--set",
                     "agents=[single_device, random, simulated_annealing]",
                     "--set",
                     "seeds=[0, 1, 2, 3]",
                     "--jobs",
                     num_jobs});
}

TEST(JobsTest, EveryRunIsStoredOnceAndPrintedOnALineOfItsOwn) {
  const Workplace place;
  const Ended ended = RunNine(place, "4");
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ResultStore::OpenToRead(place.Path("results")).Runs().size(), 9U);
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 9);
}

TEST(JobsTest, TheRunsAreThoseOfOneJob) {
  const Workplace one;
  const Workplace four;
  ASSERT_EQ(RunNine(one, "1").status, 0);
  ASSERT_EQ(RunNine(four, "4").status, 0);
  const auto figures = [](const Workplace& place) {
    std::map<CellKey, std::pair<std::int64_t, std::int64_t>> all;
    for (const StoredRun& run : ResultStore::OpenToRead(place.Path("results")).Runs()) {
      all[run.record.cell] = {run.record.makespan->picoseconds, run.record.evaluations};
    }
    return all;
  };
  EXPECT_EQ(figures(one), figures(four));
}

TEST(JobsTest, AnAgentThatThrowsOnOneThreadEndsTheRunsOfAll) {
  const Workplace place;
  class Refuses final : public agents::Agent {
   public:
    void Search(const env::Problem& /*problem*/,
                env::Evaluator& /*evaluator*/,
                Rng& /*rng*/,
                const agents::SearchContext& /*context*/) override {
      throw InputError("refused");
    }
  };
  const agents::AgentRegistry registry =
      agents::ClassicalAgents() +
      agents::AgentRegistry(
          {{.info = {.name = "refuses", .tasks = {"placement"}, .paper = "", .summary = ""},
            .make = [](Options&) { return std::make_unique<Refuses>(); }}});
  const Ended ended = place.RunExperiment(
      {"--set", "agents=[random, refuses]", "--set", "seeds=[0, 1, 2, 3]", "--jobs", "4"},
      registry);
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;  // the first, once
}

}  // namespace
}  // namespace opyard::experiments
