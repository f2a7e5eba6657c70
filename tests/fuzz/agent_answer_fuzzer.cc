// Any text is an answer of an agent in another process, or an InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "experiments/external/agent_answer.h"
#include "sim/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    static_cast<void>(opyard::experiments::ReadAgentAnswer(text));
  } catch (const opyard::InputError&) {
    // The text is no answer.
  }
  return 0;
}
