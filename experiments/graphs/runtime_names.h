// Under which names PyTorch runs the ops that graphs hold.
#pragma once

#include <string_view>

namespace opyard::experiments {

// The op in the words of graphs::AtenOps() that runs as `name`, one of a library's variants or of
// PyTorch's composite ops, without namespace and trailing underscore: "convolution" for
// "cudnn_convolution". "" if there is none other.
[[nodiscard]] std::string_view FindOpRunAs(std::string_view name);

// True for the parts of an optimizer's step that run for many weights at once.
[[nodiscard]] bool IsUpdateOfMany(std::string_view name);

// The type, in small letters, whose ops run where those of `type` do not: without a kernel for it
// the gradient of dropout is a product. "" if there is none.
[[nodiscard]] std::string_view FindTypeRunAs(std::string_view type);

}  // namespace opyard::experiments
