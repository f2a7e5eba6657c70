#include "experiments/external/agent_request.h"

#include <cmath>
#include <variant>

#include <nlohmann/json.hpp>

#include "env/problem_fields.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/machine_yaml_write.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

// Text from outside has been checked; anything else that is no UTF-8 must not end the program.
std::string TextOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Value>
Json OrNull(const std::optional<Value>& value) {
  return value.has_value() ? Json(*value) : Json();
}

Json ParamsJson(const Options& params) {
  Json json = Json::object();
  for (const auto& [name, value] : params.values()) {
    json[name] = std::visit([](const auto& found) { return Json(found); }, value);
  }
  return json;
}

// Names as a list, a number of groups as a number, and whatever else on one line.
Json SettingJson(const env::SettingValue& value) {
  if (const auto* names = std::get_if<std::vector<std::string>>(&value)) {
    return *names;
  }
  if (const auto* count = std::get_if<std::int64_t>(&value)) {
    return *count;
  }
  if (const auto* flag = std::get_if<bool>(&value)) {
    return *flag;
  }
  const bool is_nothing = std::holds_alternative<std::monostate>(value);
  return is_nothing ? Json() : Json(env::SettingText(value));
}

Json ProblemJson(const env::Problem& problem) {
  Json json = {{"graph", sim::WriteGraphText(problem.graph())},
               {"machine", sim::WriteMachineText(problem.hardware())}};
  for (const auto& [at, value] : env::PrintSettings(env::Door::kCaller, problem.settings())) {
    json[std::string(at.name)] = SettingJson(value);
  }
  return json;
}

Json EvaluationJson(const env::Evaluation& evaluation) {
  // JSON has no infinity, the score of a plan that does not complete.
  return {sim::NameOf(evaluation.result.outcome),
          std::isfinite(evaluation.score) ? Json(evaluation.score) : Json(),
          evaluation.result.makespan.seconds(),
          evaluation.result.peak_memory.count,
          evaluation.result.num_transfers};
}

}  // namespace

std::string DescribeRequest(const std::string& agent, const std::string& version) {
  return TextOf({{"do", "describe"}, {"agent", agent}, {"version", version}});
}

std::string SearchRequestOf(const SearchRequestText& request, const env::Problem& problem) {
  return TextOf({{"do", "search"},
                 {"agent", request.agent},
                 {"version", request.version},
                 {"params", ParamsJson(request.params)},
                 {"seed", request.seed},
                 {"memory_bytes", request.memory_bytes},
                 {"evaluations", OrNull(request.budget.evaluations)},
                 {"seconds", OrNull(request.budget.seconds)},
                 {"problem", ProblemJson(problem)}});
}

std::string EvaluationsAnswer(const std::vector<env::Evaluation>& evaluations,
                              const std::string& illegal,
                              const env::Evaluator& evaluator) {
  Json evaluated = Json::array();
  for (const env::Evaluation& evaluation : evaluations) {
    evaluated.push_back(EvaluationJson(evaluation));
  }
  return TextOf({{"evaluations", std::move(evaluated)},
                 {"illegal", illegal.empty() ? Json() : Json(illegal)},
                 {"num_evaluations", evaluator.num_evaluations()},
                 {"num_failures", evaluator.num_failures()},
                 {"is_done", evaluator.is_done()},
                 {"used_share", evaluator.UsedShare()}});
}

}  // namespace opyard::experiments
