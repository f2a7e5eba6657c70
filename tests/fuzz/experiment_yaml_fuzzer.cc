// Any bytes are an experiment or an InputError.
#include <cstddef>
#include <cstdint>

#include "agents/registry.h"
#include "experiments/config/config.h"
#include "sim/base/error.h"
#include "tests/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const opyard::agents::AgentRegistry registry(opyard::agents::ClassicalAgents());
  try {
    static_cast<void>(opyard::experiments::ReadExperiment(
        opyard::testing::WriteFuzzFile(data, size), {}, registry));
  } catch (const opyard::Error&) {
    // The bytes are no experiment.
  }
  return 0;
}
