// The problems that parameters are tuned on.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "env/problem.h"
#include "experiments/config/config.h"
#include "sim/base/rng.h"

namespace opyard::experiments {

// Each member of each entry of the split's train on each machine, with each list of tasks of the
// training, once, in an order sampled from `rng`; weights do not count.
class TuningProblems {
 public:
  // Throws InputError with every machine that cannot be loaded.
  TuningProblems(const ExperimentConfig& config, Rng rng);

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  // Made when it is asked for, and again after many others. Throws InputError if its graph cannot
  // be loaded, or the machine cannot run it. REQUIRES: index < size().
  [[nodiscard]] std::shared_ptr<const env::Problem> Get(std::size_t index);

 private:
  struct Item {
    std::string graph;
    std::shared_ptr<const sim::HardwareProfile> machine;
    env::TaskSet tasks;
    std::string place;
  };

  const ExperimentConfig& config_;
  std::vector<Item> items_;
  std::map<std::size_t, std::shared_ptr<const env::Problem>> kept_;
};

}  // namespace opyard::experiments
