#include "agents/base/search_run.h"

#include <limits>

#include <gtest/gtest.h>

#include "sim/base/check.h"
#include "sim/base/thread_clock.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

// Evaluates the default plan twice and reports an update after each, numbered 5 and `second`.
class TellsOfUpdates final : public Agent {
 public:
  explicit TellsOfUpdates(std::int64_t second) : second_(second) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& context) override {
    const sim::Plan plan{
        .placement = {problem.default_placement().begin(), problem.default_placement().end()}};
    evaluator.Evaluate(plan);
    context.listener({.num_updates = 5, .values = {{"loss", 0.5}}});
    evaluator.Evaluate(plan);
    context.listener(
        {.num_updates = second_,
         .values = {{"loss", std::numeric_limits<double>::quiet_NaN()}, {"entropy", 0.25}}});
  }

 private:
  std::int64_t second_;
};

SearchResult SearchThatReports(const AgentRegistry& registry) {
  const auto problem = std::make_shared<const env::Problem>(env::ProblemSpec{
      .graph = opyard::testing::MakeGraph({opyard::testing::TimedOp("a", 2)}),
      .hardware = std::make_shared<const sim::HardwareProfile>(opyard::testing::MeshMachine(2))});
  return RunSearch({.problem = problem,
                    .agent = "teller",
                    .budget = {.evaluations = 2},
                    .interrupt = nullptr,
                    .on_progress = {}},
                   registry);
}

SearchResult SearchThatReports(std::int64_t second) {
  return SearchThatReports(AgentRegistry(
      {{.info = {.name = "teller", .tasks = {}, .paper = "", .summary = ""},
        .make = [second](Options&) { return std::make_unique<TellsOfUpdates>(second); }}}));
}

TEST(SearchTest, KeepsWhatAnAgentReportsOfItsUpdatesButNoNan) {
  const std::vector<TrainingRow> training = SearchThatReports(6).training;
  ASSERT_EQ(training.size(), 2U);
  EXPECT_EQ(training[0].num_updates, 5);
  EXPECT_EQ(training[0].evaluations, 1);
  EXPECT_EQ(training[1].evaluations, 2);
  EXPECT_LE(training[0].seconds, training[1].seconds);
  EXPECT_EQ(training[1].values, (std::map<std::string, double>{{"entropy", 0.25}}));
}

// Until this thread has spent `seconds` more.
void Work(double seconds) {
  const ThreadClock clock = ThreadClock::OfThisThread();
  const double end = clock.seconds() + seconds;
  while (clock.seconds() < end) {
  }
}

TEST(SearchTest, MakingTheAgentCountsInBothClocksAndInTheHistory) {
  const AgentRegistry registry(
      {{.info = {.name = "teller", .tasks = {}, .paper = "", .summary = ""}, .make = [](Options&) {
          Work(0.05);  // as one that loads weights
          return std::make_unique<TellsOfUpdates>(6);
        }}});
  const SearchResult answer = SearchThatReports(registry);
  EXPECT_GE(answer.seconds, 0.05);
  EXPECT_GE(answer.cpu_seconds, 0.05);
  EXPECT_GE(answer.history.front().seconds, 0.05);
  EXPECT_GE(answer.training.front().seconds, 0.05);
}

TEST(SearchTest, AnAgentThatReportsAnUpdateTwiceIsABug) {
  EXPECT_THROW(static_cast<void>(SearchThatReports(5)), InternalError);
}

}  // namespace
}  // namespace opyard::agents
