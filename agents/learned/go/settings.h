// What may be set of GO, with the defaults. Needs no LibTorch.
#pragma once

#include <cstdint>

namespace opyard::agents {

// Of the network, which serves every graph, machine and list of tasks.
struct GoSizes {
  std::int64_t type_embedding = 32;
  std::int64_t hidden = 128;
  std::int64_t graph_layers = 3;      // of GraphSAGE
  std::int64_t attention_layers = 2;  // before the one that the tasks share
  std::int64_t heads = 8;
  std::int64_t feed_forward = 512;
  std::int64_t segment = 256;  // rows
  bool attention = true;       // whether rows see each other; an ablation
  bool modulation = true;      // whether hidden units are scaled by the graph's vector; an ablation
  std::int64_t levels = 20;    // priorities that a row may have, and fusion priorities
};

}  // namespace opyard::agents
