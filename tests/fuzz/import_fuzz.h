// Hands bytes to one importer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "graphs/importers/importers.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/io/graph/graph_json.h"

namespace opyard::testing {

inline void ImportFuzzInput(const std::string& format, const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto imported =
        graphs::ImportGraph({.bytes = bytes, .place = "fuzz", .stem = "fuzz"}, "fuzz", format);
    const auto again = sim::ReadGraphText(sim::WriteGraphText(*imported.graph), "again");
    OPYARD_CHECK(again->num_ops() == imported.graph->num_ops(), "a written graph reads as it was");
  } catch (const Error&) {
    // The bytes are no graph.
  }
}

}  // namespace opyard::testing
