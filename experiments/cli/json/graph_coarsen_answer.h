// The answer of `opyard graph coarsen --json`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace opyard::experiments {

// What grouping the ops of a graph came to.
struct Coarsening {
  std::size_t num_ops = 0;
  std::int32_t num_colocation_groups = 0;  // before
  std::int32_t num_groups = 0;
  std::int64_t largest_group_ops = 0;
};
[[nodiscard]] std::string GraphCoarsenJson(const Coarsening& coarsening);

}  // namespace opyard::experiments
