// Small profile files for tests, and what the readers say about them.
#pragma once

#include <string>

#include "sim/base/error.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/support/temporary_folder.h"

namespace opyard::testing {

inline const std::string kSmallDevice = R"(schema_version: 1
name: small
kind: gpu
memory: 2 GiB
memory_bandwidth: 100 GB/s
peak_flops: {f32: 3 TFLOP/s}
)";

// Lines 1 to 8.
inline const std::string kSmallMachine = R"(schema_version: 1
name: pair
devices:
  - {name: gpu, type: small, count: 2}
switches: [hub]
links:
  - {name: up, between: [gpu0, hub], bandwidth: 10 GB/s, latency: 2 us}
  - {name: down, between: [hub, gpu1], bandwidth: 5 GB/s, latency: 3 us}
)";

// A machine of `count` devices, d0 and so on, and a host, with the entries `links` from
// line 7 on.
inline std::string MachineOf(int count, const std::string& links) {
  return "schema_version: 1\nname: m\ndevices:\n  - {name: d, type: small, count: " +
         std::to_string(count) + "}\n  - {name: host, type: small}\nlinks:\n" + links;
}

// A folder with machines/m.yaml and devices/small.yaml.
class ProfileFiles {
 public:
  explicit ProfileFiles(const std::string& machine, const std::string& device = kSmallDevice)
      : machine_path_(folder_.Write("machines/m.yaml", machine)),
        device_path_(folder_.Write("devices/small.yaml", device)) {}

  [[nodiscard]] sim::MachineReading ReadMachine() const {
    return sim::ReadMachineFile(machine_path_);
  }
  [[nodiscard]] sim::DeviceReading ReadDevice() const { return sim::ReadDeviceFile(device_path_); }

  // The message of the InputError, "m.yaml" and "small.yaml" without their folders; "" if the file
  // is accepted.
  [[nodiscard]] std::string MachineProblems() const {
    return Problems([this] { static_cast<void>(ReadMachine()); });
  }
  [[nodiscard]] std::string DeviceProblems() const {
    return Problems([this] { static_cast<void>(ReadDevice()); });
  }

 private:
  template <class Read>
  std::string Problems(Read read) const {
    try {
      read();
    } catch (const InputError& error) {
      std::string text = error.what();
      for (const char* folder : {"/machines/", "/devices/"}) {
        const std::string prefix = folder_.path().string() + folder;
        for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
          text.erase(at, prefix.size());
        }
      }
      return text;
    }
    return "";
  }

  TemporaryFolder folder_;
  std::filesystem::path machine_path_;
  std::filesystem::path device_path_;
};

}  // namespace opyard::testing
