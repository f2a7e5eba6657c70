#include "experiments/machines/machine_layout.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/io/machine/profile_yaml.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool Overlap(const Placement2d& a, const Placement2d& b) {
  return std::abs(a.x - b.x) < (a.width + b.width) / 2 &&
         std::abs(a.y - b.y) < (a.height + b.height) / 2;
}

// Of device or switch `name`.
const Placement2d& PlaceOf(const MachineLayout& layout,
                           const sim::HardwareProfile& machine,
                           const std::string& name) {
  std::size_t node = 0;
  while (machine.node_name(static_cast<sim::NodeIndex>(node)) != name) {
    ++node;
  }
  return layout.nodes[node];
}

TEST(MachineLayoutTest, BoxesOfShippedMachinesDoNotOverlapAndStandWithinTheDrawing) {
  for (const sim::ShippedProfile& profile : sim::ListShippedProfiles()) {
    if (!profile.is_machine) {
      continue;
    }
    const auto machine = sim::ReadMachineFile(profile.path).machine;
    const MachineLayout layout = LayOut(*machine);
    for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
      const Placement2d& place = layout.nodes[i];
      EXPECT_GT(place.x - place.width / 2, 0.0) << profile.name;
      EXPECT_LT(place.x + place.width / 2, layout.width) << profile.name;
      EXPECT_GT(place.y - place.height / 2, 0.0) << profile.name;
      EXPECT_LT(place.y + place.height / 2, layout.height) << profile.name;
      for (std::size_t j = 0; j < i; ++j) {
        // but for routers, which stand on the corners of their devices
        const bool has_router = place.width <= 10.0 || layout.nodes[j].width <= 10.0;
        EXPECT_FALSE(!has_router && Overlap(place, layout.nodes[j]))
            << profile.name << ": " << layout.labels[i] << " and " << layout.labels[j];
      }
    }
  }
}

TEST(MachineLayoutTest, SwitchesStandBetweenGpusAndHosts) {
  const auto machine = sim::LoadMachine("v100x8-dgx1");
  const MachineLayout layout = LayOut(*machine);
  const auto y = [&](const char* name) { return PlaceOf(layout, *machine, name).y; };
  EXPECT_LT(y("cpu0"), y("root0"));
  EXPECT_LT(y("root0"), y("plx0"));
  EXPECT_LT(y("plx0"), y("gpu0"));
  EXPECT_EQ(y("gpu0"), y("gpu7"));
  EXPECT_THAT(layout.frames, IsEmpty());
}

TEST(MachineLayoutTest, AFabricOfAcceleratorsStandsBelowThem) {
  const auto machine = sim::LoadMachine("h100x8-hgx");
  const MachineLayout layout = LayOut(*machine);
  EXPECT_GT(PlaceOf(layout, *machine, "nvlink").y, PlaceOf(layout, *machine, "gpu0").y);
}

TEST(MachineLayoutTest, NodesHaveFramesWithWhatIsTheirsInside) {
  const auto machine = sim::LoadMachine("a100x16-ib");
  const MachineLayout layout = LayOut(*machine);
  ASSERT_EQ(layout.frames.size(), 2U);
  EXPECT_EQ(layout.frames[0].title, "node0");
  EXPECT_EQ(layout.frames[1].title, "node1");
  EXPECT_FALSE(Overlap(layout.frames[0].place, layout.frames[1].place));
  EXPECT_TRUE(Overlap(layout.frames[1].place, PlaceOf(layout, *machine, "node1.pcie0.1")));
  EXPECT_FALSE(Overlap(layout.frames[1].place, PlaceOf(layout, *machine, "node0.pcie0.1")));
  EXPECT_FALSE(Overlap(layout.frames[0].place, PlaceOf(layout, *machine, "ib")));
  EXPECT_EQ(layout.labels[0], "cpu0");  // not "node0.cpu0"
}

TEST(MachineLayoutTest, ManyNodesStandInSeveralRows) {
  std::string text = "schema_version: 1\nname: m\nlinks: []\nrules: regal\nnodes:\n";
  text += "  - {name: n, count: 9, devices: [{name: d, type: p100-pcie-16gb, count: 2}]}\n";
  const opyard::testing::TemporaryFolder folder;
  const auto machine = sim::ReadMachineFile(folder.Write("m.yaml", text)).machine;
  const MachineLayout layout = LayOut(*machine);
  ASSERT_EQ(layout.frames.size(), 9U);  // 3 rows of 3
  EXPECT_EQ(layout.frames[2].place.y, layout.frames[0].place.y);
  EXPECT_EQ(layout.frames[3].place.x, layout.frames[0].place.x);
  EXPECT_GT(layout.frames[3].place.y, layout.frames[0].place.y);
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(Overlap(layout.frames[i].place, layout.frames[j].place)) << i << " and " << j;
    }
    EXPECT_TRUE(Overlap(layout.frames[i].place, layout.nodes[2 * i])) << i;
  }
}

TEST(MachineLayoutTest, ATorusIsAGridOfItsShape) {
  const auto machine = sim::LoadMachine("tpu-v5e-4x8");
  const MachineLayout layout = LayOut(*machine);
  EXPECT_TRUE(layout.is_grid);
  EXPECT_EQ(layout.nodes[0].y, layout.nodes[7].y);
  EXPECT_LT(layout.nodes[7].y, layout.nodes[8].y);
  EXPECT_EQ(layout.nodes[0].x, layout.nodes[24].x);
}

TEST(MachineLayoutTest, ABusIsANodeOfItsOwn) {
  const auto machine = sim::LoadMachine("doppler-4");
  const MachineLayout layout = LayOut(*machine);
  EXPECT_THAT(layout.labels, ElementsAre("device0", "device1", "device2", "device3", "network"));
}

}  // namespace
}  // namespace opyard::experiments
