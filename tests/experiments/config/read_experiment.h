// The experiment of a workplace, read; and variants of its text.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "experiments/config/config.h"
#include "sim/base/error.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments::testing {

[[nodiscard]] inline ExperimentConfig Read(const Workplace& place,
                                           const std::vector<std::string>& overrides = {}) {
  return ReadExperiment(place.Path("experiment.yaml"), overrides, agents::ClassicalAgents());
}

// The message with which the experiment is refused.
[[nodiscard]] inline std::string ErrorOf(const Workplace& place,
                                         const std::vector<std::string>& overrides = {}) {
  try {
    static_cast<void>(Read(place, overrides));
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

// kExperiment with line `line` (from 1; 8 is one past the end) replaced.
[[nodiscard]] inline std::string WithLine(std::size_t line, const std::string& text) {
  std::istringstream lines(kExperiment);
  std::string result;
  std::string old;
  for (std::size_t i = 1; std::getline(lines, old); ++i) {
    result += (i == line ? text : old) + "\n";
  }
  return line > 7 ? result + text + "\n" : result;
}

}  // namespace opyard::experiments::testing
