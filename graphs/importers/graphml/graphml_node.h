// One node of a GraphML file: from named values to an op.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "graphs/importers/common/import_summary.h"
#include "graphs/importers/graphml/graphml_document.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// The units of figures that are given without one.
struct GraphmlUnits {
  double seconds_per_cost = 1e-6;
  double bytes_per_size = 1.0;
};

// Where findings and problems go while a file is read.
struct GraphmlReading {
  GraphmlUnits units;
  bool is_ours = false;  // written by us: what is left out has the defaults of our format
  ImportSummary& summary;
  Diagnostics& diagnostics;
  std::map<std::string, std::size_t, std::less<>> layers = {};  // numbers of layers that are words
};

struct GraphmlNode {
  sim::OpSpec op;            // without inputs
  bool has_outputs = false;  // op.outputs are as the file lists them
  std::optional<Bytes> size;
};

// The largest size that is read.
inline constexpr double kLargestGraphmlSize = 1e15;

// Reads the words of our format, and what others call cost, size and type. `place` is that of the
// node.
[[nodiscard]] GraphmlNode ReadGraphmlNode(const GraphmlElement& node,
                                          const std::string& place,
                                          GraphmlReading& reading);

// A number from 0 to `most`; else nothing, and a problem at `place`.
[[nodiscard]] std::optional<double> ReadGraphmlNumber(const GraphmlValue& value,
                                                      double most,
                                                      const std::string& place,
                                                      Diagnostics& diagnostics);

// Bytes, if `value` is called bytes, or size and weight: times bytes_per_size, and counted in the
// summary.
[[nodiscard]] std::optional<Bytes> ReadGraphmlSize(const GraphmlValue& value,
                                                   const std::string& place,
                                                   GraphmlReading& reading);

}  // namespace opyard::graphs
