#include "sim/graph/placeto_reads.h"

#include <map>

namespace opyard::sim {

PlacetoReads ReadsForPlaceto(const OpGraph& graph, OpId op) {
  PlacetoReads reads;
  std::map<OpId, TensorId> of_producer;
  for (const TensorId tensor : graph.inputs(op)) {
    of_producer[graph.tensor(tensor).producer] = tensor;
  }
  for (const OpId producer : graph.control_inputs(op)) {
    if (graph.num_outputs(producer) == 0) {
      reads.signals.push_back(producer);
    } else {
      of_producer[producer] = graph.output(producer, 0);
    }
  }
  for (const auto& [producer, tensor] : of_producer) {
    reads.tensors.push_back(tensor);
  }
  return reads;
}

}  // namespace opyard::sim
