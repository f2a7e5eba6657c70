#include "experiments/runner/answers/graph_annotate_answer.h"

#include <nlohmann/json.hpp>

namespace opyard::experiments {

std::string GraphAnnotateJson(const Annotation& annotation) {
  const nlohmann::ordered_json json = {{"ops", annotation.num_ops},
                                       {"timings", annotation.num_timings},
                                       {"measured", sim::NameOf(annotation.measured)},
                                       {"matched_by_name", annotation.match.num_by_name},
                                       {"matched_by_order", annotation.match.num_by_order},
                                       {"untimed_ops", annotation.untimed},
                                       {"unmatched_timings", annotation.match.unmatched}};
  return json.dump();
}

}  // namespace opyard::experiments
