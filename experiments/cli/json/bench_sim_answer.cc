#include "experiments/cli/json/bench_sim_answer.h"

#include <nlohmann/json.hpp>

namespace opyard::experiments {

std::string BenchSimJson(const std::vector<SimulatorSpeed>& speeds) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const SimulatorSpeed& speed : speeds) {
    json.push_back({{"case", speed.kind},
                    {"ops", speed.num_ops},
                    {"devices", speed.num_devices},
                    {"sharing", speed.sharing},
                    {"channels", speed.channels},
                    {"threads", speed.num_threads},
                    {"ops_per_second", speed.ops_per_second}});
  }
  return json.dump();
}

}  // namespace opyard::experiments
