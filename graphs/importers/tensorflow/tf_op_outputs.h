// Names and element types of the outputs of TensorFlow's ops, by the type of the op.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "graphs/importers/tensorflow/tf_attributes.h"

namespace opyard::graphs {

// The port that library functions write as "node:`output`:`index`". `index` itself for a type
// without a row, whose outputs are taken for one list; nothing for a name that its row lacks.
[[nodiscard]] std::optional<std::size_t> FindTfPort(std::string_view type,
                                                    std::string_view output,
                                                    std::size_t index);

// DataType of output `port`; 0 where neither the type nor the attributes say it.
[[nodiscard]] std::int64_t TfOutputType(std::string_view type,
                                        const TfAttributes& attributes,
                                        std::size_t port);

// The number of outputs of ops of the type; 1 for one without a row. A list counts as one.
[[nodiscard]] std::size_t NumTfOutputs(std::string_view type);

}  // namespace opyard::graphs
