// The processor time of runs is that of the process, however many work at once.

#include <gtest/gtest.h>
#include <time.h>

#include "agents/base/search_run.h"
#include "experiments/matrix/experiment_reading.h"
#include "experiments/matrix/run_matrix.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Workplace;

// Processor time that this process has spent on all of its threads.
double ProcessSeconds() {
  timespec spent{};
  EXPECT_EQ(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent), 0);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

class Unheard final : public RunListener {
 public:
  void Noticed(const Notice& /*notice*/) override {}
  void MatrixStarted(const MatrixStart& /*start*/) override {}
  void TrainingWentOn(const std::string& /*agent*/, const TrainingProgress& /*so_far*/) override {}
  void RunStarted(const CellKey& /*cell*/) override {}
  void RunWentOn(const CellKey& /*cell*/, const RunSoFar& /*so_far*/) override {}
  void RunFinished(const RunRecord& /*record*/) override {}
};

// The processor time that the runs of brkga on a graph of 400 ops report, and that of the process
// meanwhile.
struct Accounts {
  double runs_s = 0.0;
  double process_s = 0.0;
};

Accounts RunJobs(std::size_t num_jobs) {
  const Workplace place;
  const PreparedExperiment experiment =
      PrepareExperiment(ReadWholeExperiment(place.Path("experiment.yaml"),
                                            {"graphs=[\"random:layered?n=400\"]",
                                             "hardware=[p100x4-pcie]",
                                             "agents=[brkga]",
                                             "budget.evaluations=6000"},
                                            agents::ClassicalAgents()),
                        [](const Notice&) {});
  Unheard unheard;
  Accounts accounts;
  const double begin = ProcessSeconds();
  const MatrixAnswer answer = RunMatrix(experiment,
                                        agents::ClassicalAgents(),
                                        {.folder = place.Path("results"), .num_jobs = num_jobs},
                                        unheard);
  accounts.process_s = ProcessSeconds() - begin;
  for (const RunRecord& run : answer.runs) {
    accounts.runs_s += run.cpu_seconds.value_or(0.0);
  }
  return accounts;
}

TEST(AccountsTest, OfOneJobAreThoseOfTheProcess) {
  const Accounts accounts = RunJobs(1);
  RecordProperty("runs_s", std::to_string(accounts.runs_s));
  RecordProperty("process_s", std::to_string(accounts.process_s));
  EXPECT_GT(accounts.process_s, 1.0);  // long enough to compare
  EXPECT_NEAR(accounts.runs_s, accounts.process_s, 0.05 * accounts.process_s);
}

TEST(AccountsTest, OfTwoJobsAddUpToThoseOfTheProcess) {
  const Accounts accounts = RunJobs(2);
  RecordProperty("runs_s", std::to_string(accounts.runs_s));
  RecordProperty("process_s", std::to_string(accounts.process_s));
  EXPECT_GT(accounts.process_s, 1.0);
  EXPECT_NEAR(accounts.runs_s, accounts.process_s, 0.05 * accounts.process_s);
}

// Whatever number of cores this machine has: a run with three threads of its own.
TEST(AccountsTest, OfASearchCountItsThreads) {
  const Workplace place;
  const PreparedExperiment experiment = PrepareExperiment(
      ReadWholeExperiment(place.Path("experiment.yaml"),
                          {"graphs=[\"random:layered?n=400\"]", "hardware=[p100x4-pcie]"},
                          agents::ClassicalAgents()),
      [](const Notice&) {});
  const double begin = ProcessSeconds();
  const agents::SearchResult answer = agents::RunSearch({.problem = experiment.problems[0].problem,
                                                         .agent = "brkga",
                                                         .budget = {.evaluations = 12'000},
                                                         .num_threads = 3},
                                                        agents::ClassicalAgents());
  const double process_s = ProcessSeconds() - begin;
  RecordProperty("search_s", std::to_string(answer.cpu_seconds));
  RecordProperty("process_s", std::to_string(process_s));
  EXPECT_GT(process_s, 1.0);
  EXPECT_NEAR(answer.cpu_seconds, process_s, 0.05 * process_s);
}

}  // namespace
}  // namespace opyard::experiments
