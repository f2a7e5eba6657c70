#include "sim/engine/report/record_names.h"

#include "sim/base/array_index.h"

namespace opyard::sim {

std::int32_t RecordNames::FirstOp(std::size_t kernel) const {
  return is_fused() ? w_.prepared.fused->kernels.ops_of(kernel).front()
                    : static_cast<std::int32_t>(kernel);
}

std::string RecordNames::OfOp(std::int32_t op) const {
  return p_.graph->op(p_.op_of[At(op)]).name;
}

std::string RecordNames::OfKernel(std::size_t kernel) const {
  const std::string name = OfOp(FirstOp(kernel));
  const std::size_t num_more =
      is_fused() ? w_.prepared.fused->kernels.ops_of(kernel).size() - 1 : 0;
  return num_more == 0 ? name : name + " (fused with " + std::to_string(num_more) + " more)";
}

std::string RecordNames::OfTensor(std::int32_t tensor) const {
  const std::int32_t origin = w_.prepared.graph->origin[At(tensor)];
  const Tensor& described = p_.graph->tensor(p_.tensor_of[At(origin)]);
  return p_.graph->op(described.producer).name + ":" + std::to_string(described.output_index);
}

}  // namespace opyard::sim
