// Names of the spans of a timeline.
#pragma once

#include <string>

#include "sim/analysis/critical_path.h"
#include "sim/analysis/timeline.h"
#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// "mm:0": output 0 of mm.
[[nodiscard]] std::string NameOf(const OpGraph& graph, TensorId tensor);

// Names as they stand in the graph, unescaped. REQUIRES: graph and timeline outlive it.
class SpanNames {
 public:
  SpanNames(const OpGraph& graph, const Timeline& timeline) : graph_(graph), timeline_(timeline) {}

  // "mm"; of a fused kernel its first op and how many more there are: "mm +2"; "copy of mm:0".
  [[nodiscard]] std::string Of(SpanId span) const;
  // "mm", "copy of mm:0", "copy of mm:0 waits behind copy of x:0", "mm waits for memory", "signal
  // from a to mm" and the like.
  [[nodiscard]] std::string Of(const CriticalPart& part) const;
  // "gpu1, gpu2": where a transfer goes.
  [[nodiscard]] std::string Destinations(const HardwareProfile& hardware,
                                         std::size_t transfer) const;

 private:
  const OpGraph& graph_;
  const Timeline& timeline_;
};

}  // namespace opyard::sim
