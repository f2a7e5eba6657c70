#include "experiments/machines/machine_loading.h"

#include "experiments/text/number_format.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {

std::string MachineWarning(const std::vector<std::string>& oddities) {
  std::string text;
  for (const std::string& oddity : oddities) {
    text += OneLine(oddity) + "\n";
  }
  return text;
}

std::shared_ptr<const sim::HardwareProfile> LoadMachine(const std::string& reference,
                                                        const NoticeListener& notices,
                                                        const std::filesystem::path& folder) {
  const sim::MachineReading reading = sim::LoadMachineReading(reference, folder);
  if (const std::string warning = MachineWarning(reading.oddities); !warning.empty()) {
    notices({.kind = NoticeKind::kWarning, .text = warning});
  }
  return reading.machine;
}

}  // namespace opyard::experiments
