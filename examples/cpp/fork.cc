// Builds a graph, loads a machine, and prints how long two plans take.
//
//     fork hardware/machines/pair.yaml
#include <iostream>
#include <memory>

#include "env/problem.h"
#include "sim/base/error.h"
#include "sim/engine/simulator.h"
#include "sim/graph/op_graph.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/plan/plan.h"

namespace {

using opyard::Bytes;
using opyard::DeviceId;
namespace sim = opyard::sim;

// An op that takes `seconds` on every device.
sim::OpSpec TimedOp(const char* name, double seconds) {
  return {.name = name, .type = "Custom", .seconds = {{.where = "*", .seconds = seconds}}};
}

// a takes 2 ms and makes 1 MB for b (3 ms) and for c (5 ms).
std::shared_ptr<const sim::OpGraph> ForkGraph() {
  sim::OpSpec a = TimedOp("a", 0.002);
  a.outputs = {{.bytes = Bytes{1'000'000}}};
  sim::OpSpec b = TimedOp("b", 0.003);
  b.inputs = {{.op = 0, .output = 0}};
  sim::OpSpec c = TimedOp("c", 0.005);
  c.inputs = {{.op = 0, .output = 0}};
  sim::OpGraphBuilder builder("fork");
  builder.AddOp(a);
  builder.AddOp(b);
  builder.AddOp(c);
  return builder.Build();
}

double Milliseconds(const opyard::env::Problem& problem, const sim::Plan& plan) {
  sim::Workspace workspace;
  return problem.simulator().Run(plan, workspace).makespan.seconds() * 1e3;
}

void PrintSteps(const char* machine) {
  const opyard::env::Problem problem({.graph = ForkGraph(), .hardware = sim::LoadMachine(machine)});
  // One after the other: 2 + 3 + 5 = 10 ms.
  const sim::Plan alone = sim::SingleDevicePlan(problem.graph().num_ops(), DeviceId(0));
  // c waits for 2 ms of a and 1 ms of the copy, then takes 5 ms: 8 ms.
  const sim::Plan both{.placement = {DeviceId(0), DeviceId(0), DeviceId(1)}};
  std::cout << "on one card:  " << Milliseconds(problem, alone) << " ms\n"
            << "c on another: " << Milliseconds(problem, both) << " ms\n";
  sim::WriteGraphFile(problem.graph(), "fork.graph.json");  // for the command `opyard`, too
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: fork MACHINE\n";
    return 2;
  }
  try {
    PrintSteps(argv[1]);
  } catch (const opyard::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  return 0;
}
