#include "experiments/cli/json/bench_agents_answer.h"

#include <nlohmann/json.hpp>

#include "experiments/config/config.h"

namespace opyard::experiments {

std::string BenchAgentsJson(const std::vector<AgentSpeed>& speeds) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const AgentSpeed& speed : speeds) {
    json.push_back({{"agent", speed.agent},
                    {"ops", speed.num_ops},
                    {"devices", speed.num_devices},
                    {"fusion", speed.fusion},
                    {"decide_per", speed.decide_per},
                    {"evaluations", speed.num_evaluations},
                    {"seconds", speed.seconds},
                    {"cpu_seconds", speed.cpu_seconds},
                    {"threads", speed.num_threads},
                    {"params", nlohmann::ordered_json::parse(ParamsJson(speed.params))}});
    if (speed.runs_seconds.has_value()) {
      json.back()["runs_seconds"] = *speed.runs_seconds;
    }
  }
  return json.dump();
}

}  // namespace opyard::experiments
