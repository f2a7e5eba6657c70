// Costs that are wrong by known factors: what a plan is worth if a cost model errs so.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/cost/cost_model.h"

namespace opyard::sim {

// Factors by the type of an op; 1 for types that are not there.
using FactorOfType = std::map<std::string, double, std::less<>>;

// The costs of `model`, each term and the total times the factor of the op's type. Rates are
// divided by it, so that traffic that fusion saves costs as much more as all traffic does.
class ScaledModel final : public CostModel {
 public:
  // `model` has to outlive this. REQUIRES: all factors are finite and above 0.
  ScaledModel(const CostModel& model, FactorOfType factors)
      : model_(model), factors_(std::move(factors)) {}

  [[nodiscard]] OpCost Cost(const OpGraph& graph, OpId op, const Device& device) const override;

 private:
  const CostModel& model_;
  FactorOfType factors_;
};

// The same with a factor for each op.
class NoisyModel final : public CostModel {
 public:
  // `model` has to outlive this. REQUIRES: [num_ops] factors, finite and above 0.
  NoisyModel(const CostModel& model, std::vector<double> factors)
      : model_(model), factors_(std::move(factors)) {}

  [[nodiscard]] OpCost Cost(const OpGraph& graph, OpId op, const Device& device) const override;

 private:
  const CostModel& model_;
  std::vector<double> factors_;
};

}  // namespace opyard::sim
