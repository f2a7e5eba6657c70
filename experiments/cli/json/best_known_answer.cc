#include "experiments/cli/json/best_known_answer.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <nlohmann/json.hpp>

#include "experiments/statistics/head_room.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

Json PlanJson(const BestKnownPlan& plan) {
  const SearchEffort effort = EffortOf(plan);
  const bool has_expert = plan.expert.has_value();
  return {{"graph", plan.problem.graph},
          {"hardware", plan.problem.machine},
          {"tasks", plan.problem.tasks},
          {"objective", plan.problem.objective},
          {"queue", plan.problem.queue},
          {"fusion", plan.problem.fusion},
          {"makespan_s", plan.best.makespan.seconds()},
          {"score", plan.best.score},
          {"expert_s", has_expert ? Json(plan.expert->makespan.seconds()) : Json(nullptr)},
          {"expert_score", has_expert ? Json(plan.expert->score) : Json(nullptr)},
          {"ratio", OrNull(RatioOf(plan))},
          {"problem_bound_s", plan.lower_bound.seconds()},
          {"agent", plan.agent},
          {"seed", plan.seed},
          {"evaluations", plan.evaluations},
          {"agents", effort.num_agents},
          {"seeds", effort.num_seeds},
          {"least_evaluations", OrNull(effort.least_evaluations)},
          {"version", plan.version},
          {"plan", plan.file},
          {"reproduce", plan.reproduce}};
}

Json HeadRoomJson(const HeadRoom& room) {
  return {{"tasks", room.tasks.empty() ? Json(nullptr) : Json(room.tasks)},
          {"problems", room.num_problems},
          {"ratios", room.num_ratios},
          {"geomean", OrNull(room.geomean)}};
}

}  // namespace

std::string BestKnownJson(const std::vector<BestKnownPlan>& plans) {
  Json json = {{"plans", Json::array()}, {"head_room", Json::array()}};
  std::ranges::transform(plans, std::back_inserter(json["plans"]), PlanJson);
  std::ranges::transform(HeadRoomsOf(plans), std::back_inserter(json["head_room"]), HeadRoomJson);
  return json.dump();
}

}  // namespace opyard::experiments
