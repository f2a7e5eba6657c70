#include "experiments/cli/json/tune_answer.h"

#include <nlohmann/json.hpp>

namespace opyard::experiments {

std::string TuneJson(const TuningRequest& request,
                     const std::string& tuned,
                     const TuningAnswer& answer) {
  return nlohmann::ordered_json{{"agent", request.agent.label},
                                {"seed", request.seed},
                                {"params", nlohmann::json::parse(ParamsJson(answer.params))},
                                {"improvement", answer.improvement},
                                {"problems", answer.num_problems},
                                {"runs", answer.so_far.num_runs},
                                {"evaluations", answer.so_far.evaluations},
                                {"seconds", answer.so_far.seconds},
                                {"tuned", tuned}}
      .dump();
}

}  // namespace opyard::experiments
