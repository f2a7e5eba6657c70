// The kernels that devices with streams can run.
#pragma once

#include "sim/fusion/fusion_graph.h"
#include "sim/fusion/kernels.h"
#include "sim/plan/streams.h"

namespace opyard::sim {

// Takes apart those of `kernels`, as Fuse makes them, that the order of `streams` forbids; their
// ops run alone. A kernel stands in its stream where the first of its ops stands. A kernel with ops
// of several streams is forbidden. Then the streams are followed, each as far as it goes; where all
// of them wait, the kernel of least number that heads a stream, and whose first op could run alone,
// is forbidden (docs/modelling.md, section 4: fusion in streams). If the ops alone can run in this
// order, so can the kernels that are left. O(ops + edges), and the streams for each such kernel.
void TakeApartForStreams(const FusionGraph& graph, const Streams& streams, Kernels& kernels);

}  // namespace opyard::sim
