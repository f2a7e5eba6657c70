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

// Totals over a set of ops: all, or those of one phase or type.
struct OpTotals {
  std::int64_t ops = 0;
  double flops = 0.0;
  Bytes bytes;  // of all outputs, aliases counted too
};

struct GraphFigures {
  static constexpr std::size_t kNumPhases = 4;

  OpTotals all;
  Bytes activations;  // outputs with storage of their own: no aliases
  Bytes parameters;
  // Least peak memory: under every plan without fusion, all devices together hold so much at some
  // time (sim::MemoryBound).
  Bytes memory_bound;
  // Peak memory if one device runs all ops in topological order, parameters included
  // (sim::MemoryOnOneDevice).
  Bytes one_device_peak;
  sim::GraphExtent extent;                              // depth and width, counted in ops
  std::int64_t num_measured = 0;                        // ops with a measured time in the graph
  std::array<OpTotals, kNumPhases> phases;              // by sim::Phase
  std::vector<std::pair<std::string, OpTotals>> types;  // most ops first, then by name
};

// The name of the phase at index `phase` of GraphFigures::phases: "forward".
[[nodiscard]] std::string PhaseName(std::size_t phase);

// O(ops + edges), and O(types · log types) for their order.
[[nodiscard]] GraphFigures FiguresOf(const sim::OpGraph& graph);

// Figures of a graph on a machine. No time counts transfers or fusion.
struct MachineFigures {
  std::string name;  // of the machine
  // The longest path of the graph with each op on the fastest device that it may run on. Not the
  // critical path of a plan.
  SimTime critical_path;
  SimTime work;    // the sum of the same times over all ops
  SimTime bound;   // Problem::problem_bound: no plan without fusion is faster
  Bytes capacity;  // of all devices together
  std::vector<std::pair<std::string, Bytes>> devices;  // names, and the capacity of each for ops
  MeasuredCoverage coverage;  // how many ops have measured instead of modelled times
};

// The problem of `graph` on `machine` with one group per op (one for co-located ops, which stay
// together) and no fusion. Throws InputError if some op may run on no device of the machine.
[[nodiscard]] env::Problem ProblemOfSingleOps(std::shared_ptr<const sim::OpGraph> graph,
                                              std::shared_ptr<const sim::HardwareProfile> machine);

// REQUIRES: `problem` is one of ProblemOfSingleOps.
[[nodiscard]] MachineFigures FiguresOn(const env::Problem& problem);

}  // namespace opyard::experiments
