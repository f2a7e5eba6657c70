#include "tests/sim/engine/golden_cases.h"

#include <utility>

#include "tests/sim/engine/golden_parts.h"
#include "tests/sim/engine/golden_rule_cases.h"
#include "tests/sim/engine/golden_transfer_cases.h"
#include "tests/support/golden_graphs.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using sim::HardwareProfile;
using sim::OnePer;
using sim::OnExceed;
using sim::Rules;
using sim::Sharing;

// More than eight devices, and more than 64 pairs of them.
GoldenCases ManyDeviceCases() {
  const HardwareProfile nine = StarMachine(9, 1);
  return {Layered("8 devices", StarMachine(8, 1)),
          Layered("9 devices", nine),
          Layered("9 devices, fair", With(nine, Sharing::kFair)),
          Layered("9 devices, no sharing", With(nine, Sharing::kNone)),
          Layered("9 devices, one per output", With(nine, OnePer::kOutput)),
          Layered("9 devices, bus", BusMachine(9, 1)),
          Layered("11 devices, rules placeto", With(StarMachine(11, 1), Rules::kPlaceto)),
          Layered("11 devices, rules regal", With(StarMachine(11, 1), Rules::kRegal)),
          Layered("9 devices, out of memory", WithMemory(nine, OnExceed::kFail, 6'000)),
          Layered("9 devices, wait", WithMemory(nine, OnExceed::kWait, 8'000))};
}

// 36 ops without ties, long enough for states to be remembered on the way.
GoldenCases LargeCases() {
  constexpr std::int64_t kLayers = 12;
  const HardwareProfile star = StarMachine(4, 1);
  const HardwareProfile rests =
      WithGapAfterTransfers(With(star, {.gap_after_op = SimTime{700'001}}), SimTime{1'300'003});
  GoldenCases cases = {Layered("plain", star, kLayers),
                       Layered("mesh", MeshMachine(4, 1), kLayers),
                       Layered("fair", With(star, Sharing::kFair), kLayers),
                       Layered("no sharing", With(star, Sharing::kNone), kLayers),
                       Layered("one per output", With(star, OnePer::kOutput), kLayers),
                       Layered("one per edge", With(star, OnePer::kEdge), kLayers),
                       Layered("gaps", rests, kLayers),
                       Layered("dispatch", With(star, {.dispatch = SimTime{1'900'007}}), kLayers),
                       Layered("dispatch, two devices",
                               With(MeshMachine(2, 1), {.dispatch = SimTime{2'700'001}}),
                               kLayers),
                       Layered("fail", WithMemory(star, OnExceed::kFail, 31'000), kLayers),
                       Layered("wait", WithMemory(star, OnExceed::kWait, 36'000), kLayers),
                       Layered("rules placeto", With(rests, Rules::kPlaceto), kLayers),
                       Layered("rules regal", With(star, Rules::kRegal), kLayers),
                       Layered("priorities", star, kLayers)};
  sim::Plan& plan = cases.back().plan;
  plan.queue = sim::QueueDiscipline::kPriority;
  for (std::size_t i = 0; i < plan.placement.size(); ++i) {
    plan.op_priority.push_back(static_cast<std::int64_t>(i * 7 % 11));
  }
  return cases;
}

// A mesh of six devices in which no two links are alike.
HardwareProfile UnequalMesh() {
  HardwareProfile machine = MeshMachine(6, 1);
  for (std::size_t i = 0; i < machine.links.size(); ++i) {
    machine.links[i].bandwidth_bytes_per_s = 1e9 + 1e8 * static_cast<double>(i);
  }
  return machine;
}

HardwareProfile MeshWithHost() {
  HardwareProfile machine = MeshMachine(4, 1);
  machine.devices.back().kind = sim::DeviceKind::kCpu;
  machine.devices.back().type = "test-cpu";
  return machine;
}

GoldenCases UncommonCases() {
  return {{.name = "kinds of devices, ops that stay together, devices of different speed",
           .graph = ConstrainedGraph(),
           .machine = MeshWithHost(),
           .plan = PlacedOn({0, 1, 2, 3, 0, 1, 2, 2})},
          {.name = "days",
           .graph = LongGraph(),
           .machine = MeshMachine(2),
           .plan = PlacedOn({0, 0, 1, 1})},
          Layered("no two links alike", UnequalMesh())};
}

}  // namespace

void PrintTo(const GoldenFile& file, std::ostream* out) {
  *out << file.name;
}

std::vector<GoldenFile> GoldenFiles() {
  return {{"channels", ChannelCases},
          {"fusion", FusionCases},
          {"gaps", GapCases},
          {"large", LargeCases},
          {"links", LinkCases},
          {"many_devices", ManyDeviceCases},
          {"memory", MemoryCases},
          {"placeto_sharing", PlacetoSharingCases},
          {"published_rules", PublishedRuleCases},
          {"queues", QueueCases},
          {"releases", ReleaseCases},
          {"sharing", OpyardSharingCases},
          {"uncommon", UncommonCases}};
}

}  // namespace opyard::testing
