// Quantiles of Beta distributions by SciPy.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "agents/genetic/beta_shape.h"

namespace opyard::agents::testing {

struct StoredQuantiles {
  BetaShape shape;
  std::vector<double> quantiles;  // of 1/50 … 49/50
};

// All of beta_quantiles.txt, which make_beta_quantiles.py wrote.
inline std::vector<StoredQuantiles> ReadQuantiles() {
  std::ifstream file("tests/agents/genetic/beta_quantiles.txt");
  std::vector<StoredQuantiles> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) {
      continue;
    }
    std::istringstream words(line);
    StoredQuantiles stored;
    words >> stored.shape.alpha >> stored.shape.beta;
    for (double quantile = 0.0; words >> quantile;) {
      stored.quantiles.push_back(quantile);
    }
    all.push_back(std::move(stored));
  }
  return all;
}

}  // namespace opyard::agents::testing
