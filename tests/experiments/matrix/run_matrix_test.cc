#include "experiments/matrix/run_matrix.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/matrix/experiment_reading.h"
#include "experiments/matrix/experiment_run.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::Workplace;

// A call of a listener. RecordingListener keeps them in their order.
struct Event {
  enum class Kind { kMatrixStarted, kStarted, kWentOn, kFinished };
  Kind kind = Kind::kMatrixStarted;
  CellKey cell;
  std::thread::id thread;
};

class RecordingListener : public RunListener {
 public:
  void Noticed(const Notice& notice) override { notices_.push_back(notice.text); }
  void MatrixStarted(const MatrixStart& start) override {
    num_runs_ = start.num_runs;
    num_done_ = start.num_done;
    Record(Event::Kind::kMatrixStarted, {});
  }
  void TrainingWentOn(const std::string& /*agent*/, const TrainingProgress& /*so_far*/) override {}
  void RunStarted(const CellKey& cell) override { Record(Event::Kind::kStarted, cell); }
  void RunWentOn(const CellKey& cell, const RunSoFar& so_far) override {
    Record(Event::Kind::kWentOn, cell);
    const std::scoped_lock lock(mutex_);
    so_far_[cell] = so_far;
  }
  void RunFinished(const RunRecord& record) override {
    Record(Event::Kind::kFinished, record.cell);
    finished_.push_back(record);  // RunMatrix lets one run finish at a time
  }

  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] const std::vector<RunRecord>& finished() const { return finished_; }
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }
  [[nodiscard]] const std::map<CellKey, RunSoFar>& so_far() const { return so_far_; }
  [[nodiscard]] std::size_t num_runs() const { return num_runs_; }
  [[nodiscard]] std::size_t num_done() const { return num_done_; }

  // The kinds of the calls about `cell`, each once.
  [[nodiscard]] std::vector<Event::Kind> KindsOf(const CellKey& cell) const {
    std::vector<Event::Kind> kinds;
    for (const Event& event : events_) {
      if (event.kind != Event::Kind::kMatrixStarted && event.cell == cell &&
          std::ranges::find(kinds, event.kind) == kinds.end()) {
        kinds.push_back(event.kind);
      }
    }
    return kinds;
  }

 private:
  void Record(Event::Kind kind, const CellKey& cell) {
    const std::scoped_lock lock(mutex_);
    events_.push_back({kind, cell, std::this_thread::get_id()});
  }

  std::mutex mutex_;
  std::vector<Event> events_;
  std::vector<RunRecord> finished_;
  std::vector<std::string> notices_;
  std::map<CellKey, RunSoFar> so_far_;
  std::size_t num_runs_ = 0;
  std::size_t num_done_ = 0;
};

// Where two searches wait for each other, so that they are known to go on side by side.
class Meeting {
 public:
  // Until somebody else has come, too; at most ten seconds.
  void Attend() {
    std::unique_lock lock(mutex_);
    const std::size_t pair = num_came_++ / 2;
    came_.notify_all();
    came_.wait_for(lock, std::chrono::seconds(10), [&] { return num_came_ >= 2 * (pair + 1); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::size_t num_came_ = 0;
};

// Tries the default placement once it has met another search.
class MeetingAgent final : public agents::Agent {
 public:
  explicit MeetingAgent(Meeting& meeting) : meeting_(meeting) {}
  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const agents::SearchContext& /*context*/) override {
    meeting_.Attend();
    static_cast<void>(evaluator.Evaluate(sim::Plan{.placement = problem.default_placement()}));
  }

 private:
  Meeting& meeting_;
};

agents::AgentRegistry WithMeetingAgent(Meeting& meeting) {
  return agents::ClassicalAgents() +
         agents::AgentRegistry(
             {{.info = {.name = "meeting", .tasks = {"placement"}, .paper = "", .summary = ""},
               .make = [&meeting](Options&) { return std::make_unique<MeetingAgent>(meeting); }}});
}

ExperimentConfig ReadToy(const Workplace& place,
                         const std::vector<std::string>& overrides,
                         const agents::AgentRegistry& registry = agents::ClassicalAgents()) {
  return ReadWholeExperiment(place.Path("experiment.yaml"), overrides, registry);
}

TEST(RunMatrixTest, ListenersAreReportedOfRunsOnTheThreadsOfBothJobs) {
  const Workplace place;
  Meeting meeting;
  const agents::AgentRegistry registry = WithMeetingAgent(meeting);
  const ExperimentConfig config =
      ReadToy(place, {"agents=[meeting]", "seeds=[0, 1, 2, 3]"}, registry);
  RecordingListener listener;
  const MatrixAnswer answer = RunMatrix(PrepareExperiment(config, [](const Notice&) {}),
                                        registry,
                                        {.folder = place.Path("results"), .num_jobs = 2},
                                        listener);
  EXPECT_THAT(answer.runs, SizeIs(4));
  EXPECT_EQ(listener.num_runs(), 4U);
  EXPECT_EQ(listener.num_done(), 0U);
  EXPECT_EQ(listener.events().front().kind, Event::Kind::kMatrixStarted);
  for (const RunRecord& run : answer.runs) {
    EXPECT_THAT(listener.KindsOf(run.cell),
                ElementsAre(Event::Kind::kStarted, Event::Kind::kWentOn, Event::Kind::kFinished));
  }
  std::set<std::thread::id> threads;
  for (const Event& event : listener.events()) {
    threads.insert(event.thread);
  }
  EXPECT_THAT(threads, SizeIs(2));  // the caller's, which is the first job, and the second job's
}

TEST(RunMatrixTest, ListenersHearTheBestSoFarAndTheRecordsOfTheAnswer) {
  const Workplace place;
  RecordingListener listener;
  const MatrixAnswer answer = RunMatrix(PrepareExperiment(ReadToy(place, {}), [](const Notice&) {}),
                                        agents::ClassicalAgents(),
                                        {.folder = place.Path("results"), .num_jobs = 2},
                                        listener);
  ASSERT_THAT(listener.finished(), SizeIs(3));  // random with two seeds, single_device with one
  for (const RunRecord& run : answer.runs) {
    const auto reported = std::ranges::find(listener.finished(), run.cell, &RunRecord::cell);
    ASSERT_NE(reported, listener.finished().end());
    EXPECT_EQ(reported->makespan, run.makespan);
    // The last progress report of a run is its end.
    EXPECT_EQ(listener.so_far().at(run.cell).evaluations, run.evaluations);
    EXPECT_EQ(listener.so_far().at(run.cell).best, run.makespan);
  }
}

TEST(RunMatrixTest, ARunThatIsStoredIsNotReportedAgain) {
  const Workplace place;
  const PreparedExperiment experiment = PrepareExperiment(ReadToy(place, {}), [](const Notice&) {});
  RecordingListener first;
  static_cast<void>(
      RunMatrix(experiment, agents::ClassicalAgents(), {.folder = place.Path("results")}, first));
  RecordingListener again;
  static_cast<void>(RunMatrix(experiment,
                              agents::ClassicalAgents(),
                              {.folder = place.Path("results"), .resume = true},
                              again));
  EXPECT_EQ(again.num_runs(), 3U);
  EXPECT_EQ(again.num_done(), 3U);
  EXPECT_THAT(again.events(), SizeIs(1));  // that the matrix started
}

// Stops the experiment as a server would whose client has left.
class StoppingListener final : public RecordingListener {
 public:
  explicit StoppingListener(InterruptFlag& interrupt) : interrupt_(interrupt) {}
  void RunFinished(const RunRecord& record) override {
    RecordingListener::RunFinished(record);
    interrupt_.Raise();
  }

 private:
  InterruptFlag& interrupt_;
};

TEST(RunMatrixTest, AListenerMayStopItAfterAnyRun) {
  const Workplace place;
  InterruptFlag interrupt;
  StoppingListener listener(interrupt);
  const ExperimentAnswer answer =
      RunWholeExperiment(ReadToy(place, {}),
                         agents::ClassicalAgents(),
                         {.folder = place.Path("results"), .interrupt = &interrupt},
                         listener);
  EXPECT_TRUE(answer.matrix.was_interrupted);
  EXPECT_THAT(answer.matrix.runs, SizeIs(1));
  EXPECT_EQ(answer.matrix.num_runs, 3U);
  EXPECT_TRUE(answer.agents.empty());
}

TEST(ExperimentRunTest, WhatIsOddAboutAGraphIsReportedBeforeTheMatrixStarts) {
  const Workplace place;
  // b is measured on one of two equal devices only.
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("{\"*\": 0.003}"), 12, "{\"gpu0\": 0.003}");
  place.Write("toy.graph.json", graph);
  RecordingListener listener;
  static_cast<void>(RunWholeExperiment(
      ReadToy(place, {}), agents::ClassicalAgents(), {.folder = place.Path("results")}, listener));
  EXPECT_THAT(listener.notices(),
              ElementsAre(HasSubstr("toy.graph.json on two: not all times are measured")));
}

TEST(ExperimentRunTest, ComparesWithTheBaselineThatTheMatrixLacks) {
  const Workplace place;
  RecordingListener listener;
  const ExperimentAnswer answer = RunWholeExperiment(ReadToy(place, {"agents=[heft]"}),
                                                     agents::ClassicalAgents(),
                                                     {.folder = place.Path("results")},
                                                     listener);
  ASSERT_THAT(answer.baselines, SizeIs(1));
  const Baseline& baseline = answer.baselines.begin()->second;
  EXPECT_FALSE(baseline.is_in_matrix());
  EXPECT_EQ(baseline.step_s, 0.010);  // single_device: 2 + 3 + 5 ms
  ASSERT_THAT(answer.agents, SizeIs(1));
  // HEFT: a 2 ms, c 5 ms beside it; b, 3 ms, on the other device after a copy of 1 ms.
  EXPECT_EQ(answer.agents[0].speed_up, 0.010 / 0.007);
}

}  // namespace
}  // namespace opyard::experiments
