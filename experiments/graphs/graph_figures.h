// Figures of a graph, and of a graph on a machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "env/problem.h"
#include "experiments/text/measured_coverage.h"
#include "sim/base/units.h"
#include "sim/graph/algorithms.h"
#include "sim/graph/op_graph.h"

namespace opyard::experiments {

// The ops of one phase or type together.
struct GraphShare {
  std::int64_t ops = 0;
  double flops = 0.0;
  Bytes bytes;  // of outputs
};

struct GraphFigures {
  static constexpr std::size_t kNumPhases = 4;

  GraphShare all;
  Bytes activations;  // outputs with a storage of their own
  Bytes parameters;
  Bytes memory_bound;
  Bytes one_device_peak;  // sim/analysis/one_device_memory.h
  sim::GraphExtent extent;
  std::int64_t num_measured = 0;                          // ops
  std::array<GraphShare, kNumPhases> phases;              // by sim::Phase
  std::vector<std::pair<std::string, GraphShare>> types;  // most ops first, then by name
};

// "forward", for an index into `phases`.
[[nodiscard]] std::string PhaseName(std::size_t phase);

// O(ops + edges) but for the types, which are sorted.
[[nodiscard]] GraphFigures FiguresOf(const sim::OpGraph& graph);

// The figures that a machine adds; none of them counts transfers or fusion.
struct MachineFigures {
  std::string name;
  SimTime critical_path;                               // each op where it is fastest
  SimTime work;                                        // the same, one op after another
  SimTime bound;                                       // no plan without fusion is faster
  Bytes capacity;                                      // of all devices
  std::vector<std::pair<std::string, Bytes>> devices;  // what ops may use on each
  MeasuredCoverage coverage;
};

// Each op by itself on `machine`. Throws InputError if some op may run on no device of it.
[[nodiscard]] env::Problem ProblemOfSingleOps(std::shared_ptr<const sim::OpGraph> graph,
                                              std::shared_ptr<const sim::HardwareProfile> machine);

// REQUIRES: a problem of single ops.
[[nodiscard]] MachineFigures FiguresOn(const env::Problem& problem);

}  // namespace opyard::experiments
