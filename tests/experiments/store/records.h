// A run to be stored.
#pragma once

#include <cstdint>

#include "experiments/store/run_record.h"

namespace opyard::experiments {

// Differs from others by its seed only.
[[nodiscard]] inline RunRecord Record(std::int64_t seed) {
  RunRecord record;
  record.cell = {.graph = "g", .hardware = "h", .agent = "a[x=1]", .seed = seed};
  record.graph_sha256 = "f00";
  record.hardware_sha256 = "ba4";
  record.agent_name = "a";
  record.params = R"({"x":1})";
  record.settings = "{}";
  record.outcome = "completed";
  record.makespan = SimTime{9'007'199'254'740'993};  // 2^53 + 1: no double holds it
  record.score = 0.1;
  record.evaluations = 3;
  record.seconds = 0.25;
  record.cpu_seconds = 0.375;
  record.seconds_to_best = 0.125;
  record.reference = {.score = 0.3, .makespan = SimTime{300}, .seconds = 2.5, .cpu_seconds = 3.5};
  record.version = "1";
  record.plan = R"({"plan": true})";
  record.reproduce = "opyard place";
  record.history = {{1, 0.01, 0.5, SimTime{5}}, {3, 0.125, 0.1, SimTime{2}}};
  // Ten updates: as text, 10 would come before 2.
  for (std::int64_t update = 1; update <= 10; ++update) {
    record.training.push_back({update, 2 * update, 0.5, {{"entropy", 0.7}, {"loss", -1e-300}}});
  }
  return record;
}

}  // namespace opyard::experiments
