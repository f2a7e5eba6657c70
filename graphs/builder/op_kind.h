// Types of ops of the builder: the shapes of their results, their arithmetic and their memory
// traffic.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/builder/shape.h"
#include "sim/base/ids.h"
#include "sim/graph/op.h"

namespace opyard::graphs {

// One output of an op of a GraphBuilder.
struct Tensor {
  OpId op;
  std::int32_t output = 0;
  Shape shape;
  sim::DType dtype = sim::DType::kF32;
};

// The movement of a filter or a pooling window over the last two extents of [batch, channels,
// height, width]. Padding stands on both sides.
struct Window {
  std::int64_t height = 1;  // of a pooling window; filters have their own extents
  std::int64_t width = 1;
  std::int64_t stride_h = 1;
  std::int64_t stride_w = 1;
  std::int64_t pad_h = 0;
  std::int64_t pad_w = 0;
  std::int64_t dilation_h = 1;
  std::int64_t dilation_w = 1;
  std::int64_t groups = 1;
};

// The arguments of an op beside its tensors; each kind reads what it needs.
struct Attributes {
  Shape dims;              // axes, a permutation, target extents or sizes
  Shape begin;             // of slices and of padding before
  std::int64_t axis = 0;   // counted from 0
  std::int64_t count = 0;  // of parts, classes or results
  Window window;
  sim::DType dtype = sim::DType::kF32;
  bool transpose_a = false;
  bool transpose_b = false;
  bool keep_dims = false;
};

struct OpKind;

// The arguments of an op, without the constants that only say what its attributes say.
struct OpArguments {
  const OpKind& kind;
  std::span<const Tensor> inputs;
  const Attributes& attributes;
};

// The unit of work that `OpKind::flops` counts for.
enum class FlopUnit : std::uint8_t {
  kOutput,      // an element of output 0
  kInput,       // an element of input 0
  kAddend,      // an element of an input beyond the first
  kWindow,      // an element of a window, at each place of output 0
  kWindowGrad,  // the same at each place of input 0
  kWork,        // an operation of the shape block
};

enum class Traffic : std::uint8_t {
  kAll,    // reads its inputs, writes its outputs
  kMoved,  // reads as much as it writes: slices, look-ups
  kMade,   // only writes
  kNone,
};

struct OpKind {
  std::string_view type;
  // The types of the outputs. Throws InputError saying the op's type, what was found and what was
  // expected.
  std::vector<TensorType> (*infer)(const OpArguments&) = nullptr;
  double flops = 0.0;
  FlopUnit flop_unit = FlopUnit::kOutput;
  Traffic traffic = Traffic::kAll;
  bool is_in_place = false;  // output 0 uses the storage of input 0
  sim::WorkShape (*work)(const OpArguments&, const TensorType& output) = nullptr;
};

// The one table, sorted by type. The fusion class stands in sim/graph/op_types.cc.
[[nodiscard]] std::span<const OpKind> OpKinds();

// Null for a type that is not in the table.
[[nodiscard]] const OpKind* FindOpKind(std::string_view type);
// REQUIRES: `type` stands in the table.
[[nodiscard]] const OpKind& GetOpKind(std::string_view type);

// Floating-point operations of one run; a multiply-add counts 2.
[[nodiscard]] Flops FlopsOf(const OpArguments& arguments, const TensorType& output);

}  // namespace opyard::graphs
