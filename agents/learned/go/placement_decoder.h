// The decoder of placements row by row: logits of a row given the devices of earlier rows.
#pragma once

#include <cstdint>
#include <functional>

#include <torch/torch.h>

#include "agents/learned/go/row_capacity.h"
#include "agents/learned/go/row_context.h"

namespace opyard::agents::go {

// Let y(i) be what row i is decided by, k(d) the vector of device d and c(i, d) the context of the
// row (row_context.h). The decoder adds
//   v ReLU(A c(i, d) + B y(i) + C k(d))
// to the logit of device d. The pointers of c are H heads of attention of row i over the rows
// j < i, as in "Pointer networks" (Vinyals et al., NeurIPS 2015), from y(i) to y(j). What they
// point to counts for the device that row j is on. A placement then has the probability
// Π p(device of i | devices of j < i) and is evaluated at once, with all its devices given, and
// sampled row after row.
class PlacementDecoder : public torch::nn::Module {
 public:
  PlacementDecoder(std::int64_t hidden, std::int64_t heads);

  // The tensors of a stage that all placements have in common.
  struct Stage {
    torch::Tensor rows;      // B y: [1 or K, R, width]
    torch::Tensor devices;   // C k: [D, width]
    torch::Tensor pointers;  // [1 or K, H, R, R]
  };
  // Begins a stage with y [1 or K, R, hidden] and k [D, hidden].
  [[nodiscard]] Stage Begin(const torch::Tensor& rows, const torch::Tensor& devices);
  // The logits that every row of placements, int64 [K, R], adds: [K, R, D].
  [[nodiscard]] torch::Tensor Forward(const Stage& stage,
                                      const RowRelations& relations,
                                      const torch::Tensor& devices);
  // The logits that one row with `context`, [K, D, columns], adds: [K, D].
  [[nodiscard]] torch::Tensor ForRow(const Stage& stage,
                                     std::int64_t row,
                                     const torch::Tensor& context);

  // The number of rows of A, B and C.
  static constexpr std::int64_t kWidth = 32;

 private:
  // The formula above, for B y [..., width], C k [D, width] and contexts [..., D, columns].
  [[nodiscard]] torch::Tensor Logits(const torch::Tensor& rows,
                                     const torch::Tensor& devices,
                                     const torch::Tensor& context);

  std::int64_t heads_;
  torch::nn::Linear query_;
  torch::nn::Linear key_;
  torch::nn::Linear context_;
  torch::nn::Linear row_;
  torch::nn::Linear device_;
  torch::nn::Linear logit_;
};

// The rule by which rows of K plans are placed one after the other.
struct PlacementRule {
  std::int64_t num_plans = 1;
  // Chooses devices, int64 [K], by log-probabilities [K, D].
  std::function<torch::Tensor(const torch::Tensor& log_probs)> choose;
  double temperature = 1.0;               // of the log-probabilities
  const RowCapacity* capacity = nullptr;  // what they are kept within; null: no limit
  bool is_sampled = false;                // whether samples keep to shares of it (RowRoom)
};
struct OrderedPlacements {
  torch::Tensor devices;    // int64 [K, R]
  torch::Tensor log_probs;  // [K, R, D]
  torch::Tensor allowed;    // bool [K, R, D]: where each row could go
};

}  // namespace opyard::agents::go
