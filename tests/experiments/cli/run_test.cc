#include "experiments/cli/run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "experiments/store/folder_lock.h"
#include "experiments/store/result_store.h"
#include "experiments/store/sqlite.h"
#include "sim/base/error.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

std::vector<StoredRun> RunsOf(const Workplace& place) {
  return ResultStore::OpenToRead(place.Path("results")).Runs();
}

void Execute(const Workplace& place, const std::string& sql) {
  Database(place.Path("results/results.sqlite"), OpenMode::kReadWrite).Execute(sql);
}

TEST(RunTest, RunsTheWholeMatrixAndPrintsOneLinePerAgent) {
  const Workplace place;
  const Ended ended = place.RunExperiment();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  // On one device: 2 + 3 + 5 ms; one evaluation with each seed.
  EXPECT_THAT(ended.out, HasSubstr("single_device          10.000            1.000x"));
  EXPECT_THAT(ended.out, HasSubstr("\nrandom "));
  EXPECT_EQ(RunsOf(place).size(), 3U);  // random with both seeds; single_device samples nothing
  EXPECT_THAT(ended.out, HasSubstr("run once, because they sample nothing: single_device\n"));
}

TEST(RunTest, FindsThePlanThatUsesBothDevices) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  // a 2 ms, then c 5 ms on the same device: 7 ms; meanwhile the copy of 1 MB 1 ms and b 3 ms on the
  // other. Of the 8 placements 2 are of this kind; 40 random ones do not miss them all.
  std::int64_t best_ps = 10'000'000'000;
  for (const StoredRun& run : RunsOf(place)) {
    best_ps = std::min(best_ps, run.record.makespan.value_or(SimTime{best_ps}).picoseconds);
  }
  EXPECT_EQ(best_ps, 7'000'000'000);
}

TEST(RunTest, JsonNamesEveryCellOnce) {
  const Workplace place;
  const Ended ended = place.RunExperiment({"--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json json = ended.Json();
  ASSERT_EQ(json.at("cells").size(), 3U);
  EXPECT_EQ(json.at("cells")[0].at("agent"), "single_device");
  EXPECT_EQ(json.at("cells")[0].at("makespan_s"), 0.01);
  EXPECT_EQ(json.at("cells")[2].at("seed"), 1);
  EXPECT_EQ(json.at("agents").size(), 2U);
  EXPECT_EQ(json.at("agents")[0].at("speed_up"), 1.0);
}

TEST(RunTest, TheSameExperimentGivesTheSameRunsWithAnyNumberOfJobs) {
  const Workplace one;
  const Workplace three;
  ASSERT_EQ(one.RunExperiment().status, 0);
  ASSERT_EQ(three.RunExperiment({"--jobs", "3"}).status, 0);
  const auto figures = [](const Workplace& place) {
    std::map<CellKey, std::pair<std::int64_t, std::int64_t>> all;
    for (const StoredRun& run : RunsOf(place)) {
      all[run.record.cell] = {run.record.makespan->picoseconds, run.record.evaluations};
    }
    return all;
  };
  EXPECT_EQ(figures(one), figures(three));
}

TEST(RunTest, ANonEmptyFolderIsRefusedWithoutResume) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  const Ended again = place.RunExperiment();
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("--resume"));
}

TEST(RunTest, ResumeRunsOnlyWhatIsMissing) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  Execute(place,
          "UPDATE runs SET version = 'kept'; DELETE FROM runs WHERE agent = 'random' AND seed = 1");
  const Ended again = place.RunExperiment({"--resume"});
  ASSERT_EQ(again.status, 0) << again.err;
  std::size_t kept = 0;
  for (const StoredRun& run : RunsOf(place)) {
    kept += run.record.version == "kept" ? 1 : 0;
  }
  EXPECT_EQ(kept, 2U);
  EXPECT_EQ(RunsOf(place).size(), 3U);
}

TEST(RunTest, TheTableSaysWhatTheStoreHoldsBesideIt) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  const Ended fewer = place.RunExperiment({"--resume", "--set", "agents=[single_device]"});
  ASSERT_EQ(fewer.status, 0) << fewer.err;
  EXPECT_THAT(fewer.out, HasSubstr("1 runs in "));
  EXPECT_THAT(fewer.out, HasSubstr("the store holds 2 more runs"));
  const Ended json = place.RunExperiment({"--resume", "--set", "agents=[single_device]", "--json"});
  EXPECT_EQ(json.Json().at("other_runs"), 2);
}

TEST(RunTest, ResumeInAnAbsentFolderStartsFromNothing) {
  const Workplace place;
  EXPECT_EQ(place.RunExperiment({"--resume"}).status, 0);
  EXPECT_EQ(RunsOf(place).size(), 3U);
}

// Older versions ran agents that sample nothing once a seed.
TEST(RunTest, RunsOfOtherSeedsThatAStoreHoldsStayInTheTable) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "seeds=[1]"}).status, 0);
  const Ended both = place.RunExperiment({"--resume", "--json"});
  ASSERT_EQ(both.status, 0) << both.err;
  EXPECT_EQ(both.Json().at("cells").size(), 4U);
  EXPECT_EQ(both.Json().at("other_runs"), 0);
}

TEST(RunTest, SetChangesTheBudget) {
  const Workplace place;
  ASSERT_EQ(
      place.RunExperiment({"--set", "budget.evaluations=3", "--set", "agents=[random]"}).status, 0);
  const auto runs = RunsOf(place);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].record.evaluations, 3);
}

TEST(RunTest, AnAgentSpendsItsOwnBudgetAndItsCommandSaysSo) {
  const Workplace place;
  ASSERT_EQ(place
                .RunExperiment({"--set",
                                "agents=[random, {name: random, label: long, budget: "
                                "{evaluations: 33, seconds: 60}}]",
                                "--set",
                                "seeds=[0]"})
                .status,
            0);
  const auto runs = RunsOf(place);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].record.evaluations, 20);
  EXPECT_THAT(runs[0].record.reproduce, HasSubstr(" --evaluations 20 --seed 0"));
  EXPECT_EQ(runs[1].record.evaluations, 33);
  EXPECT_THAT(runs[1].record.reproduce, HasSubstr(" --evaluations 33 --seconds 60 --seed 0"));
}

TEST(RunTest, ABaselineOutsideTheMatrixIsRunForTheComparison) {
  const Workplace place;
  const Ended ended = place.RunExperiment({"--set", "agents=[random]"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("baseline single_device: 10.000 ms"));
  EXPECT_EQ(RunsOf(place).size(), 2U);  // not stored
}

TEST(RunTest, OutOfMemoryIsCountedAndTheBaselineExplained) {
  const Workplace place;
  // 1 GiB per device: a's output does not fit.
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("1000000"), 7, "2000000000");
  place.Write("toy.graph.json", graph);
  const Ended ended = place.RunExperiment();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("2/2 out_of_memory"));
  EXPECT_THAT(ended.out, HasSubstr("no speed-up: the baseline single_device"));
  EXPECT_EQ(RunsOf(place)[0].record.status, RunStatus::kFailed);
}

TEST(RunTest, EveryBadReferenceIsNamedAtOnceWhereItStands) {
  const Workplace place;
  place.Write("bad.graph.json", R"({"format": "opyard-graph/1"})");
  std::string experiment = testing::kExperiment;
  const std::string graphs = "[toy.graph.json]";
  experiment.replace(experiment.find(graphs),
                     graphs.size(),
                     "[absent.json, \"random:layered?n=ten\",\n  bad.graph.json]");
  const std::string file = place.Write("experiment.yaml", experiment) + ":";
  const Ended ended = place.RunExperiment({"--set", "hardware=[nowhere]"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr(file + "3:10: absent.json"));
  EXPECT_THAT(ended.err, HasSubstr(file + "3:23: option n: found ten"));
  EXPECT_THAT(ended.err, HasSubstr("--set hardware=[nowhere]:1:2: machine \"nowhere\""));
  std::istringstream lines(ended.err);
  std::size_t num_bad = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with(file) || line.starts_with("--set ")) << line;
    num_bad += line.starts_with(file + "4:3: ") ? 1 : 0;
  }
  EXPECT_GE(num_bad, 2U);  // name and ops are missing from bad.graph.json: a line each
  EXPECT_FALSE(std::filesystem::exists(place.Path("results")));
}

TEST(RunTest, WrongParametersAndMissingGraphsAreReportedTogether) {
  const Workplace place;
  const Ended ended = place.RunExperiment({"--set",
                                           "agents=[{name: brkga, params: {populaton: 3}}]",
                                           "--set",
                                           "seeds=[x]",
                                           "--set",
                                           "graphs=[absent.json]"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("unknown option \"populaton\""));
  EXPECT_THAT(ended.err, HasSubstr("--set seeds=[x]:1:2: "));
  EXPECT_THAT(ended.err, HasSubstr("--set graphs=[absent.json]:1:2: absent.json"));
}

TEST(RunTest, AGraphThatFitsNoDeviceIsRefusedWhereItStands) {
  const Workplace place;
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("\"flops\": 7"), 10, "\"device_kinds\": [\"tpu\"]");
  place.Write("toy.graph.json", graph);
  const Ended ended = place.RunExperiment();
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("experiment.yaml:3:10: graph \"toy\" on machine \"two\""));
}

// Complains of an option only once it searches, as agents do that read a file.
class FindsNoCheckpoint final : public agents::Agent {
 public:
  void Search(const env::Problem& /*problem*/,
              env::Evaluator& /*evaluator*/,
              Rng& /*rng*/,
              const agents::SearchContext& /*context*/) override {
    throw InputError("absent.pt: this checkpoint cannot be read");
  }
};

TEST(RunTest, WhatAnAgentRefusesInItsSearchIsReportedWhereTheAgentStands) {
  const Workplace place;
  const agents::AgentRegistry registry =
      agents::ClassicalAgents() +
      agents::AgentRegistry(
          {{.info = {.name = "reader", .tasks = {"placement"}, .paper = "", .summary = ""},
            .make = [](Options&) { return std::make_unique<FindsNoCheckpoint>(); }}});
  std::string experiment = testing::kExperiment;
  experiment.replace(experiment.find("random"), 6, "reader");
  place.Write("experiment.yaml", experiment);
  const Ended ended = place.RunExperiment({}, registry);
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err,
              HasSubstr("experiment.yaml:6:25: agent reader on toy.graph.json: absent.pt: this"));
}

TEST(RunTest, ProgressIsOneLinePerRunWhenNotATerminal) {
  const Workplace place;
  const Ended ended = RunCommand({"run", place.Path("experiment.yaml"), "--out", place.Path("r")});
  ASSERT_EQ(ended.status, 0);
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 3);
  EXPECT_THAT(ended.err, HasSubstr("[3/3] "));
}

TEST(RunTest, ResultsHoldNoAbsolutePaths) {
  const Workplace place;
  const std::string graph = place.Path("toy.graph.json");
  ASSERT_EQ(place.RunExperiment({"--set", "graphs=[" + graph + "]"}).status, 0);
  std::ifstream in(place.Path("results/results.sqlite"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(bytes.find(std::filesystem::path(graph).parent_path().string()), std::string::npos);
  EXPECT_EQ(RunCommand({"validate", place.Path("results")}).status, 0);
}

// Seconds of processor time that `process` has spent, on all its threads.
double ProcessorSeconds(pid_t process) {
  clockid_t clock = 0;
  timespec spent{};
  EXPECT_EQ(clock_getcpuclockid(process, &clock), 0);
  EXPECT_EQ(clock_gettime(clock, &spent), 0);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Runs a long experiment in a child process, sends `signal` once the first run is stored, and
// returns how the child ended and after how many seconds of processor time.
std::pair<int, double> InterruptLongRun(const Workplace& place, int signal) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(place.RunExperiment({"--set", "budget={evaluations: 1000000000, seconds: 60}"}).status);
  }
  using Clock = std::chrono::steady_clock;
  const auto give_up = Clock::now() + std::chrono::seconds(50);
  const auto has_run = [&] {
    try {
      return !RunsOf(place).empty();
    } catch (const Error&) {
      return false;  // the store is being made
    }
  };
  while (!has_run() && Clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const double before = ProcessorSeconds(child);
  kill(child, signal);
  int status = 0;
  rusage spent{};
  wait4(child, &status, 0, &spent);
  return {status, Seconds(spent.ru_utime) + Seconds(spent.ru_stime) - before};
}

TEST(RunTest, AnInterruptKeepsFinishedRunsAndEndsSoonWithStatus130) {
  const Workplace place;
  const auto [status, seconds] = InterruptLongRun(place, SIGINT);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_LT(seconds, 0.2);
  EXPECT_GE(RunsOf(place).size(), 1U);
  EXPECT_LT(RunsOf(place).size(), 3U);
}

TEST(RunTest, AKilledRunGoesOnWhereItStopped) {
  const Workplace place;
  const auto [status, seconds] = InterruptLongRun(place, SIGKILL);
  ASSERT_TRUE(WIFSIGNALED(status));
  Execute(place, "UPDATE runs SET version = 'kept'");
  const std::size_t kept = RunsOf(place).size();
  const Ended ended = place.RunExperiment({"--resume",
                                           "--set",
                                           "budget={evaluations: 1000000000, seconds: 60}",
                                           "--set",
                                           "agents=[single_device, heft]"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  std::size_t still_kept = 0;
  for (const StoredRun& run : RunsOf(place)) {
    still_kept += run.record.version == "kept" ? 1 : 0;
  }
  EXPECT_EQ(still_kept, kept);
  EXPECT_GE(RunsOf(place).size(), 2U);
}

// The refusal comes before any work, so that nobody waits for a graph in vain: here even before the
// graph is found to be absent.
TEST(RunTest, ASecondProcessOnTheFolderIsRefusedAtOnce) {
  const Workplace place;
  const FolderLock first(place.Path("results"));
  const Ended second = place.RunExperiment({"--resume", "--set", "graphs=[absent.json]"});
  EXPECT_EQ(second.status, 2);
  EXPECT_EQ(second.err,
            place.Path("results") + ": another opyard (process " + std::to_string(getpid()) +
                ") is writing here; wait for it to end, or give another --out\n");
}

TEST(RunTest, ResultsAreReadWhileTheyAreWritten) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  const FolderLock writer(place.Path("results"));
  EXPECT_EQ(RunCommand({"validate", place.Path("results")}).status, 0);
  EXPECT_EQ(
      RunCommand({"results", "export", place.Path("results"), "--out", place.Path("csv")}).status,
      0);
}

}  // namespace
}  // namespace opyard::experiments
