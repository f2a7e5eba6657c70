// Names of agents and options that were renamed: what was stored under the former ones stays
// readable, and what is written with them is refused with the new name.
#pragma once

#include <string>
#include <vector>

#include "agents/base/option_fault.h"
#include "sim/base/options.h"

namespace opyard::agents {

// An agent with its parameters, as stores, weights and configurations name it.
struct NamedAgent {
  std::string name;
  Options params;
};

// `stored`, of before the renaming, by its names of today: options by their new names, and a
// heuristic that was not `faithful` as its aware version.
[[nodiscard]] NamedAgent WithNewNames(const NamedAgent& stored);

// The options of `params` that have a new name or stand for an agent of their own now, each with
// which.
[[nodiscard]] std::vector<OptionFault> FindFormerNames(const std::string& agent,
                                                       const Options& params);
// Throws InputError naming all of them.
void RefuseFormerNames(const std::string& agent, const Options& params);

}  // namespace opyard::agents
