#include "sim/engine/run/copy_overheads.h"

#include <cstdint>

#include "sim/base/array_index.h"

namespace opyard::sim {
namespace {

class CopyOverheads {
 public:
  CopyOverheads(const LoweredProblem& problem, Workspace& workspace) : p_(problem), w_(workspace) {}

  void Add() {
    const KernelGraph& g = *w_.prepared.graph;
    w_.scratch.copied_tensor.assign(p_.num_devices, -1);
    for (std::size_t tensor = 0; tensor < g.num_tensors; ++tensor) {
      AddCopiesOf(g, tensor);
    }
  }

 private:
  void AddCopiesOf(const KernelGraph& g, std::size_t tensor) {
    const std::int32_t producer = g.producer[tensor];
    const std::int64_t bytes = g.tensors[tensor].bytes;
    std::int64_t num_sent = 0;
    const std::int32_t last = g.tensors[tensor + 1].first_consumer;
    for (std::int32_t edge = g.tensors[tensor].first_consumer; edge < last; ++edge) {
      const std::int32_t reader = g.consumers[At(edge)];
      const std::int64_t num_received = CopiesOver(g, At(edge), tensor);
      if (num_received > 0) {
        Delay(reader, num_received, bytes);
        num_sent += num_received;
      }
    }
    if (num_sent > 0) {
      Delay(producer, p_.rules.one_per == OnePer::kOutput ? 1 : num_sent, bytes);
    }
  }

  // The copies that serve `edge` and none before it.
  [[nodiscard]] std::int64_t CopiesOver(const KernelGraph& g,
                                        std::size_t edge,
                                        std::size_t tensor) {
    const std::size_t device = w_.prepared.device_of[At(g.consumers[edge])];
    if (device == w_.prepared.device_of[At(g.producer[tensor])]) {
      return 0;
    }
    if (!g.edge_uses.empty()) {
      return g.edge_uses[edge];
    }
    const bool is_first = w_.scratch.copied_tensor[device] != static_cast<std::int64_t>(tensor);
    w_.scratch.copied_tensor[device] = static_cast<std::int64_t>(tensor);
    return is_first ? 1 : 0;
  }

  void Delay(std::int32_t kernel, std::int64_t num_copies, std::int64_t bytes) {
    const std::size_t device = w_.prepared.device_of[At(kernel)];
    w_.state.kernels[At(kernel)].duration_ps +=
        num_copies * p_.copy_overheads[device].TimeOf(bytes);
  }

  const LoweredProblem& p_;
  Workspace& w_;
};

}  // namespace

void AddCopyOverheads(const LoweredProblem& problem, Workspace& workspace) {
  CopyOverheads(problem, workspace).Add();
}

}  // namespace opyard::sim
