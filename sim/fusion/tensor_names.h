// The names that views give to tensors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/array_index.h"
#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"

namespace opyard::sim {

// A forest: outputs of ops that take no time are names of the tensors that they alias. Immutable,
// so it can be shared between threads; 12 bytes a tensor.
class TensorNames {
 public:
  // `is_zero_cost` is by OpId. O(tensors).
  TensorNames(const OpGraph& graph, std::span<const std::uint8_t> is_zero_cost);

  // The names of `tensor`, and names of them, through any number of views. A name is followed by
  // all of its own names, which are names_of(name).size().
  [[nodiscard]] std::span<const TensorId> names_of(TensorId tensor) const {
    return std::span(in_order_).subspan(At(place_[tensor.index()]) + 1,
                                        At(num_names_[tensor.index()]));
  }

 private:
  std::vector<TensorId> in_order_;       // a tensor before its names
  std::vector<std::int32_t> place_;      // in `in_order_`, by TensorId
  std::vector<std::int32_t> num_names_;  // by TensorId
};

}  // namespace opyard::sim
