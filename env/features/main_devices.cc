#include "env/features/main_devices.h"

namespace opyard::env {

std::vector<DeviceId> MainDevices(const Problem& problem) {
  const std::vector<sim::Device>& devices = problem.hardware().devices;
  const sim::DeviceKind kind = devices[problem.first_accelerator().index()].kind;
  std::vector<DeviceId> main;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].kind == kind) {
      main.emplace_back(i);
    }
  }
  return main;
}

}  // namespace opyard::env
