// The kernels that fusion makes of the ops of a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/fusion/fusion_graph.h"

namespace opyard::sim {

// The kernels of a plan. Ops go by their topological index; kernels are numbered by the least of
// their ops.
struct Kernels {
  std::size_t num_kernels = 0;
  std::vector<std::int32_t> kernel_of;  // [num_ops]
  // The ops of kernel i, ascending: ops [first_op[i], first_op[i + 1]).
  std::vector<std::int32_t> first_op;  // [num_kernels + 1]
  std::vector<std::int32_t> ops;       // [num_ops]
  // Kernel numbers need not follow the edges between kernels; this order does.
  std::vector<std::int32_t> topological_order;  // [num_kernels]

  [[nodiscard]] std::span<const std::int32_t> ops_of(std::size_t kernel) const {
    return Subrange(ops, first_op[kernel], first_op[kernel + 1]);
  }
};

}  // namespace opyard::sim
