// One NodeDef of a GraphDef, from its wire format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "graphs/importers/tensorflow/tf_graph.h"

namespace opyard::graphs {

inline constexpr std::size_t kMostTfPort = 65'535;

// A node with its texts as they stand in the file.
struct TfNodeReading {
  TfNode node;
  std::vector<std::string_view> inputs;
  std::vector<std::optional<Shape>> shapes;  // _output_shapes
  std::int64_t dtype = 0;                    // attributes dtype, T, DstT, out_type: 0 for none
  std::int64_t element_type = 0;
  std::int64_t result_type = 0;
  sim::DType output_dtype = sim::DType::kOther;  // of all outputs
};

// `bytes` live longer than the result. Throws InputError without a place for extents and sizes
// beyond their limits, protozero::exception for damaged data.
[[nodiscard]] TfNodeReading ReadTfNode(std::string_view bytes);

}  // namespace opyard::graphs
