#include "experiments/cli/json/simulate_answer.h"

#include <nlohmann/json.hpp>

#include "experiments/explain/explanation_json.h"

namespace opyard::experiments {

std::string SimulateJson(const sim::SimulatedStep& step,
                         const std::optional<Explanation>& explanation,
                         OpDetail detail,
                         const std::vector<MemoryNeed>& needs) {
  nlohmann::ordered_json json =
      ReportObject(step.report, step.plan, step.graph, step.hardware, detail, needs);
  if (explanation.has_value()) {
    json["explanation"] = ExplanationJson(step, *explanation);
  }
  return json.dump();
}

}  // namespace opyard::experiments
