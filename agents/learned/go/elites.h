// The best plans of a search, which its policy imitates.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

namespace opyard::agents::go {

// So many different plans of the greatest rewards, none of which failed. A plan is the actions of
// the groups of its problem, int64 [T, G], on the CPU, with equal devices in the order of
// DeviceSymmetry: whoever adds them sees to that.
class Elites {
 public:
  explicit Elites(std::int64_t most) : most_(most) {}

  // Plans int64 [K, T, G] and their rewards, [K]; those of failures are left out.
  void Add(const torch::Tensor& plans, const std::vector<double>& rewards);
  // int64 [E, T, G], the best first; of equal rewards the one that came first. REQUIRES: not empty.
  [[nodiscard]] torch::Tensor plans() const;
  [[nodiscard]] std::vector<double> rewards() const;  // of these
  [[nodiscard]] bool empty() const { return elites_.empty(); }

 private:
  struct Elite {
    double reward = 0.0;
    torch::Tensor plan;
  };
  void AddPlan(const torch::Tensor& plan, double reward);

  std::int64_t most_;
  std::vector<Elite> elites_;  // by falling reward
};

}  // namespace opyard::agents::go
