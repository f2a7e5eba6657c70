// The ops of PyTorch's ATen library in our words, with their arithmetic.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graphs/importers/common/op_work.h"

namespace opyard::graphs {

struct AtenOp {
  enum class Counted { kOut, kIn };  // elements of output 0, of input 0

  std::string_view name;  // without namespace, overload and trailing underscore: "add"
  std::string_view type;
  sim::FusionClass fusion_class = sim::FusionClass::kOpaque;
  int flops_per_element = 0;
  Counted counted = Counted::kOut;
  bool is_view = false;  // the outputs share the storage of input 0
};

// Sorted by name. What the exporter (python/opyard/export/op_types.py) lists stands here
// in the same words, and so do the composite ops that only forward exports keep.
[[nodiscard]] std::span<const AtenOp> AtenOps();

// Null for a name that is not in the table.
[[nodiscard]] const AtenOp* FindAtenOp(std::string_view name);

// Whether ops on elements of this type have FLOPs: floating-point and complex types, which come
// first in DType.
[[nodiscard]] constexpr bool IsCounted(sim::DType dtype) {
  return dtype <= sim::DType::kC64;
}

// One tensor that an op reads or makes.
struct AtenTensor {
  Shape shape;
  sim::DType dtype = sim::DType::kF32;
  Bytes bytes;
  Bytes stored;  // of the distinct elements: less than `bytes` where a view repeats them
};

struct AtenCall {
  std::string_view name;
  std::vector<AtenTensor> inputs;  // in argument order; constants are left out
  std::vector<AtenTensor> outputs;
};

// The work of one run of `call`, which is no view. Where the shapes are not those that the op
// should have: no FLOPs, and `fits` is false.
struct AtenWork {
  OpWork work;
  bool fits = true;
};
// REQUIRES: the bytes of all inputs, and twice those of all outputs, add up within int64.
[[nodiscard]] AtenWork AtenWorkOf(const AtenCall& call);

}  // namespace opyard::graphs
