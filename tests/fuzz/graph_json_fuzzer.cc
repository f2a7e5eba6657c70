// Any text is a graph or an InputError, and a graph that was read can be written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/io/graph/graph_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto graph = opyard::sim::ReadGraphText(text, "fuzz");
    const auto again = opyard::sim::ReadGraphText(opyard::sim::WriteGraphText(*graph), "again");
    OPYARD_CHECK(again->num_ops() == graph->num_ops(), "a written graph reads as it was");
  } catch (const opyard::Error&) {
    // The text is no graph.
  }
  return 0;
}
