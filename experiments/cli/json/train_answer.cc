#include "experiments/cli/json/train_answer.h"

#include <nlohmann/json.hpp>

namespace opyard::experiments {

std::string TrainJson(const TrainingRequest& request,
                      const std::string& weights,
                      const TrainingAnswer& answer) {
  return nlohmann::ordered_json{{"agent", request.agent.label},
                                {"seed", request.seed},
                                {"updates", answer.so_far.num_updates},
                                {"evaluations", answer.so_far.evaluations},
                                {"seconds", answer.so_far.seconds},
                                {"cpu_seconds", answer.so_far.cpu_seconds},
                                {"weights", weights}}
      .dump();
}

}  // namespace opyard::experiments
