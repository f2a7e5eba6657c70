#include "env/features/main_devices.h"

namespace opyard::env {

std::vector<DeviceId> MainDevices(const Problem& problem) {
  const std::vector<sim::Device>& devices = problem.hardware().devices;
  const sim::DeviceKind kind = devices[problem.first_accelerator().index()].kind;
  std::vector<DeviceId> main;
  for (const DeviceId device : problem.devices()) {
    if (devices[device.index()].kind == kind) {
      main.push_back(device);
    }
  }
  return main;
}

}  // namespace opyard::env
