// The Python module opyard._agents: the agents that need LibTorch.
#include <iostream>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "agents/learned/learned_agents.h"
#include "agents/registry.h"
#include "experiments/cli/command_line/command_line.h"

namespace {

using opyard::agents::AgentRegistry;

// The classical and the learned agents, and those of `python`, if there is any.
AgentRegistry AllAgents(const AgentRegistry* python) {
  const AgentRegistry ours = opyard::agents::ClassicalAgents() + opyard::agents::LearnedAgents();
  return python == nullptr ? ours : ours + *python;
}

}  // namespace

PYBIND11_MODULE(_agents, module) {
  namespace py = pybind11;
  // The types that both modules share are bound once, there.
  py::module_::import("opyard._core");
  py::module_::import("opyard.learned").attr("require_torch")(opyard::agents::LibTorchVersion());
  module.doc() = "The agents of opyard that need LibTorch; load it through opyard.learned.load().";
  module.attr("torch_version") = opyard::agents::LibTorchVersion();
  module.def("agents",
             &AllAgents,
             py::arg("python") = py::none(),
             "As `opyard._core.classical_agents`, with the learned agents.");
  // Searches and training run without the interpreter's lock: LibTorch's autograd refuses it.
  module.def(
      "run_command_line",
      [](const std::vector<std::string>& args, const AgentRegistry* python) {
        return opyard::experiments::RunCommandLine(args, AllAgents(python), std::cout, std::cerr);
      },
      py::arg("args"),
      py::arg("python") = py::none(),
      py::call_guard<py::gil_scoped_release>(),
      "As `opyard._core.run_command_line`, with the learned agents.");
}
