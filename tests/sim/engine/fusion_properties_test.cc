// Properties of every plan with fusion, on random graphs, machines and plans.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sim/engine/incremental/run_history.h"
#include "sim/engine/simulator.h"
#include "sim/plan/op_change.h"
#include "tests/support/agreement.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

constexpr CaseLimits kAnyRules{.most_ops = 60, .rules = kAllRules, .fuses = true};

void ForRandomCases(const CaseLimits& limits, const std::function<void(const RandomCase&)>& check) {
  for (std::uint64_t seed = 700'000; seed < 700'200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(MakeRandomCase(seed, seed % 2 == 0 ? Values::kRound : Values::kContinuous, limits));
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
}

sim::SimReport RunOnce(const RandomCase& made) {
  sim::Workspace workspace;
  return EngineAndReference(made.graph, made.hardware).RunEngine(made.plan, workspace);
}

TEST(FusionPropertyTest, MakespanIsAtLeastThePlanBoundAndThatTheProblemBound) {
  ForRandomCases(kAnyRules, [](const RandomCase& made) {
    const sim::SimReport report = RunOnce(made);
    EXPECT_GE(report.result.makespan, report.plan_bound);
    EXPECT_GE(report.plan_bound, report.problem_bound);
  });
}

TEST(FusionPropertyTest, OpsOfOneGroupRunTogetherAndGroupsOneAtATime) {
  ForRandomCases(kAnyRules, [](const RandomCase& made) {
    const sim::SimReport report = RunOnce(made);
    std::map<std::int32_t, sim::OpSpan> span_of_group;
    for (std::size_t i = 0; i < report.ops.size(); ++i) {
      const auto [entry, is_new] = span_of_group.emplace(report.groups[i], report.ops[i].value());
      EXPECT_EQ(entry->second, report.ops[i].value());
    }
    std::map<DeviceId, std::vector<std::pair<SimTime, SimTime>>> spans;
    for (const auto& [group, span] : span_of_group) {
      spans[span.device].emplace_back(span.start, span.finish);
    }
    for (auto& [device, of_device] : spans) {
      std::ranges::sort(of_device);
      for (std::size_t i = 1; i < of_device.size(); ++i) {
        EXPECT_GE(of_device[i].first, of_device[i - 1].second) << "device " << device.value;
      }
    }
  });
}

TEST(FusionPropertyTest, AGroupStartsAfterEverythingThatItsOpsReadFromOutside) {
  ForRandomCases(kAnyRules, [](const RandomCase& made) {
    const sim::SimReport report = RunOnce(made);
    const sim::OpGraph& graph = *made.graph;
    for (std::size_t i = 0; i < graph.num_ops(); ++i) {
      for (const TensorId input : graph.inputs(OpId(i))) {
        const std::size_t producer = graph.tensor(input).producer.index();
        if (report.groups[producer] != report.groups[i]) {
          EXPECT_GE(report.ops[i]->start, report.ops[producer]->finish);
        }
      }
      for (const OpId before : graph.control_inputs(OpId(i))) {
        if (report.groups[before.index()] != report.groups[i]) {
          EXPECT_GE(report.ops[i]->start, report.ops[before.index()]->finish);
        }
      }
    }
  });
}

TEST(FusionPropertyTest, AGroupTakesNoLongerThanItsOpsOneAfterAnother) {
  ForRandomCases(kAnyRules, [](const RandomCase& made) {
    const sim::SimReport report = RunOnce(made);
    const auto costs = CostsOf(*made.graph, made.hardware);
    std::map<std::int32_t, SimTime> alone;
    std::map<std::int32_t, std::int64_t> num_ops;
    for (std::size_t i = 0; i < report.ops.size(); ++i) {
      alone[report.groups[i]] += costs->time(OpId(i), report.ops[i]->device);
      ++num_ops[report.groups[i]];
    }
    for (std::size_t i = 0; i < report.ops.size(); ++i) {
      // Each op's time was rounded, by half a picosecond at most, before it was added.
      const SimTime together = report.ops[i]->finish - report.ops[i]->start;
      EXPECT_LE(together, alone[report.groups[i]] + SimTime{(num_ops[report.groups[i]] + 1) / 2});
    }
  });
}

TEST(FusionPropertyTest, AGroupWithAMeasuredOpIsNoFasterThanTheSlowestOfItsOps) {
  std::int64_t num_checked = 0;
  ForRandomCases(kAnyRules, [&](const RandomCase& made) {
    const sim::SimReport report = RunOnce(made);
    const auto costs = CostsOf(*made.graph, made.hardware);
    std::set<std::int32_t> measured;
    for (std::size_t i = 0; i < report.ops.size(); ++i) {
      if (costs->cost(OpId(i), report.ops[i]->device).is_measured) {
        measured.insert(report.groups[i]);
      }
    }
    for (std::size_t i = 0; i < report.ops.size(); ++i) {
      if (measured.contains(report.groups[i])) {
        ++num_checked;
        EXPECT_GE(report.ops[i]->finish - report.ops[i]->start,
                  costs->time(OpId(i), report.ops[i]->device));
      }
    }
  });
  EXPECT_GT(num_checked, 1000);
}

// Everything that two reports of one graph say about the run.
void ExpectSameRun(const sim::SimReport& a, const sim::SimReport& b) {
  EXPECT_EQ(a.result, b.result);
  EXPECT_EQ(a.plan_bound, b.plan_bound);
  EXPECT_EQ(a.ops, b.ops);
  EXPECT_EQ(a.groups, b.groups);
  EXPECT_EQ(a.transfers, b.transfers);
}

TEST(FusionPropertyTest, WhereAllDeclineNothingChanges) {
  ForRandomCases(kAnyRules, [](RandomCase made) {
    std::ranges::fill(made.plan.fusion_priority, 0);
    const sim::SimReport declined = RunOnce(made);
    made.plan.fusion_priority.clear();
    ExpectSameRun(declined, RunOnce(made));
  });
}

TEST(FusionPropertyTest, KernelsOfOneOpAtMostChangeNothing) {
  ForRandomCases(kAnyRules, [](RandomCase made) {
    made.hardware.fusion.max_ops = 1;
    const sim::SimReport capped = RunOnce(made);
    made.plan.fusion_priority.clear();
    ExpectSameRun(capped, RunOnce(made));
  });
}

TEST(FusionPropertyTest, RepeatedRunsAgreeWhateverTheWorkspaceDidBetween) {
  sim::Workspace shared;
  ForRandomCases(kAnyRules, [&](RandomCase made) {
    const EngineAndReference both(made.graph, made.hardware);
    const sim::SimReport fresh = RunOnce(made);
    ExpectSameRun(both.RunEngine(made.plan, shared), fresh);
    sim::Plan unfused = made.plan;
    unfused.fusion_priority.clear();
    EXPECT_EQ(both.RunEngine(unfused, shared).result.outcome, fresh.result.outcome);
    ExpectSameRun(both.RunEngine(made.plan, shared), fresh);
  });
}

TEST(FusionPropertyTest, ALimitGivesUpThoseRunsThatExceedItAndNoOthers) {
  ForRandomCases(kAnyRules, [](const RandomCase& made) {
    const EngineAndReference both(made.graph, made.hardware);
    sim::Workspace workspace;
    const sim::SimResult whole = both.simulator().Run(made.plan, workspace);
    EXPECT_EQ(both.simulator().RunUntil(made.plan, whole.makespan, workspace), whole);
    if (whole.makespan > SimTime{}) {
      const SimTime less = whole.makespan - SimTime{1};
      EXPECT_EQ(both.simulator().RunUntil(made.plan, less, workspace).outcome,
                sim::Outcome::kCutOff);
    }
  });
}

TEST(FusionPropertyTest, NeighboursOfAPlanWithFusionRunLikeAnyPlan) {
  ForRandomCases(kAnyRules, [](const RandomCase& made) {
    const EngineAndReference both(made.graph, made.hardware);
    sim::Workspace workspace;
    sim::RunHistory history;
    (void)both.simulator().RunWithCheckpoints(made.plan, workspace, history);
    const std::vector<sim::OpChange> changes = {
        {.op = OpId(std::size_t{0}), .device = made.plan.placement[0], .priority = 7}};
    sim::Plan changed = made.plan;
    sim::Apply(changes, changed);
    const SimTime never{std::numeric_limits<std::int64_t>::max()};
    EXPECT_EQ(both.simulator().ResimulateFrom(history, changes, never, workspace),
              both.simulator().Run(changed, workspace));
  });
}

}  // namespace
}  // namespace opyard::testing
