// One operation of a network's training or inference step, and the tensors it makes, as plain
// values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::sim {

enum class Phase : std::uint8_t { kUnknown, kForward, kBackward, kUpdate };

// The scope of a graph's measured times: a whole op with the launch of its kernel, or the kernel
// alone, as profilers report it; then the device adds its launch (docs/modelling.md, "The time").
enum class Measured : std::uint8_t { kWithLaunch, kKernel };

// Which part an op can play in a fused kernel (docs/modelling.md, "Fusion"); derived from its type
// where the file does not say.
enum class FusionClass : std::uint8_t {
  kElementwise,
  kBroadcast,
  kReduction,
  kReshape,
  kHeavy,
  kOpaque,
};
inline constexpr std::size_t kNumFusionClasses = 6;

// Element types. kC64 and kC128 are complex numbers of two kF32 and of two kF64. Elements of kF4,
// kI4 and kI2 are packed, several in a byte. kOther stands for types that are none of these.
enum class DType : std::uint8_t {
  kF64,
  kF32,
  kTf32,
  kF16,
  kBf16,
  kF8,
  kF4,
  kC128,
  kC64,
  kI64,
  kI32,
  kI16,
  kI8,
  kI4,
  kI2,
  kU8,
  kBool,
  kOther,
};
inline constexpr std::size_t kNumDTypes = 18;

[[nodiscard]] constexpr bool IsComplex(DType dtype) {
  return dtype == DType::kC64 || dtype == DType::kC128;
}

enum class DeviceKind : std::uint8_t { kGpu, kCpu, kTpu, kOther };
inline constexpr std::size_t kNumDeviceKinds = 4;

// A set of device kinds.
class DeviceKindSet {
 public:
  [[nodiscard]] static constexpr DeviceKindSet All() { return DeviceKindSet(0xF); }
  [[nodiscard]] static constexpr DeviceKindSet None() { return DeviceKindSet(0); }
  constexpr void Insert(DeviceKind kind) { bits_ = static_cast<std::uint8_t>(bits_ | Bit(kind)); }
  [[nodiscard]] constexpr bool Contains(DeviceKind kind) const { return (bits_ & Bit(kind)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  // The kinds in both sets.
  [[nodiscard]] constexpr DeviceKindSet Common(DeviceKindSet other) const {
    return DeviceKindSet(static_cast<std::uint8_t>(bits_ & other.bits_));
  }
  friend constexpr bool operator==(DeviceKindSet, DeviceKindSet) = default;

 private:
  constexpr explicit DeviceKindSet(std::uint8_t bits) : bits_(bits) {}
  [[nodiscard]] static constexpr std::uint8_t Bit(DeviceKind kind) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind));
  }
  std::uint8_t bits_ = 0;
};

// Names as they stand in files; Find… gives nothing for an unknown name.
[[nodiscard]] std::string_view NameOf(Phase phase);
[[nodiscard]] std::string_view NameOf(Measured measured);
[[nodiscard]] std::string_view NameOf(FusionClass fusion_class);
[[nodiscard]] std::string_view NameOf(DType dtype);
[[nodiscard]] std::string_view NameOf(DeviceKind kind);
[[nodiscard]] std::optional<Phase> FindPhase(std::string_view name);
[[nodiscard]] std::optional<Measured> FindMeasured(std::string_view name);
[[nodiscard]] std::optional<FusionClass> FindFusionClass(std::string_view name);
[[nodiscard]] std::optional<DType> FindDType(std::string_view name);
[[nodiscard]] std::optional<DeviceKind> FindDeviceKind(std::string_view name);

// The fusion class of ops of `type` (the table in op_types.cc); kOpaque for an unknown type.
[[nodiscard]] FusionClass FusionClassOfType(std::string_view type);

// The op types that have a name here: those of the table, and the opaque ones of common libraries.
// Any other text is a legal type, too, of an opaque op.
[[nodiscard]] bool IsKnownOpType(std::string_view type);
[[nodiscard]] std::vector<std::string> KnownOpTypes();

// Matrix product [m, k] × [k, n], `batch` of them.
struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
};

enum class ConvPass : std::uint8_t { kForward, kBackwardData, kBackwardWeight };
inline constexpr auto kConvPassNames =
    std::to_array<std::string_view>({"forward", "backward_data", "backward_weight"});
inline constexpr std::size_t kNumConvPasses = kConvPassNames.size();

// Convolution of an [n, c, h, w] input with `k` filters of [c / groups, r, s].
struct ConvShape {
  ConvPass pass = ConvPass::kForward;
  std::int64_t n = 0;
  std::int64_t c = 0;
  std::int64_t h = 0;
  std::int64_t w = 0;
  std::int64_t k = 0;
  std::int64_t r = 0;
  std::int64_t s = 0;
  std::int64_t pad_h = 0;
  std::int64_t pad_w = 0;
  std::int64_t stride_h = 1;
  std::int64_t stride_w = 1;
  std::int64_t groups = 1;
};

// kBackward makes both gradients.
enum class RnnPass : std::uint8_t { kForward, kBackwardData, kBackwardWeight, kBackward };
inline constexpr auto kRnnPassNames =
    std::to_array<std::string_view>({"forward", "backward_data", "backward_weight", "backward"});
inline constexpr std::size_t kNumRnnPasses = kRnnPassNames.size();

// A whole recurrent layer in one op.
struct RnnShape {
  RnnPass pass = RnnPass::kForward;
  std::int64_t hidden = 0;
  std::int64_t batch = 0;
  std::int64_t timesteps = 0;
};

enum class AttentionPass : std::uint8_t { kForward, kBackward };
inline constexpr auto kAttentionPassNames =
    std::to_array<std::string_view>({"forward", "backward"});
inline constexpr std::size_t kNumAttentionPasses = kAttentionPassNames.size();

// softmax(Q · Kᵀ) · V over `batch` sequences and `heads` heads in one op.
struct AttentionShape {
  AttentionPass pass = AttentionPass::kForward;
  std::int64_t batch = 1;
  std::int64_t heads = 1;  // of the queries
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t width = 0;        // of a query and a key
  std::int64_t value_width = 0;  // 0: `width`
  bool causal = false;           // half of the scores are not computed
  bool flash = true;             // scores stay on chip; else they go through memory
};

using WorkShape = std::variant<GemmShape, ConvShape, RnnShape, AttentionShape>;

// A run time that was measured. `where` is a device name, a device type, a device kind, or "*".
struct MeasuredTime {
  std::string where;
  double seconds = 0;
};

struct Op {
  std::string name;
  std::string type;
  Flops flops;
  Bytes bytes_accessed;   // memory traffic of one run
  Bytes param_bytes;      // weights and optimiser state, resident for the whole step
  Bytes weight_bytes;     // what one run reads of its own parameters
  Bytes workspace_bytes;  // held while it runs
  SimTime release;        // the earliest instant at which it may be ready
  std::optional<std::int32_t> layer;
  std::optional<std::int32_t> module;      // index into OpGraph::module_paths()
  std::optional<std::int32_t> colocation;  // index into OpGraph::colocation_labels()
  DeviceKindSet device_kinds = DeviceKindSet::All();
  FusionClass fusion_class = FusionClass::kOpaque;
  Phase phase = Phase::kUnknown;
  DType dtype = DType::kF32;
};

// Whose storage an output uses.
enum class Alias : std::uint8_t { kNone, kInput, kParams };

struct Tensor {
  OpId producer;
  std::int32_t output_index = 0;  // among the producer's outputs
  Bytes bytes;
  TensorId aliased;  // meaningful for Alias::kInput: the input whose storage it shares
  Alias alias = Alias::kNone;
  bool keep = false;  // a graph output, held to the end
  DType dtype = DType::kF32;
};

}  // namespace opyard::sim
