// The program `opyard`.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#ifdef OPYARD_HAS_TORCH
#include "agents/learned/learned_agents.h"
#else
#include "agents/missing_learned.h"
#endif
#include "agents/registry.h"
#include "experiments/cli/command_line/command_line.h"
#include "experiments/console/console.h"
#include "experiments/external/python_agents.h"

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
#ifdef OPYARD_HAS_TORCH
  const opyard::agents::AgentRegistry learned = opyard::agents::LearnedAgents();
#else
  const opyard::agents::AgentRegistry learned =
      opyard::agents::MissingLearnedAgents(opyard::agents::kBuiltWithoutTorch);
#endif
  // This program has no Python: its source says where there is one.
  const opyard::agents::AgentRegistry agents =
      opyard::agents::ClassicalAgents() + learned + opyard::experiments::PythonAgents({});
  const int status = opyard::experiments::RunCommandLine(args, agents, std::cout, std::cerr);
  if (status == opyard::experiments::kInterrupted) {
    std::_Exit(status);  // to unload LibTorch would take longer than to stop did; all is flushed
  }
  return status;
}
