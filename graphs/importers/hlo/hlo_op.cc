#include "graphs/importers/hlo/hlo_op.h"

#include <algorithm>
#include <limits>

#include "graphs/importers/hlo/hlo_custom_calls.h"
#include "graphs/importers/hlo/hlo_scopes.h"

namespace opyard::graphs {
namespace {

// Instructions that give their operand another name or shape.
bool IsView(const HloCall& call) {
  const std::string_view opcode = call.opcode();
  return opcode == "reshape" || opcode == "bitcast" || opcode == "bitcast-convert" ||
         opcode == "dynamic-reshape";
}

// A shape block that stands for `times` products one after another: as many in one batch, or as
// many images. Nothing where that is beyond the block's range.
std::optional<sim::WorkShape> Repeated(sim::WorkShape work, double times) {
  auto* gemm = std::get_if<sim::GemmShape>(&work);
  auto* conv = std::get_if<sim::ConvShape>(&work);
  auto* attention = std::get_if<sim::AttentionShape>(&work);
  std::int64_t* count = gemm != nullptr        ? &gemm->batch
                        : conv != nullptr      ? &conv->n
                        : attention != nullptr ? &attention->batch
                                               : nullptr;
  if (count == nullptr ||
      static_cast<double>(*count) * times > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  *count *= static_cast<std::int64_t>(times);
  return work;
}

Bytes Scaled(Bytes bytes, double times) {
  constexpr double kMost = 4e18;  // int64 holds it
  return Bytes{
      static_cast<std::int64_t>(std::min(static_cast<double>(bytes.count) * times, kMost))};
}

// Adds without leaving int64.
void Add(Bytes bytes, Bytes& sum) {
  if (__builtin_add_overflow(sum.count, bytes.count, &sum.count)) {
    sum.count = std::numeric_limits<std::int64_t>::max() / 2;
  }
}

// True if the only result of `op` is as large as an operand of one tensor that is no constant.
bool TakesOver(const sim::OpSpec& op,
               const HloValues& operand,
               const std::vector<TensorType>& tensors) {
  return operand.size() == 1 && !operand[0].is_folded() && op.outputs.size() == 1 &&
         op.outputs[0].bytes == BytesOf(tensors[0]);
}

// The type of an op; products keep theirs under whatever name they are called.
std::string TypeOf(const HloCall& call) {
  return std::string(call.opcode() == "custom-call" ? ReadCustomCall(call).type : call.opcode());
}

}  // namespace

sim::OutputSpec OutputOf(const TensorType& tensor) {
  return {.bytes = BytesOf(tensor), .shape = tensor.shape, .dtype = tensor.dtype};
}

sim::Phase PhaseOf(const HloInstruction& instruction) {
  const std::string_view name = OpNameOf(instruction);
  if (name.find("transpose(jvp") != std::string_view::npos) {
    return sim::Phase::kBackward;
  }
  return name.find("jvp(") != std::string_view::npos ? sim::Phase::kForward : sim::Phase::kUnknown;
}

HloOp HloOpMaker::Make(const HloCall& call,
                       const std::vector<const HloValues*>& operands,
                       double times) {
  HloOp op;
  op.spec.type = TypeOf(call);
  for (const HloValues* values : operands) {
    for (const HloValue& value : *values) {
      if (!value.is_folded()) {
        op.spec.inputs.push_back({.op = value.op, .output = value.output});
      }
    }
  }
  const TensorRange made = call.made();
  for (std::size_t i = made.first; i < made.first + made.count; ++i) {
    op.spec.outputs.push_back(OutputOf(call.instruction.type.tensors[i]));
  }
  op.spec.dtype = op.spec.outputs.empty() ? sim::DType::kOther : op.spec.outputs[0].dtype;
  op.spec.phase = PhaseOf(call.instruction);
  op.spec.module = ModuleOfOpName(OpNameOf(call.instruction));
  if (IsView(call) && op.spec.inputs.size() == 1 && op.spec.outputs.size() == 1) {
    op.spec.outputs[0].alias = sim::Alias::kInput;
    op.spec.bytes_accessed = Bytes{};
    return op;
  }
  op.spec.workspace_bytes = call.workspace();
  SetWork(call, times, op);
  SetTraffic(call, operands, times, op);
  return op;
}

void HloOpMaker::SetWork(const HloCall& call, double times, HloOp& op) const {
  const HloWork work = costs_.Of(call.computation, call.instruction);
  op.num_unknown = work.num_unknown;
  op.spec.flops = Flops{work.work.flops.count * times};
  op.spec.work = work.work.work.has_value() ? Repeated(*work.work.work, times) : std::nullopt;
  const sim::FusionClass known = sim::FusionClassOfType(op.spec.type);
  const sim::FusionClass found = FusionClassOfOpcode(op.spec.type);
  const bool is_kernel_of_product = op.spec.type == "fusion" && work.work.work.has_value();
  if (is_kernel_of_product || known != found) {
    op.spec.fusion_class = is_kernel_of_product ? sim::FusionClass::kHeavy : found;
  }
}

void HloOpMaker::SetTraffic(const HloCall& call,
                            const std::vector<const HloValues*>& operands,
                            double times,
                            HloOp& op) {
  const std::optional<HloTraffic> found = traffic_.Of(call);
  if (!found.has_value() && times == 1.0) {
    return;  // all inputs and outputs
  }
  const HloTraffic traffic = found.value_or(HloTraffic{});
  Bytes results;
  for (const sim::OutputSpec& output : op.spec.outputs) {
    Add(output.bytes, results);
  }
  Bytes sum = traffic.written.value_or(results);
  std::size_t input = 0;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const std::size_t operand = call.instruction.operands[k];
    const std::vector<TensorType>& tensors = call.computation.instructions[operand].type.tensors;
    if (traffic.updated == k && TakesOver(op.spec, *operands[k], tensors)) {
      op.updated_input = input;
    }
    const bool is_partial = k < traffic.is_partial.size() && traffic.is_partial[k];
    for (std::size_t t = 0; t < operands[k]->size(); ++t) {
      if (!(*operands[k])[t].is_folded()) {
        Add(!is_partial ? BytesOf(tensors[t]) : t == 0 ? traffic.read[k] : Bytes{}, sum);
        ++input;
      }
    }
  }
  op.bytes_of_copy = traffic.updated.has_value() ? Scaled(results, 2.0) : Bytes{};
  op.spec.bytes_accessed = Scaled(sum, times);
}

}  // namespace opyard::graphs
