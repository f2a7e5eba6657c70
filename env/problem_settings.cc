#include "env/problem_settings.h"

namespace opyard::env {

std::shared_ptr<const sim::HardwareProfile> WithMemory(
    std::shared_ptr<const sim::HardwareProfile> machine, std::optional<sim::OnExceed> memory) {
  if (!memory.has_value() || *memory == machine->memory.on_exceed) {
    return machine;
  }
  auto changed = std::make_shared<sim::HardwareProfile>(*machine);
  changed->memory.on_exceed = *memory;
  return changed;
}

}  // namespace opyard::env
