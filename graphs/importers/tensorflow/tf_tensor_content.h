// TensorProto: the value of a Const.
#pragma once

#include <string_view>

#include "graphs/importers/tensorflow/tf_attributes.h"

namespace opyard::graphs {

// Elements stand in tensor_content, or in the list of their type, whose last one is repeated.
// Throws protozero::exception for damaged data.
[[nodiscard]] TfTensorContent ReadTfTensor(std::string_view message);

}  // namespace opyard::graphs
