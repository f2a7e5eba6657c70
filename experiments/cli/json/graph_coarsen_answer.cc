#include "experiments/cli/json/graph_coarsen_answer.h"

#include <nlohmann/json.hpp>

namespace opyard::experiments {

std::string GraphCoarsenJson(const Coarsening& coarsening) {
  const nlohmann::ordered_json json = {{"ops", coarsening.num_ops},
                                       {"colocation_groups", coarsening.num_colocation_groups},
                                       {"groups", coarsening.num_groups},
                                       {"largest_group_ops", coarsening.largest_group_ops}};
  return json.dump();
}

}  // namespace opyard::experiments
