#include "agents/base/former_names.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "sim/base/error.h"

namespace opyard::agents {
namespace {

// Names, each between spaces.
constexpr std::string_view kLearned =
    " reinforce_lstm hdp placeto doppler go go-finetune go-zeroshot go_search regal gas ";
constexpr std::string_view kMoving = " local_search simulated_annealing ";
constexpr std::string_view kHeuristics = " heft peft m_etf m_sct m_topo critical_path mopnr spt ";
constexpr const char* kFaithful = "faithful";

struct FormerOption {
  std::string_view agents;
  std::string_view former;
  std::string_view name;
};

constexpr std::array kFormerOptions = {
    FormerOption{kLearned, "samples", "batch_size"},
    FormerOption{kLearned, "epochs", "n_epochs"},
    FormerOption{kLearned, "shares", "num_minibatches"},
    FormerOption{kLearned, "kl_stop", "target_kl"},
    FormerOption{kLearned, "clip", "max_grad_norm"},
    FormerOption{kLearned, "clip_ratio", "clip_range"},
    FormerOption{kLearned, "baseline_decay", "baseline_momentum"},
    FormerOption{" auto ", "look", "probe_fraction"},
    FormerOption{kMoving, "look", "critical_path_interval"},
};

constexpr std::string_view kProposing = " regal gas ";

bool Contains(std::string_view names, const std::string& name) {
  return names.find(" " + name + " ") != std::string_view::npos;
}

// The new name of the option `former` of `agent`; "" where it has none.
std::string NewNameOf(const std::string& agent, const std::string& former) {
  const auto* const found = std::ranges::find_if(kFormerOptions, [&](const FormerOption& option) {
    return option.former == former && Contains(option.agents, agent);
  });
  return found != kFormerOptions.end() ? std::string(found->name) : "";
}

// `value`, but for the former word of `proposal`.
OptionValue NewValueOf(const std::string& agent,
                       const std::string& name,
                       const OptionValue& value) {
  const bool is_former = name == "proposal" && Contains(kProposing, agent) &&
                         value == OptionValue(std::string("drawn"));
  return is_former ? OptionValue(std::string("sampled")) : value;
}

bool IsFaithful(const Options& params) {
  const auto found = params.values().find(kFaithful);
  return found != params.values().end() && found->second == OptionValue(true);
}

}  // namespace

NamedAgent WithNewNames(const NamedAgent& stored) {
  const bool is_heuristic = Contains(kHeuristics, stored.name);
  NamedAgent renamed{.name = stored.name, .params = {}};
  if (is_heuristic && !IsFaithful(stored.params)) {
    renamed.name += "_aware";
  }
  for (const auto& [name, value] : stored.params.values()) {
    if (!is_heuristic || name != kFaithful) {
      const std::string now = NewNameOf(stored.name, name);
      renamed.params.Set(now.empty() ? name : now, NewValueOf(stored.name, name, value));
    }
  }
  return renamed;
}

std::vector<OptionFault> FindFormerNames(const std::string& agent, const Options& params) {
  std::vector<OptionFault> faults;
  for (const auto& [name, value] : params.values()) {
    const std::string option = "option \"" + name + "\" ";
    if (const std::string now = NewNameOf(agent, name); !now.empty()) {
      faults.push_back({.name = name, .message = option + "is called \"" + now + "\" now"});
    } else if (name == kFaithful && Contains(kHeuristics, agent)) {
      faults.push_back({.name = name,
                        .message = option + "is gone: \"" + agent +
                                   "\" is the published heuristic, \"" + agent +
                                   "_aware\" the one that knows the machine"});
    }
  }
  return faults;
}

void RefuseFormerNames(const std::string& agent, const Options& params) {
  Diagnostics diagnostics;
  for (const OptionFault& fault : FindFormerNames(agent, params)) {
    diagnostics.AddError("agent " + agent, fault.message);
  }
  diagnostics.ThrowIfAny();
}

}  // namespace opyard::agents
