#include "agents/planning/initial_plans/device_symmetry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "env/evaluator.h"
#include "env/group_placement.h"
#include "graphs/graph_sources.h"
#include "sim/base/rng.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using testing::MakeProblem;
using testing::UnevenOp;

// A training step of a chain of layers. The device 0 of the machines is their host, the cards of
// p100x4-pcie are 1 and 2 below one switch, 3 and 4 below another.
std::shared_ptr<const env::Problem> Vgg(const std::string& machine) {
  return MakeProblem(graphs::LoadGraph("zoo:vgg16?scale=tiny"), *sim::LoadMachine(machine));
}

// Each group on what `device_at` says of how much of the groups, in topological order, comes
// before.
env::GroupPlacement Placement(const env::Problem& problem,
                              const std::function<std::size_t(double)>& device_at) {
  const std::vector<std::size_t> order = GroupsInTopologicalOrder(problem);
  env::GroupPlacement placement(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    placement[order[place]] =
        DeviceId(device_at(static_cast<double>(place) / static_cast<double>(order.size())));
  }
  return placement;
}

TEST(DeviceSymmetryTest, EqualCardsAreNamedInTheOrderOfTheirWork) {
  const auto problem = Vgg("p100x2-pcie");
  const DeviceSymmetry symmetry(*problem);
  const auto halves = [&](std::size_t first, std::size_t second) {
    return Placement(*problem, [=](double place) { return place < 0.5 ? first : second; });
  };
  EXPECT_EQ(symmetry.Canonical(halves(2, 1)), halves(1, 2));
  EXPECT_EQ(symmetry.Canonical(halves(1, 2)), halves(1, 2));
  EXPECT_EQ(symmetry.Canonical(halves(2, 2)), halves(1, 1));
  EXPECT_EQ(symmetry.Canonical(halves(0, 2)), halves(0, 1));
}

TEST(DeviceSymmetryTest, ByFirstUseCardsAreNamedInTheOrderThatIsGiven) {
  const auto problem = Vgg("p100x2-pcie");
  const DeviceSymmetry symmetry(*problem);
  const auto halves = [&](std::size_t first, std::size_t second) {
    return Placement(*problem, [=](double place) { return place < 0.5 ? first : second; });
  };
  std::vector<std::size_t> order = symmetry.group_order();
  EXPECT_EQ(symmetry.CanonicalByFirstUse(halves(2, 1), order), halves(1, 2));
  std::ranges::reverse(order);
  EXPECT_EQ(symmetry.CanonicalByFirstUse(halves(2, 1), order), halves(2, 1));
  EXPECT_EQ(symmetry.CanonicalByFirstUse(halves(1, 2), order), halves(2, 1));
  EXPECT_EQ(symmetry.CanonicalByFirstUse(halves(0, 2), order), halves(0, 1));
}

// There are four quarters. The second one is below the switch of the first: it stays there,
// whatever comes third; else the other switch's cards are named in the order of their work.
TEST(DeviceSymmetryTest, CardsBelowOneSwitchStayTogether) {
  const auto problem = Vgg("p100x4-pcie");
  const DeviceSymmetry symmetry(*problem);
  const auto quarters = [&](const std::vector<std::size_t>& devices) {
    return Placement(*problem,
                     [&](double place) { return devices[static_cast<std::size_t>(place * 4.0)]; });
  };
  EXPECT_EQ(symmetry.Canonical(quarters({4, 3, 2, 1})), quarters({1, 2, 3, 4}));
  EXPECT_EQ(symmetry.Canonical(quarters({4, 2, 3, 1})), quarters({1, 3, 2, 4}));
  EXPECT_EQ(symmetry.Canonical(quarters({2, 4, 4, 2})), quarters({1, 3, 3, 1}));
}

// The op that takes twice as long on d1 than on d0 and d2 makes all three different, since measured
// times are of one device each.
TEST(DeviceSymmetryTest, DevicesWithTimesOfTheirOwnKeepTheirNames) {
  const auto problem = MakeProblem(
      opyard::testing::MakeGraph({UnevenOp("a", {4, 8, 4}), UnevenOp("b", {4, 8, 4}, {{0, 0}})}),
      opyard::testing::MeshMachine(3));
  const env::GroupPlacement placement = {DeviceId(1), DeviceId(2)};
  EXPECT_EQ(DeviceSymmetry(*problem).Canonical(placement), placement);
}

// One early op on a card whose other work comes last does not make it the first: it begins where it
// has a tenth of its time.
TEST(DeviceSymmetryTest, AStrayOpDoesNotRenameAll) {
  const auto problem = Vgg("p100x2-pcie");
  const DeviceSymmetry symmetry(*problem);
  const auto with_first_on = [&](std::size_t first) {
    bool is_first = true;
    return Placement(*problem, [=, &is_first](double place) mutable {
      const std::size_t device = is_first ? first : place < 0.5 ? 2U : 1U;
      is_first = false;
      return device;
    });
  };
  const env::GroupPlacement clean = symmetry.Canonical(with_first_on(2));
  const env::GroupPlacement stray = symmetry.Canonical(with_first_on(1));
  std::size_t num_different = 0;
  for (std::size_t group = 0; group < clean.size(); ++group) {
    num_different += clean[group] != stray[group] ? 1 : 0;
  }
  EXPECT_EQ(num_different, 1U);
}

// By how much the canonical form of random plans on cards takes longer or less, as shares of the
// plan's time. At least half of the plans are renamed.
std::vector<double> Differences(const std::shared_ptr<const env::Problem>& problem,
                                std::size_t num_plans) {
  const DeviceSymmetry symmetry(*problem);
  env::Evaluator evaluator(problem, {});
  const std::vector<DeviceId> cards = MainDevices(*problem);
  Rng rng(7);
  std::vector<double> differences;
  std::size_t num_renamed = 0;
  for (std::size_t i = 0; i < num_plans; ++i) {
    Decisions decisions;
    for (std::size_t group = 0; group < NumGroups(*problem); ++group) {
      decisions.device_of_group.push_back(cards[rng.Below(cards.size())]);
    }
    const double before = evaluator.Evaluate(ToPlan(*problem, decisions))->score;
    const env::GroupPlacement canonical = symmetry.Canonical(decisions.device_of_group);
    num_renamed += canonical != decisions.device_of_group ? 1 : 0;
    EXPECT_EQ(symmetry.Canonical(canonical), canonical);
    decisions.device_of_group = canonical;
    differences.push_back(evaluator.Evaluate(ToPlan(*problem, decisions))->score / before - 1.0);
  }
  EXPECT_GE(2 * num_renamed, num_plans);
  return differences;
}

// Between two cards a tensor has one destination, so that there are no ties for numbers to break.
TEST(DeviceSymmetryTest, TheCanonicalPlanTakesAsLong) {
  for (const double difference : Differences(Vgg("p100x2-pcie"), 30)) {
    EXPECT_LT(std::abs(difference), 1e-9);
  }
}

// Where one tensor is sent to several devices at once the simulator takes them by number, which
// renaming changes: a random plan, where all wait for all, may take an eighth more or less for
// that. On the mean over 40 plans renaming neither helps nor hurts, on a tree of switches and on a
// machine with links of its own.
TEST(DeviceSymmetryTest, TiesAloneDistinguishPlansThatAreAlike) {
  for (const char* machine : {"p100x8-pcie", "v100x8-dgx1"}) {
    double sum = 0.0;
    for (const double difference : Differences(Vgg(machine), 40)) {
      EXPECT_LT(std::abs(difference), 0.2) << machine;
      sum += difference;
    }
    EXPECT_LT(std::abs(sum / 40.0), 0.02) << machine;
  }
}

}  // namespace
}  // namespace opyard::agents
