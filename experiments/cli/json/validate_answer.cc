#include "experiments/cli/json/validate_answer.h"

#include <nlohmann/json.hpp>

namespace opyard::experiments {

std::string ValidateJson(const Validation& validation) {
  const nlohmann::ordered_json json = {{"runs", validation.runs},
                                       {"plans", validation.plans},
                                       {"agreed", validation.agreed},
                                       {"differences", validation.differences},
                                       {"notes", validation.notes}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace opyard::experiments
