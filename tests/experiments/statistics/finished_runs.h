// Runs to be summed up and compared.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "experiments/statistics/summary.h"

namespace opyard::experiments {

inline RunRecord DoneRun(const std::string& agent, std::int64_t seed, double step_ms) {
  RunRecord run;
  run.cell = {.graph = "g", .hardware = "h", .agent = agent, .seed = seed};
  run.outcome = "completed";
  run.makespan = SimTime::FromSeconds(step_ms * 1e-3);
  run.evaluations = 10 * (seed + 1);
  run.seconds = 0.5;
  run.cpu_seconds = 0.75;
  return run;
}

inline RunRecord FailedRun(const std::string& agent, std::int64_t seed) {
  RunRecord run = DoneRun(agent, seed, 1.0);
  run.status = RunStatus::kFailed;
  run.outcome = "out_of_memory";
  return run;
}

inline std::map<PairKey, Baseline> BaselineOf(double step_s) {
  return {{{"g", "h"}, {.agent = "slow", .step_s = step_s, .reason = ""}}};
}

}  // namespace opyard::experiments
