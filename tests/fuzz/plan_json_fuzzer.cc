// Any text is a plan for a small graph and machine, or an InputError.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "sim/base/error.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/io/plan/plan_json.h"

namespace {

// Three ops in a chain.
std::shared_ptr<const opyard::sim::OpGraph> SmallGraph() {
  opyard::sim::OpGraphBuilder builder("toy");
  builder.AddOp({.name = "a", .type = "MatMul", .outputs = {{.bytes = opyard::Bytes{2}}}});
  builder.AddOp(
      {.name = "b", .type = "Relu", .inputs = {{0, 0}}, .outputs = {{.bytes = opyard::Bytes{3}}}});
  builder.AddOp({.name = "c", .type = "Relu", .inputs = {{1, 0}}, .colocation = "g"});
  return builder.Build();
}

opyard::sim::HardwareProfile TwoGpus() {
  opyard::sim::HardwareProfile machine{.name = "two"};
  for (const char* name : {"gpu0", "gpu1"}) {
    machine.devices.push_back({.name = name, .type = "t", .memory = opyard::Bytes{1000}});
  }
  return machine;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    static_cast<void>(opyard::sim::ReadPlanText(text, "fuzz", *SmallGraph(), TwoGpus()));
  } catch (const opyard::Error&) {
    // The text is no plan.
  }
  return 0;
}
