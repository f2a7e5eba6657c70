// Figures of what a plan decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "env/problem.h"
#include "sim/base/units.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::experiments {

struct PlacedWork {
  std::string device;
  std::int64_t ops = 0;
  SimTime time;                       // of its ops, each alone
  Bytes parameters;                   // of its ops
  Bytes outputs;                      // of its ops, aliases left out
  std::vector<std::int64_t> streams;  // their lengths; none without streams
};

// Of one value per op: how many ops have one other than 0, and how many values there are.
struct PriorityFigures {
  std::int64_t ops = 0;
  std::int64_t values = 0;  // 0 included where an op has it; 0 without priorities
};

struct PlanFigures {
  std::vector<PlacedWork> devices;  // of the machine
  std::int64_t kernels = 0;
  PriorityFigures op_priority;
  PriorityFigures fusion_priority;
  std::int64_t transfer_priorities = 0;
  std::vector<std::string> hints;  // sentences on what the plan leaves to rules
};

// `report` is of `plan`, a legal plan of `problem`.
[[nodiscard]] PlanFigures FiguresOf(const env::Problem& problem,
                                    const sim::Plan& plan,
                                    const sim::SimReport& report);

}  // namespace opyard::experiments
