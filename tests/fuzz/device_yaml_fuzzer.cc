// Any bytes are a device or an InputError.
#include <cstddef>
#include <cstdint>

#include "sim/base/error.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    static_cast<void>(opyard::sim::ReadDeviceFile(opyard::testing::WriteFuzzFile(data, size)));
  } catch (const opyard::Error&) {
    // The bytes are no device.
  }
  return 0;
}
