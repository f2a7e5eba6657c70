#include "sim/analysis/one_device_memory.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace opyard::sim {
namespace {

// The storages of a graph, each named by the tensor that owns it, as ops come and go.
class Storages {
 public:
  explicit Storages(const OpGraph& graph)
      : graph_(graph), storage_(graph.num_tensors()), num_readers_(graph.num_tensors()) {
    for (const OpId op : graph.topological_order()) {
      for (std::size_t k = 0; k < graph.num_outputs(op); ++k) {
        const TensorId id = graph.output(op, k);
        const Tensor& tensor = graph.tensor(id);
        storage_[id.index()] =
            tensor.alias == Alias::kInput ? storage_[tensor.aliased.index()] : id;
        // One that is kept has a reader that never comes.
        num_readers_[storage_[id.index()].index()] +=
            graph.consumers(id).size() + (tensor.keep ? 1 : 0);
      }
    }
  }

  // Runs `op`. Returns the bytes that are held meanwhile.
  [[nodiscard]] Bytes Run(OpId op) {
    for (std::size_t k = 0; k < graph_.num_outputs(op); ++k) {
      held_ += BytesOf(graph_.output(op, k));
    }
    const Bytes while_running = held_ + graph_.op(op).workspace_bytes;
    for (std::size_t k = 0; k < graph_.num_outputs(op); ++k) {
      const TensorId output = graph_.output(op, k);
      if (storage_[output.index()] == output && num_readers_[output.index()] == 0) {
        held_ -= BytesOf(output);
      }
    }
    const auto inputs = graph_.inputs(op);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (std::ranges::find(inputs.first(i), inputs[i]) ==
          inputs.begin() + static_cast<std::ptrdiff_t>(i)) {
        EndReading(storage_[inputs[i].index()]);
      }
    }
    return while_running;
  }

 private:
  // The bytes of a storage of its own; 0 for an alias.
  [[nodiscard]] Bytes BytesOf(TensorId id) const {
    const Tensor& tensor = graph_.tensor(id);
    return tensor.alias == Alias::kNone ? tensor.bytes : Bytes{};
  }

  void EndReading(TensorId storage) {
    if (--num_readers_[storage.index()] == 0) {
      held_ -= BytesOf(storage);
    }
  }

  const OpGraph& graph_;
  std::vector<TensorId> storage_;         // of each tensor
  std::vector<std::size_t> num_readers_;  // of each storage, that are still to come
  Bytes held_;
};

}  // namespace

OneDeviceMemory MemoryOnOneDevice(const OpGraph& graph) {
  OneDeviceMemory memory;
  for (const Op& op : graph.ops()) {
    memory.parameters += op.param_bytes;
  }
  memory.peak = memory.parameters;
  Storages storages(graph);
  for (const OpId op : graph.topological_order()) {
    memory.peak = std::max(memory.peak, memory.parameters + storages.Run(op));
  }
  return memory;
}

}  // namespace opyard::sim
