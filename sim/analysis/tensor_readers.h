// Readers of tensors in a timeline, by the rules of the machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// The reads of all ops: under rules `placeto` control edges read tensors, too.
class TensorReaders {
 public:
  TensorReaders(const OpGraph& graph, Rules rules);

  // The tensors that `op` waits for, once per argument, in order of the arguments; under placeto
  // once per producer.
  [[nodiscard]] std::span<const TensorId> reads(OpId op) const;
  // The ops that `op` waits for without a tensor.
  [[nodiscard]] std::span<const OpId> signals(OpId op) const;
  // The ops that wait for `tensor`, by ascending id, once per argument.
  [[nodiscard]] std::span<const OpId> readers(TensorId tensor) const;

 private:
  std::vector<std::int32_t> first_read_;  // of op i; one more as the end; so below
  std::vector<TensorId> reads_;
  std::vector<std::int32_t> first_signal_;
  std::vector<OpId> signals_;
  std::vector<std::int32_t> first_reader_;  // of tensor i
  std::vector<OpId> readers_;
};

}  // namespace opyard::sim
