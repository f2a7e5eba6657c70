// Rows of a table of best known plans.
#pragma once

#include "experiments/statistics/best_known.h"

namespace opyard::experiments::testing {

// 7 ms, where the expert has 14 ms; two searches of two and of three seeds.
[[nodiscard]] inline BestKnownPlan KnownPlan() {
  return {.problem = {.graph = "zoo:g?n=2,3",
                      .machine = "two",
                      .tasks = "placement,scheduling",
                      .objective = "makespan",
                      .queue = "fifo",
                      .fusion = "framework"},
          .graph_sha256 = "f00",
          .machine_sha256 = "ba4",
          .best = {.makespan = SimTime{7'000'000'001}, .score = 0.007000000001},
          .expert = PlanWorth{.makespan = SimTime{14'000'000'002}, .score = 0.014000000002},
          .lower_bound = SimTime{3},
          .agent = "brkga[x=1,y=2]",
          .seed = 2,
          .evaluations = 11,
          .version = "0.1",
          .reproduce = "opyard place --seed 2",
          .file = "plans/g.plan.json.gz",
          .rules = {"heft", "human_expert"},
          .searches = {{{"brkga", 2}, 13},
                       {{"brkga", 5}, 17},
                       {{"auto", 0}, 19},
                       {{"auto", 1}, 23},
                       {{"auto", 2}, 29}}};
}

}  // namespace opyard::experiments::testing
