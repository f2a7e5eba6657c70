#include "tests/sim/engine/golden_transfer_cases.h"

#include <utility>

#include "sim/io/machine/machine_words.h"
#include "tests/sim/engine/golden_lines.h"
#include "tests/support/golden_graphs.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using sim::Duplex;
using sim::HardwareProfile;
using sim::OnePer;
using sim::Plan;
using sim::Rules;
using sim::Sharing;

// Each sharing with each one_per under `rules`.
GoldenCases SharingCases(Rules rules) {
  GoldenCases cases;
  for (const Sharing sharing : {Sharing::kSerial, Sharing::kFair, Sharing::kNone}) {
    for (const OnePer one_per : {OnePer::kDestination, OnePer::kOutput, OnePer::kEdge}) {
      const std::string name =
          Word(sim::kSharingWords, sharing) + ", one per " + Word(sim::kOnePerWords, one_per);
      cases.push_back(Mixed(name, With(With(With(Star(), rules), sharing), one_per)));
    }
  }
  return cases;
}

// One with a latency of its own, one with that of its link.
HardwareProfile WithExplicitRoute(HardwareProfile machine) {
  machine.routes.push_back(
      {.from = DeviceId(0), .to = DeviceId(1), .links = {0}, .latency = Microseconds(5)});
  machine.routes.push_back({.from = DeviceId(1), .to = DeviceId(2), .links = {2}});
  return machine;
}

// Without the link between d0 and d2.
HardwareProfile WithoutARoute() {
  HardwareProfile machine = Mesh();
  machine.links.erase(machine.links.begin() + 1);
  return machine;
}

Plan OnFourDevices() {
  return PlacedOn({1, 0, 0, 3, 2, 0, 2, 0, 1, 3, 0, 2});
}

}  // namespace

GoldenCases OpyardSharingCases() {
  return SharingCases(Rules::kOpyard);
}

GoldenCases PlacetoSharingCases() {
  return SharingCases(Rules::kPlaceto);
}

GoldenCases ChannelCases() {
  const std::vector<std::pair<std::string, sim::ChannelKinds>> sets = {
      {"links", {.links = true, .egress = false, .ingress = false}},
      {"egress", {.links = false, .egress = true, .ingress = false}},
      {"ingress", {.links = false, .egress = false, .ingress = true}},
      {"pair", {.links = false, .egress = false, .ingress = false, .pair = true}},
      {"egress and ingress", {.links = false}},
      {"links and egress", {.ingress = false}},
      {"ingress and pair", {.links = false, .egress = false, .pair = true}},
      {"all", {.pair = true}}};
  GoldenCases cases;
  for (const auto& [name, channels] : sets) {
    cases.push_back(Mixed(name, With(Star(), channels)));
  }
  return cases;
}

GoldenCases LinkCases() {
  GoldenCases cases;
  for (const auto& [word, sharing] :
       {std::pair("serial", Sharing::kSerial), std::pair("fair", Sharing::kFair)}) {
    const std::string suffix = std::string(", ") + word;
    cases.push_back(Mixed("mesh" + suffix, With(Mesh(), sharing)));
    cases.push_back(Mixed("half-duplex mesh" + suffix, With(HalfDuplexMesh(3, 0), sharing)));
    cases.push_back(Mixed("bus" + suffix, With(BusMachine(3, 1), sharing)));
    cases.push_back(Mixed("two switches, full-duplex trunk" + suffix,
                          With(TwoSwitchMachine(Duplex::kFull), sharing),
                          OnFourDevices()));
    cases.push_back(Mixed("two switches, half-duplex trunk" + suffix,
                          With(TwoSwitchMachine(Duplex::kHalf), sharing),
                          OnFourDevices()));
    cases.push_back(Mixed("explicit routes" + suffix, With(WithExplicitRoute(Mesh()), sharing)));
    cases.push_back(Layered("no ties, mesh" + suffix, With(Mesh(), sharing)));
    cases.push_back(
        Layered("no ties, two switches" + suffix, With(TwoSwitchMachine(Duplex::kHalf), sharing)));
  }
  cases.push_back(Mixed("a route is missing", WithoutARoute()));
  cases.push_back(Mixed("a route is missing, unused",
                        WithoutARoute(),
                        PlacedOn({1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1})));
  return cases;
}

}  // namespace opyard::testing
