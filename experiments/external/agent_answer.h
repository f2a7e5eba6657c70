// Answers of an agent in another process, read as strictly as any file of a stranger.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agents/base/agent_info.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// Plans to be evaluated.
struct PlansToEvaluate {
  std::vector<sim::Plan> plans;
};

// The search is over.
struct SearchIsOver {
  std::string account;          // what the agent did, in one line, or ""
  std::optional<double> bound;  // it proved that no plan scores less
};

// It cannot go on: why, as it puts it.
struct AgentGaveUp {
  std::string why;
};

using AgentAnswer = std::variant<agents::AgentInfo, PlansToEvaluate, SearchIsOver, AgentGaveUp>;

// Reads one message: an object with one key, `description`, `evaluate`, `done` or `failed`. `done`
// is true, or an object that may have `account` and `bound`, a number or null. Plans have the right
// form; whether they fit a problem is not checked. A description has the kind
// kPython and no name. Throws InputError with all that is wrong with the message. Takes memory in
// proportion to the text, whatever it is.
[[nodiscard]] AgentAnswer ReadAgentAnswer(std::string_view text);

}  // namespace opyard::experiments
