#include "experiments/plans/layouts/layout.h"

#include "sim/base/array_index.h"

namespace opyard::experiments {

std::string ModuleText(const sim::ModuleTree& tree, std::int32_t module) {
  const std::string& path = tree.modules[At(module)].path;
  return path.empty() ? "the network" : "module " + path;
}

std::string Joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : between) + part;
  }
  return text;
}

}  // namespace opyard::experiments
