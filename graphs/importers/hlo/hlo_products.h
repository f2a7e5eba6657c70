// Arithmetic of matrix products and convolutions, under whatever name HLO has them.
#pragma once

#include "graphs/importers/hlo/hlo_call.h"

namespace opyard::graphs {

// dot, convolution and ragged-dot; nothing for all else. A product of complex numbers does 4 times
// the FLOPs.
[[nodiscard]] std::optional<HloWork> ProductWork(const HloCall& call);

// The product of `left` and what makes `result` of it: the axes that are summed over and those of
// the batch are those of `left`. Nothing if an axis is not there.
[[nodiscard]] std::optional<OpWork> DotWork(const TensorType& left,
                                            const TensorType& result,
                                            std::span<const std::int64_t> contracted,
                                            std::span<const std::int64_t> batch);

// The dimension labels in a convolution's text: "b01f_01io->b01f".
struct ConvLabels {
  std::string_view image;
  std::string_view filter;
  std::string_view result;
};
[[nodiscard]] std::optional<ConvLabels> ReadConvLabels(std::string_view text);

// The three tensors of the forward pass of which a convolution is one pass.
struct ConvTensors {
  const TensorType* image = nullptr;
  const TensorType* filter = nullptr;
  const TensorType* result = nullptr;
};
// The work of `pass`, labelled as the forward pass is. Nothing if shapes and labels do not fit.
[[nodiscard]] std::optional<OpWork> LabelledConvWork(sim::ConvPass pass,
                                                     const ConvLabels& labels,
                                                     const ConvTensors& tensors,
                                                     std::string_view window);

}  // namespace opyard::graphs
