// The learned agents where LibTorch is not there: known by name, and saying what they need.
#pragma once

#include <string>

#include "agents/base/agent_registry.h"

namespace opyard::agents {

// Why a program that was built without LibTorch has none, and what to do.
inline constexpr const char* kBuiltWithoutTorch =
    "this opyard was built without PyTorch; install it and build again: "
    "pip install 'torch==2.13.*', then ./dev setup (of a package: pip install "
    "--no-build-isolation .)";

// The same of a wheel, where they are one of their own.
inline constexpr const char* kLearnedNotInstalled =
    "the learned agents are a package of their own, which is not installed: pip install the wheel "
    "opyard-learned of this version";

// Every learned agent's entry; making one throws InputError with `why`, which also stands in its
// summary. The check for LibTorch fails with it, unless it is one of the two above: leaving
// LibTorch out is a choice; that it cannot be loaded is a fault.
[[nodiscard]] AgentRegistry MissingLearnedAgents(const std::string& why);

}  // namespace opyard::agents
