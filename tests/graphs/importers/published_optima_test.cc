// Task graphs with proven optima: what the readers make of them takes, on the machines
// processors-N, what scheduling theory says. The published sets stand outside the project, in
// ../shared/data/benchmarks beside it; where they are absent, tests on them are skipped.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "sim/analysis/problem_bound/problem_bound.h"
#include "sim/base/rng.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/simulator.h"
#include "sim/hardware/routes.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/io/text/text_file.h"
#include "sim/plan/plan.h"
#include "tests/support/small_graphs.h"

namespace opyard::graphs {
namespace {

using opyard::testing::PlacedWithPriorities;

const char* const kSets = "../shared/data/benchmarks";  // tests run in the project's root

SimTime Units(std::int64_t units) {
  return SimTime{units * 1'000'000'000};  // ms
}

class TaskProblem {
 public:
  TaskProblem(const std::string& graph, std::size_t num_processors)
      : graph_(LoadGraph(graph)),
        num_processors_(num_processors),
        machine_(sim::LoadMachine("processors-" + std::to_string(num_processors))),
        simulator_(sim::LowerProblem(graph_,
                                     machine_,
                                     opyard::testing::CostsOf(*graph_, *machine_),
                                     sim::RouteTable(*machine_))) {}

  [[nodiscard]] SimTime LengthOf(const sim::Plan& plan) {
    const sim::SimResult result = simulator_.Run(plan, workspace_);
    EXPECT_EQ(result.outcome, sim::Outcome::kCompleted);
    return result.makespan;
  }

  // Everywhere at random, in any order.
  [[nodiscard]] sim::Plan RandomPlan(Rng& rng) const {
    sim::Plan plan{.placement = {}, .queue = sim::QueueDiscipline::kPriority};
    for (std::size_t op = 0; op < graph_->num_ops(); ++op) {
      plan.placement.emplace_back(static_cast<std::size_t>(rng.Below(num_processors_)));
      plan.op_priority.push_back(static_cast<std::int64_t>(rng.Below(graph_->num_ops())));
    }
    return plan;
  }

  // The longest path from the start of each task to the end, in picoseconds, without delays.
  [[nodiscard]] std::vector<std::int64_t> Tails() const {
    std::vector<std::int64_t> tails(graph_->num_ops());
    const auto order = graph_->topological_order();
    for (auto op = order.rbegin(); op != order.rend(); ++op) {
      std::int64_t longest = 0;
      for (const OpId next : SuccessorsOf(*op)) {
        longest = std::max(longest, tails[next.index()]);
      }
      tails[op->index()] = longest + TimeOf(*op);
    }
    return tails;
  }

  // Whenever a processor is free, the ready task with the longest tail.
  [[nodiscard]] sim::Plan ListPlan() const {
    const std::vector<std::int64_t> tails = Tails();
    sim::Plan plan{.placement = sim::OpPlacement(graph_->num_ops()),
                   .queue = sim::QueueDiscipline::kPriority,
                   .op_priority = tails};
    std::vector<std::int64_t> free(num_processors_);
    std::vector<std::optional<std::int64_t>> ends(graph_->num_ops());
    for (std::size_t placed = 0; placed < graph_->num_ops(); ++placed) {
      const auto processor = std::ranges::min_element(free);
      OpId best(std::size_t{0});
      std::pair<std::int64_t, std::int64_t> least{};  // start, less the tail
      bool is_found = false;
      for (std::size_t op = 0; op < graph_->num_ops(); ++op) {
        const auto ready = ends[op].has_value() ? std::nullopt : ReadyTime(OpId(op), ends);
        if (ready.has_value()) {
          const std::pair start(std::max(*ready, *processor), -tails[op]);
          if (!is_found || start < least) {
            least = start;
            best = OpId(op);
            is_found = true;
          }
        }
      }
      *processor = least.first + TimeOf(best);
      ends[best.index()] = *processor;
      plan.placement[best.index()] = DeviceId(static_cast<std::size_t>(processor - free.begin()));
    }
    return plan;
  }

  // Of plans whose devices run one op at a time.
  [[nodiscard]] SimTime Bound() const {
    return sim::ProblemBound(*graph_,
                             *machine_,
                             *opyard::testing::CostsOf(*graph_, *machine_),
                             sim::RouteTable(*machine_));
  }

  [[nodiscard]] const sim::OpGraph& graph() const { return *graph_; }

 private:
  [[nodiscard]] std::int64_t TimeOf(OpId op) const {
    return SimTime::FromSeconds(graph_->measured_times(op)[0].seconds).picoseconds;
  }

  [[nodiscard]] std::vector<OpId> SuccessorsOf(OpId op) const {
    const auto controls = graph_->control_consumers(op);
    std::vector<OpId> successors(controls.begin(), controls.end());
    for (std::size_t output = 0; output < graph_->num_outputs(op); ++output) {
      const auto readers = graph_->consumers(graph_->output(op, output));
      successors.insert(successors.end(), readers.begin(), readers.end());
    }
    return successors;
  }

  // When the last predecessor ends; nothing if one has no end yet.
  [[nodiscard]] std::optional<std::int64_t> ReadyTime(
      OpId op, const std::vector<std::optional<std::int64_t>>& ends) const {
    std::int64_t ready = 0;
    for (const OpId before : graph_->control_inputs(op)) {
      if (!ends[before.index()].has_value()) {
        return std::nullopt;
      }
      ready = std::max(ready, *ends[before.index()]);
    }
    return ready;
  }

  std::shared_ptr<const sim::OpGraph> graph_;
  std::size_t num_processors_;
  std::shared_ptr<const sim::HardwareProfile> machine_;
  sim::Simulator simulator_;
  sim::Workspace workspace_;
};

TEST(ProcessorsTest, PrecedenceAloneDelaysNothing) {
  TaskProblem problem("tests/fuzz/corpus/stg/small.stg", 2);
  // Tasks 0 … 6 take 0, 3, 2, 4, 2, 3, 0. Processor 0: 1 from 0, 3 from 3 to 7; processor 1: 2 from
  // 0, 5 from 2 (its priority is higher), 4 from 5 to 7. 14 units on two processors take no less.
  EXPECT_EQ(problem.LengthOf(PlacedWithPriorities({0, 0, 1, 0, 1, 1, 1}, {0, 0, 0, 0, 1, 2, 0})),
            Units(7));
  // On one of them: 3 + 2 + 4 + 2 + 3.
  EXPECT_EQ(problem.LengthOf(PlacedWithPriorities(std::vector<std::int32_t>(7, 1),
                                                  std::vector<std::int64_t>(7, 0))),
            Units(14));
}

TEST(ProcessorsTest, AnEdgeDelaysByItsWeightAndAllGoAtOnce) {
  TaskProblem problem("tests/fuzz/corpus/gxl/small.gxl", 2);
  // The same tasks, without the dummies: 4 waits for 1, which ends at 3, and 3 units more, so it
  // runs 6 → 8 on processor 1, after 5.
  EXPECT_EQ(problem.LengthOf(PlacedWithPriorities({0, 1, 0, 1, 1}, {0, 0, 0, 1, 2})), Units(8));
  // Tasks 1 and 2 run on processor 0, 0 → 3 → 5, the others on processor 1. There the inputs of 3
  // arrive at 3 + 4 = 7, those of 4 at max(3 + 3, 5 + 2) = 7, those of 5 at 5 + 1 = 6. Task 5 runs
  // 6 → 9, task 3 9 → 13, task 4 13 → 15. One at a time on a link, 1's edges alone would arrive at
  // 7 and 10.
  EXPECT_EQ(problem.LengthOf(PlacedWithPriorities({0, 0, 1, 1, 1}, {2, 1, 3, 2, 1})), Units(15));
}

// A line of a set's optima.csv.
struct Published {
  std::string graph;
  std::size_t num_processors = 0;
  std::int64_t lower = 0;  // no schedule is shorter: proven
  std::int64_t best = 0;   // a schedule is as short
};

// The table of a set: graph, processors, and two lengths, of which the least is proven.
std::vector<Published> ReadPublished(const std::string& set) {
  const std::filesystem::path folder = std::filesystem::path(kSets) / set;
  std::vector<Published> all;
  if (!std::filesystem::exists(folder)) {
    return all;
  }
  std::istringstream lines(sim::ReadTextFile(folder / "optima.csv"));
  std::string line;
  std::getline(lines, line);  // of titles
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string graph;
    std::string processors;
    std::string one;
    std::string other;
    std::getline(fields, graph, ',');
    std::getline(fields, processors, ',');
    std::getline(fields, one, ',');
    std::getline(fields, other, ',');
    const auto [lower, best] = std::minmax({std::stoll(one), std::stoll(other)});
    all.push_back({(folder / graph).string(), std::stoul(processors), lower, best});
  }
  return all;
}

TEST(PublishedOptimaTest, NoPlanBeatsAProvenOne) {
  std::vector<Published> all = ReadPublished("stg");
  const std::vector<Published> delayed = ReadPublished("sinnen");
  all.insert(all.end(), delayed.begin(), delayed.end());
  if (all.empty()) {
    GTEST_SKIP() << "no " << kSets;
  }
  Rng rng(7);
  for (const Published& published : all) {
    TaskProblem problem(published.graph, published.num_processors);
    for (int i = 0; i < 20; ++i) {
      EXPECT_GE(problem.LengthOf(problem.RandomPlan(rng)), Units(published.lower))
          << published.graph << " on " << published.num_processors;
    }
  }
}

// All times are whole units, so a bound above all but the last of them is as good as the optimum.
std::size_t NumProvenByBound(const std::vector<Published>& all) {
  std::size_t num_proven = 0;
  for (const Published& published : all) {
    const SimTime bound = TaskProblem(published.graph, published.num_processors).Bound();
    EXPECT_LE(bound, Units(published.best)) << published.graph;
    num_proven += bound > Units(published.best - 1) ? 1 : 0;
  }
  return num_proven;
}

TEST(PublishedOptimaTest, TheBoundProvesMostOfStgAndSomeOfSinnen) {
  const std::vector<Published> stg = ReadPublished("stg");
  std::vector<Published> sinnen = ReadPublished("sinnen");
  if (stg.empty() || sinnen.empty()) {
    GTEST_SKIP() << "no " << kSets;
  }
  for (Published& published : sinnen) {
    published.best = published.lower;  // proven; some published schedules are longer
  }
  // Of 360 and 134: the longest path and the mean work alone prove 331 and 19.
  EXPECT_GE(NumProvenByBound(stg), 342U);
  EXPECT_GE(NumProvenByBound(sinnen), 50U);
}

TEST(PublishedOptimaTest, ListSchedulesReachMostOfStg) {
  const std::vector<Published> all = ReadPublished("stg");
  if (all.empty()) {
    GTEST_SKIP() << "no " << kSets << "/stg";
  }
  std::size_t num_reached = 0;
  for (const Published& published : all) {
    TaskProblem problem(published.graph, published.num_processors);
    const SimTime length = problem.LengthOf(problem.ListPlan());
    EXPECT_GE(length, Units(published.lower)) << published.graph;
    num_reached += length <= Units(published.best) ? 1 : 0;
  }
  EXPECT_GE(num_reached, all.size() / 2);
}

TEST(PublishedOptimaTest, SomePlacementReachesMostOfSinnensOnTwoProcessors) {
  const std::vector<Published> all = ReadPublished("sinnen");
  if (all.empty()) {
    GTEST_SKIP() << "no " << kSets << "/sinnen";
  }
  std::size_t num_problems = 0;
  std::size_t num_reached = 0;
  for (const Published& published : all) {
    if (published.num_processors != 2) {
      continue;
    }
    TaskProblem problem(published.graph, 2);
    SimTime best = Units(1'000'000);
    for (std::uint32_t set = 0; set < (1U << problem.graph().num_ops()) / 2; ++set) {
      std::vector<std::int32_t> placement;
      for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
        placement.push_back((set >> op) & 1U);
      }
      best = std::min(best, problem.LengthOf(PlacedWithPriorities(placement, problem.Tails())));
    }
    EXPECT_GE(best, Units(published.lower)) << published.graph;
    ++num_problems;
    num_reached += best == Units(published.best) ? 1 : 0;
  }
  EXPECT_GE(num_reached, num_problems / 2);
}

}  // namespace
}  // namespace opyard::graphs
