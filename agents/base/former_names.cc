#include "agents/base/former_names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/base/error.h"

namespace opyard::agents {
namespace {

struct FormerName {
  std::string_view agents;  // names, each between spaces
  std::string_view former;
  std::string_view name;
};

constexpr std::string_view kLearned =
    " reinforce_lstm hdp placeto doppler go go-finetune go-zeroshot go_search regal gas ";
constexpr std::string_view kMoving = " local_search simulated_annealing ";

constexpr std::array kFormerNames = {
    FormerName{kLearned, "samples", "batch_size"},
    FormerName{kLearned, "epochs", "n_epochs"},
    FormerName{kLearned, "shares", "num_minibatches"},
    FormerName{kLearned, "kl_stop", "target_kl"},
    FormerName{kLearned, "clip", "max_grad_norm"},
    FormerName{kLearned, "clip_ratio", "clip_range"},
    FormerName{kLearned, "baseline_decay", "baseline_momentum"},
    FormerName{" auto ", "look", "probe_fraction"},
    FormerName{kMoving, "look", "critical_path_interval"},
};

bool IsOf(const FormerName& renamed, const std::string& agent) {
  return renamed.agents.find(" " + agent + " ") != std::string_view::npos;
}

}  // namespace

std::optional<std::string> NewNameOf(const std::string& agent, const std::string& former) {
  const auto* const found = std::ranges::find_if(kFormerNames, [&](const FormerName& renamed) {
    return renamed.former == former && IsOf(renamed, agent);
  });
  return found != kFormerNames.end() ? std::optional(std::string(found->name)) : std::nullopt;
}

Options WithNewNames(const std::string& agent, const Options& params) {
  Options renamed;
  for (const auto& [name, value] : params.values()) {
    renamed.Set(NewNameOf(agent, name).value_or(name), value);
  }
  return renamed;
}

void RefuseFormerNames(const std::string& agent, const Options& params) {
  Diagnostics diagnostics;
  for (const auto& [name, value] : params.values()) {
    if (const std::optional<std::string> now = NewNameOf(agent, name)) {
      diagnostics.AddError("agent " + agent,
                           "option \"" + name + "\" is called \"" + *now + "\" now");
    }
  }
  diagnostics.ThrowIfAny();
}

}  // namespace opyard::agents
