// References of the rewards of learning agents, in `opyard run` and in `opyard place`.
#include "experiments/matrix/references.h"

#include <algorithm>
#include <map>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/reward.h"
#include "experiments/store/result_store.h"
#include "experiments/store/sqlite.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using ::testing::SizeIs;
using testing::Workplace;

// The requests to the agents of a registry.
struct Seen {
  std::vector<std::string> searches;  // names, in order
  std::vector<double> scores;         // env::FindReference, of each search of the learner
  std::mutex mutex;
};

// An agent that records its search and tries the default placement.
class Reporting final : public agents::Agent {
 public:
  Reporting(std::string name, bool finds, Seen& seen)
      : name_(std::move(name)), finds_(finds), seen_(seen) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const agents::SearchContext& /*context*/) override {
    {
      const std::scoped_lock lock(seen_.mutex);
      seen_.searches.push_back(name_);
      if (name_ == "learner") {
        seen_.scores.push_back(env::FindReference(problem).score);
      }
    }
    if (finds_) {
      static_cast<void>(evaluator.Evaluate(sim::Plan{.placement = problem.default_placement()}));
    }
  }

 private:
  std::string name_;
  bool finds_;
  Seen& seen_;
};

agents::AgentEntry TellingEntry(const std::string& name, agents::AgentKind kind, Seen& seen) {
  return {.info = {.name = name, .kind = kind, .tasks = {"placement"}, .paper = "", .summary = ""},
          .make = [name, &seen](Options&) {
            return std::make_unique<Reporting>(name, name != "helpless", seen);
          }};
}

// The classical agents and three that record their searches: `learner` learns, `rule` does not, and
// `helpless` tries no plan at all.
agents::AgentRegistry RegistryThatReports(Seen& seen) {
  return agents::ClassicalAgents() +
         agents::AgentRegistry({TellingEntry("helpless", agents::AgentKind::kClassical, seen),
                                TellingEntry("learner", agents::AgentKind::kLearned, seen),
                                TellingEntry("rule", agents::AgentKind::kClassical, seen)});
}

// `opyard run` with the given agents and baseline, one seed unless `more` says otherwise.
Ended RunAgents(const Workplace& place,
                Seen& seen,
                const std::string& agents,
                const std::string& baseline,
                std::vector<std::string> more = {}) {
  more.insert(more.begin(),
              {"--set",
               "seeds=[0]",
               "--set",
               "agents=[" + agents + "]",
               "--set",
               "problem.baseline=" + baseline});
  return place.RunExperiment(more, RegistryThatReports(seen));
}

std::map<std::string, RunRecord> RecordsOf(const Workplace& place) {
  std::map<std::string, RunRecord> records;
  for (StoredRun& run : ResultStore::OpenToRead(place.Path("results")).Runs()) {
    const std::string agent = run.record.cell.agent;
    records[agent] = std::move(run.record);
  }
  return records;
}

// HEFT leaves 7 ms of the 10 that everything on one device takes (run_matrix_test.cc).
constexpr double kHeft = 0.007;
constexpr double kOneDevice = 0.010;

TEST(ReferencesTest, WhatLearnsIsMeasuredAgainstTheBaselineOfTheExperiment) {
  const Workplace place;
  Seen seen;
  ASSERT_EQ(RunAgents(place, seen, "learner", "heft").status, 0);
  EXPECT_THAT(seen.scores, ElementsAre(kHeft));
  const RunRecord record = RecordsOf(place).at("learner");
  ASSERT_TRUE(record.reference.has_value());
  EXPECT_EQ(record.reference->score, kHeft);
  EXPECT_EQ(record.reference->makespan, SimTime{7'000'000'000});
  EXPECT_EQ(record.evaluations, 1);  // those of the baseline are not the learner's
}

TEST(ReferencesTest, TheBaselineIsSingleDeviceWhereNobodySaysOtherwise) {
  const Workplace place;
  Seen seen;
  ASSERT_EQ(place.RunExperiment({"--set", "agents=[learner]"}, RegistryThatReports(seen)).status,
            0);
  EXPECT_THAT(seen.scores, ElementsAre(kOneDevice, kOneDevice));  // two seeds
}

TEST(ReferencesTest, ABaselineOutsideTheMatrixIsSearchedForOnceForRewardsAndTable) {
  const Workplace place;
  Seen seen;
  const Ended ended =
      RunAgents(place, seen, "learner, {name: learner, label: b}", "rule", {"--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(seen.searches, ElementsAre("rule", "learner", "learner"));
  ASSERT_THAT(ended.Json().at("baseline_searches"), SizeIs(1));
  EXPECT_EQ(ended.Json().at("baseline_searches")[0].at("step_s"), kOneDevice);
}

TEST(ReferencesTest, ABaselineOfTheMatrixRunsFirstAndOnlyOnce) {
  const Workplace place;
  Seen seen;
  const Ended ended = RunAgents(place,
                                seen,
                                "learner, {name: rule, label: mine}",
                                "mine",
                                {"--set", "seeds=[3, 4]", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(seen.searches.front(), "rule");
  EXPECT_EQ(std::ranges::count(seen.searches, "rule"), 2);  // its two runs
  EXPECT_THAT(seen.scores, ElementsAre(kOneDevice, kOneDevice));
  EXPECT_THAT(ended.Json().at("baseline_searches"), SizeIs(0));
  // The learner's runs record the seconds of the baseline's search, apart from their own.
  const auto records = RecordsOf(place);
  EXPECT_GT(records.at("learner").reference->seconds, 0.0);
}

TEST(ReferencesTest, WithoutAnAgentThatLearnsTheMatrixKeepsItsOrder) {
  const Workplace place;
  Seen seen;
  ASSERT_EQ(RunAgents(place, seen, "helpless, rule", "rule").status, 0);
  EXPECT_THAT(seen.searches, ElementsAre("helpless", "rule"));
  EXPECT_FALSE(RecordsOf(place).at("helpless").reference.has_value());
}

// single_device 10 ms; the two-device split of env::BaselinePlans may be better: whatever it is.
TEST(ReferencesTest, ABaselineWithoutAFeasiblePlanGivesWayToTheRules) {
  const Workplace place;
  Seen seen;
  ASSERT_EQ(RunAgents(place, seen, "learner", "helpless").status, 0);
  ASSERT_EQ(RunAgents(place, seen, "learner", "learner", {"--resume"}).status,
            2);  // another baseline
  const Workplace other;
  Seen of_rules;  // the baseline itself is measured against the rules
  ASSERT_EQ(RunAgents(other, of_rules, "learner", "learner").status, 0);
  EXPECT_EQ(seen.scores, of_rules.scores);
}

TEST(ReferencesTest, ResumedRunsKeepTheReferenceOfThoseThatAreStored) {
  const Workplace place;
  Seen seen;
  ASSERT_EQ(RunAgents(place, seen, "learner", "rule").status, 0);
  Database(place.Path("results/results.sqlite"), OpenMode::kReadWrite)
      .Execute("UPDATE runs SET reference_score = 0.25");
  ASSERT_EQ(RunAgents(place, seen, "learner", "rule", {"--resume", "--set", "seeds=[0, 1]"}).status,
            0);
  EXPECT_THAT(seen.scores, ElementsAre(kOneDevice, 0.25));
}

TEST(ReferencesTest, AnotherBaselineIsRefusedWhereRunsWereRewardedAgainstIt) {
  const Workplace place;
  Seen seen;
  ASSERT_EQ(RunAgents(place, seen, "learner, rule", "heft").status, 0);
  const Ended ended = RunAgents(place, seen, "learner, rule", "rule", {"--resume"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(
      ended.err,
      HasSubstr("problem.baseline: the results were made with \"heft\", the experiment says "
                "\"rule\""));
  const Workplace unrewarded;
  ASSERT_EQ(RunAgents(unrewarded, seen, "helpless, rule", "heft").status, 0);
  EXPECT_EQ(RunAgents(unrewarded, seen, "helpless, rule", "rule", {"--resume"}).status, 0);
}

TEST(ReferencesTest, TheCommandOfARunRepeatsItsReference) {
  const Workplace place;
  Seen seen;
  ASSERT_EQ(RunAgents(place, seen, "learner", "heft").status, 0);
  EXPECT_THAT(RecordsOf(place).at("learner").reproduce,
              HasSubstr(" --reference 0.007 --out best.plan.json"));
  const auto place_learner = [&](std::vector<std::string> more) {
    std::vector<std::string> args = {"place",
                                     "--graph",
                                     place.Path("toy.graph.json"),
                                     "--hardware",
                                     place.Path("machines/two.yaml"),
                                     "--agent",
                                     "learner",
                                     "--json"};
    args.insert(args.end(), more.begin(), more.end());
    return RunCommand(args, RegistryThatReports(seen));
  };
  ASSERT_EQ(place_learner({"--reference", "0.007"}).status, 0);
  EXPECT_EQ(seen.scores.back(), kHeft);
  const Ended alone = place_learner({});
  EXPECT_EQ(seen.scores.back(), kOneDevice);
  EXPECT_EQ(alone.Json().at("reference_score"), kOneDevice);
  EXPECT_EQ(alone.Json().at("evaluations"), 1);
}

TEST(ReferencesTest, AReferenceThatIsNoScoreIsRefused) {
  const Workplace place;
  Seen seen;
  for (const char* word : {"0", "-1", "nan", "1e400", "1e300"}) {
    const Ended ended = RunCommand({"place",
                                    "--graph",
                                    place.Path("toy.graph.json"),
                                    "--hardware",
                                    place.Path("machines/two.yaml"),
                                    "--agent",
                                    "learner",
                                    "--reference",
                                    word},
                                   RegistryThatReports(seen));
    EXPECT_EQ(ended.status, 2) << word;
    EXPECT_THAT(ended.err, HasSubstr("reference")) << word;
  }
}

}  // namespace
}  // namespace opyard::experiments
