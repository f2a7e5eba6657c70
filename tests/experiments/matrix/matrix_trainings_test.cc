// Agents that `opyard run` trains before their runs.
#include "experiments/matrix/matrix_trainings.h"

#include <filesystem>
#include <fstream>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/store/sqlite.h"
#include "experiments/training/agent_training.h"
#include "sim/base/error.h"
#include "tests/experiments/workplace.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;
using testing::Ended;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunCommand;
using testing::Workplace;

std::string TextOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {(std::istreambuf_iterator<char>(in)), {}};
}

// Counts its updates; a state and weights are that number behind a header like that of weights.
class Scholar final : public agents::Trainer {
 public:
  explicit Scholar(std::int64_t& num_made) : num_made_(num_made) {}

  std::optional<agents::TrainingPoint> Update(env::ProblemPool& pool, Rng& rng) override {
    pool.Sample(rng, [](const env::PooledProblem& sampled, env::Evaluator& evaluator) {
      static_cast<void>(
          evaluator.Evaluate(sim::Plan{.placement = sampled.problem->default_placement()}));
    });
    ++num_made_;
    return agents::TrainingPoint{.num_updates = ++num_updates_, .values = {{"loss", 0.5}}};
  }
  [[nodiscard]] std::int64_t num_updates() const override { return num_updates_; }
  void Save(const fs::path& path, const agents::TrainingRecord& record) const override {
    SaveWeights(path, record);
  }
  agents::TrainingRecord Load(const fs::path& path) override {
    std::ifstream in(path);
    agents::TrainingRecord record;
    std::string line;
    while (std::getline(in, line) && line != "end") {
      const std::size_t blank = line.find(' ', 7);
      record[line.substr(7, blank - 7)] = line.substr(blank + 1);
    }
    in >> num_updates_;
    return record;
  }
  void SaveWeights(const fs::path& path, const agents::TrainingRecord& record) const override {
    std::ofstream out(path);
    for (const auto& [name, value] : record) {
      out << "record " << name << ' ' << value << '\n';
    }
    out << "end\n" << num_updates_ << '\n';
  }

 private:
  std::int64_t num_updates_ = 0;
  std::int64_t& num_made_;
};

// With weights it uses both devices, which is best; without, one.
class Pupil final : public agents::Agent {
 public:
  explicit Pupil(std::string checkpoint) : checkpoint_(std::move(checkpoint)) {}
  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const agents::SearchContext& /*context*/) override {
    sim::Plan plan{.placement = problem.default_placement()};
    if (!checkpoint_.empty()) {
      EXPECT_EQ(TextOf(checkpoint_).substr(TextOf(checkpoint_).find("end\n")), "end\n5\n");
      plan.placement[1] = DeviceId(1);  // b beside c
    }
    static_cast<void>(evaluator.Evaluate(plan));
  }

 private:
  std::string checkpoint_;
};

// The classical agents and `pupil`, of which `num_made` counts the updates.
agents::AgentRegistry RegistryWith(std::int64_t& num_made) {
  agents::AgentEntry entry{
      .info = {.name = "pupil",
               .kind = agents::AgentKind::kLearned,
               .tasks = {"placement"},
               .paper = "",
               .summary = "",
               .options = {{.name = "checkpoint", .default_value = std::string()}}},
      .make =
          [](Options& options) { return std::make_unique<Pupil>(options.Text("checkpoint", "")); },
      .make_trainer =
          [&num_made](Options& options, const agents::TrainingPlan& /*plan*/) {
            static_cast<void>(options.Text("checkpoint", ""));
            return std::make_unique<Scholar>(num_made);
          }};
  return agents::ClassicalAgents() + agents::AgentRegistry({std::move(entry)});
}

constexpr const char* kSplit = R"(schema_version: 1
name: toy
split: {train: [toy.graph.json], test: [toy.graph.json]}
training: {updates: 5}
hardware: [machines/two.yaml]
problem: {defaults: {fusion: none}}
budget: {evaluations: 20}
agents: [single_device, pupil]
seeds: [2, 3]
)";

struct School {
  School() { place.Write("experiment.yaml", kSplit); }
  Ended Run(const std::vector<std::string>& more = {}) {
    return place.RunExperiment(more, RegistryWith(num_made));
  }
  [[nodiscard]] ResultStore Store() const { return ResultStore::OpenToRead(place.Path("results")); }

  Workplace place;
  std::int64_t num_made = 0;  // updates
};

TEST(MatrixTrainingsTest, AnAgentIsTrainedOnceAndItsRunsBeginWithTheWeights) {
  School school;
  const Ended ended = school.Run();
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(school.num_made, 5);
  const std::vector<StoredTraining> trainings = school.Store().Trainings();
  ASSERT_EQ(trainings.size(), 1U);
  EXPECT_EQ(trainings[0].agent, "pupil");
  EXPECT_EQ(trainings[0].num_updates, 5);
  EXPECT_EQ(trainings[0].evaluations, 5);  // one an update
  EXPECT_GT(trainings[0].cpu_seconds, 0.0);
  EXPECT_EQ(trainings[0].weights, "training/pupil/weights.opyard");
  EXPECT_THAT(trainings[0].settings, HasSubstr(R"("seed":2)"));
  EXPECT_EQ(trainings[0].weights_sha256,
            WeightsDigest(school.place.Path("results/training/pupil/weights.opyard")));
  for (const StoredRun& run : school.Store().Runs()) {
    const bool is_pupil = run.record.agent_name == "pupil";
    EXPECT_EQ(run.record.training_id.has_value(), is_pupil);
    // One device: 2 + 3 + 5 ms; two: 2 + 5 ms, and b meanwhile.
    EXPECT_EQ(run.record.makespan, SimTime{is_pupil ? 7'000'000'000 : 10'000'000'000});
    EXPECT_EQ(run.record.evaluations, is_pupil ? 1 : 2);  // none of the training's
  }
  EXPECT_THAT(ended.out, HasSubstr("trained before its runs: pupil, 5 updates, 5 evaluations"));
  EXPECT_EQ(RunCommand({"validate", school.place.Path("results")}).status, 0);
}

TEST(MatrixTrainingsTest, ResumingTakesTheFinishedTrainingAsItIs) {
  School school;
  ASSERT_EQ(school.Run().status, 0);
  const StoredTraining before = school.Store().Trainings().at(0);
  Database(school.place.Path("results/results.sqlite"), OpenMode::kReadWrite)
      .Execute("DELETE FROM runs WHERE agent = 'pupil' AND seed = 3");
  const Ended again = school.Run({"--resume"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(school.num_made, 5);
  EXPECT_EQ(school.Store().Trainings(), std::vector{before});
  EXPECT_EQ(school.Store().Runs().size(), 3U);  // single_device samples nothing
}

TEST(MatrixTrainingsTest, LostWeightsAreMadeAgainAndOthersAreRefused) {
  School school;
  ASSERT_EQ(school.Run().status, 0);
  const auto forget = [&] {
    Database(school.place.Path("results/results.sqlite"), OpenMode::kReadWrite)
        .Execute("DELETE FROM runs WHERE agent = 'pupil' AND seed = 3");
  };
  forget();
  fs::remove_all(school.place.Path("results/training"));
  EXPECT_EQ(school.Run({"--resume"}).status, 0);
  EXPECT_EQ(school.num_made, 10);
  forget();
  Database(school.place.Path("results/results.sqlite"), OpenMode::kReadWrite)
      .Execute("UPDATE trainings SET weights_sha256 = 'other'");
  const Ended other = school.Run({"--resume"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("agent pupil: its stored runs began with weights of SHA-256"));
}

TEST(MatrixTrainingsTest, AnotherTrainingIsRefusedByName) {
  School school;
  ASSERT_EQ(school.Run().status, 0);
  const Ended longer = school.Run({"--resume", "--set", "training.updates=6"});
  EXPECT_EQ(longer.status, 2);
  EXPECT_THAT(longer.err,
              HasSubstr("agent pupil: training.updates: the results were made with 5, the "
                        "experiment says 6"));
  const Ended none = school.Run({"--resume", "--no-training"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("agent pupil: training: the results were made with {"));
}

TEST(MatrixTrainingsTest, WithoutTrainingOrWithACheckpointNobodyIsTrained) {
  School school;
  ASSERT_EQ(school.Run({"--no-training"}).status, 0);
  EXPECT_EQ(school.num_made, 0);
  EXPECT_TRUE(school.Store().Trainings().empty());
  School with;
  const std::string weights = with.place.Write("w", "end\n5\n");
  const Ended ended = with.Run({"--checkpoint", weights});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(with.num_made, 0);
  EXPECT_THAT(with.Store().Runs().at(1).record.params, HasSubstr("checkpoint"));
}

TEST(MatrixTrainingsTest, PiecesTrainToTheSameWeightsAndJoin) {
  School school;
  for (const char* piece : {"1/2", "2/2"}) {
    std::vector<std::string> args = {"run",
                                     school.place.Path("experiment.yaml"),
                                     "--quiet",
                                     "--shard",
                                     piece,
                                     "--out",
                                     school.place.Path(std::string("piece") + piece[0])};
    ASSERT_EQ(RunCommand(args, RegistryWith(school.num_made)).status, 0);
  }
  const Ended merged = RunCommand({"results",
                                   "merge",
                                   school.place.Path("piece1"),
                                   school.place.Path("piece2"),
                                   "--out",
                                   school.place.Path("joined"),
                                   "--json"});
  ASSERT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(merged.Json().at("missing"), 0);
  ResultStore joined = ResultStore::OpenToRead(school.place.Path("joined"));
  ASSERT_EQ(joined.Trainings().size(), 1U);
  for (const StoredRun& run : joined.Runs()) {
    if (run.record.agent_name == "pupil") {
      EXPECT_EQ(run.record.training_id, joined.Trainings()[0].id);
    }
  }
}

TEST(WeightsDigestTest, LeavesOutWhoMadeThemAndNothingElse) {
  const opyard::testing::TemporaryFolder folder;
  const auto digest = [&](const std::string& text) {
    return WeightsDigest(folder.Write("w", text));
  };
  const std::string whole = digest("format 1\nrecord seconds 3\nend\nrecord \x01\n");
  EXPECT_EQ(whole, digest("format 1\nrecord seconds 4\nrecord version 2\nend\nrecord \x01\n"));
  EXPECT_NE(whole, digest("format 2\nrecord seconds 3\nend\nrecord \x01\n"));
  EXPECT_NE(whole, digest("format 1\nrecord seconds 3\nend\nrecord \x02\n"));
  EXPECT_NE(digest("end\na"), digest("end\nb"));
  EXPECT_THROW(static_cast<void>(WeightsDigest(folder.path() / "none")), InputError);
}

}  // namespace
}  // namespace opyard::experiments
