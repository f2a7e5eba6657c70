// A small training step on a small machine whose features can be worked out by hand, and a way to
// read single features.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "env/observation.h"
#include "tests/env/small_problems.h"

namespace opyard::env {

inline constexpr std::size_t kVariable = 0;
inline constexpr std::size_t kA = 1;
inline constexpr std::size_t kC = 3;
inline constexpr std::size_t kView = 4;

inline constexpr std::size_t kCpu = 0;
inline constexpr std::size_t kGpu0 = 1;
inline constexpr std::size_t kGpu1 = 2;

// Does `mega_flops` and nothing else: no traffic, no launch.
[[nodiscard]] inline sim::OpSpec FlopsOp(const std::string& name,
                                         double mega_flops,
                                         std::vector<sim::InputRef> inputs,
                                         const std::vector<std::int64_t>& output_bytes) {
  sim::OpSpec op = opyard::testing::TimedOp(name, 0, std::move(inputs), output_bytes);
  op.seconds.clear();
  op.flops = Flops{mega_flops * 1e6};
  op.bytes_accessed = Bytes{0};
  return op;
}

// cpu0 at 0.1, gpu0 at 49 and gpu1 at 1 TFLOP/s. A transfer between the GPUs takes 1 us and 1 us
// per 1000 bytes, one between a GPU and the CPU 4 us and 1 us per 250 bytes.
//
//   gpu0 ─┐
//         hub ── cpu0
//   gpu1 ─┘
[[nodiscard]] inline sim::HardwareProfile HandMachine() {
  constexpr std::array<double, 3> kTeraFlops = {0.1, 49, 1};
  constexpr std::array<std::int64_t, 3> kMemory = {1'296'000, 144'000, 36'000};
  sim::HardwareProfile machine = opyard::testing::StarMachine(3);
  for (std::size_t i = 0; i < 3; ++i) {
    machine.devices[i].peak_flops_per_s = {{sim::DType::kF32, kTeraFlops[i] * 1e12}};
    machine.devices[i].memory = Bytes{kMemory[i]};
    machine.links[i].latency = SimTime{500'000};
  }
  machine.devices[kCpu].kind = sim::DeviceKind::kCpu;
  machine.links[kCpu].latency = SimTime{3'500'000};
  machine.links[kCpu].bandwidth_bytes_per_s = 250e6;
  return machine;
}

// The times t(o) over gpu0 and gpu1, and what the tensors take between them:
//
//   variable  0                                 10,000 B of parameters, of which 6000 B, 7 us
//   a         1.96 MFLOP: (0.04 + 1.96) / 2 = 1 us        3000 B, 4 us; 600 B of workspace
//   b         49 MFLOP: (1 + 49) / 2 = 25 us              40,400 B, read by none; 49,600 B of
//                                                         workspace; 57,600 B of parameters
//   c         17.64 MFLOP: (0.36 + 17.64) / 2 = 9 us      8000 B, 9 us, and 15,000 B, 16 us;
//                                                         17,000 B of workspace
//   view      0                                 8000 B of c, 9 us
//   host_op   0.1 MFLOP; CPU only: 1 us                   10,000 B, read by none.
//
//   Data:     variable → b    a → c → view → host_op    c → host_op.
//   Control:  variable → a    a → c.
//
// Work: 1 + 25 + 9 + 1 = 36 us; 4 ops take time, 36 / 4 = 9 us each. Critical path: 25 us (b alone)
[[nodiscard]] inline std::shared_ptr<const sim::OpGraph> HandStep() {
  sim::OpSpec variable = opyard::testing::VariableOp("variable", 10'000);
  variable.outputs[0].bytes = Bytes{6000};
  sim::OpSpec a = FlopsOp("a", 1.96, {}, {3000});
  a.workspace_bytes = Bytes{600};
  a.control_inputs = {kVariable};
  sim::OpSpec b = FlopsOp("b", 49, {{kVariable, 0}}, {40'400});
  b.workspace_bytes = Bytes{49'600};
  b.param_bytes = Bytes{57'600};
  sim::OpSpec c = FlopsOp("c", 17.64, {{kA, 0}}, {8000, 15'000});
  c.workspace_bytes = Bytes{17'000};
  c.control_inputs = {kA};
  sim::OpSpec view = FlopsOp("view", 0, {{kC, 0}}, {8000});
  view.type = "Reshape";
  view.outputs[0].alias = sim::Alias::kInput;
  sim::OpSpec host_op = FlopsOp("host_op", 0.1, {{kView, 0}, {kC, 1}}, {10'000});
  host_op.device_kinds = sim::DeviceKindSet::None();
  host_op.device_kinds.Insert(sim::DeviceKind::kCpu);
  return opyard::testing::MakeGraph({variable, a, b, c, view, host_op});
}

[[nodiscard]] inline Observation HandStepObservation() {
  return Observe(*MakeProblem(HandStep(), HandMachine()));
}

// The position of the column `name` among `names`.
[[nodiscard]] inline std::size_t ColumnIndex(std::span<const std::string_view> names,
                                             std::string_view name) {
  const auto found = std::ranges::find(names, name);
  EXPECT_NE(found, names.end()) << name;
  return static_cast<std::size_t>(found - names.begin());
}

// The column `name` of `rows`, from top to bottom.
[[nodiscard]] inline std::vector<float> ColumnOf(const std::vector<float>& rows,
                                                 std::span<const std::string_view> names,
                                                 std::string_view name) {
  const std::size_t first = ColumnIndex(names, name);
  std::vector<float> column;
  for (std::size_t i = first; i < rows.size(); i += names.size()) {
    column.push_back(rows[i]);
  }
  return column;
}

}  // namespace opyard::env
