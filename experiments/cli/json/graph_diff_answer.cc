#include "experiments/cli/json/graph_diff_answer.h"

#include <nlohmann/json.hpp>

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json ValueJson(const std::string& json) {
  return json.empty() ? Json(nullptr) : Json::parse(json);
}

}  // namespace

std::string GraphDiffJson(const GraphDifference& difference) {
  Json changes = Json::array();
  for (const AttributeChange& change : difference.changes) {
    changes.push_back({{"op", change.op.empty() ? Json(nullptr) : Json(change.op)},
                       {"attribute", change.attribute},
                       {"before", ValueJson(change.before)},
                       {"after", ValueJson(change.after)}});
  }
  const Json json = {{"equal", difference.is_empty()},
                     {"only_before", difference.only_before},
                     {"only_after", difference.only_after},
                     {"changes", changes},
                     {"other_order", difference.has_other_order}};
  return json.dump();
}

}  // namespace opyard::experiments
