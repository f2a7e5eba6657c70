#include "tests/sim/engine/golden_rule_cases.h"

#include <utility>

#include "sim/graph/op_graph_parts.h"
#include "sim/io/machine/machine_words.h"
#include "tests/sim/engine/golden_lines.h"
#include "tests/support/golden_graphs.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using sim::HardwareProfile;
using sim::OnePer;
using sim::OnExceed;
using sim::Plan;
using sim::Rules;
using sim::Sharing;

constexpr SimTime kOpGap{700'000};
constexpr SimTime kTransferGap{1'300'000};
constexpr SimTime kDispatch{900'000};

HardwareProfile WithReserve(HardwareProfile machine, double reserve) {
  machine.memory.reserve = reserve;
  return machine;
}

Plan WithTransferPriorities(Plan plan) {
  // x:0 to d2 before d1, and h's input f:1 before all.
  plan.transfer_priority = {{.tensor = TensorId(1), .destination = DeviceId(2), .priority = 5},
                            {.tensor = TensorId(1), .destination = DeviceId(1), .priority = -5},
                            {.tensor = TensorId(9), .destination = DeviceId(0), .priority = 9}};
  return plan;
}

GoldenCase Fused(std::string name,
                 HardwareProfile machine,
                 std::vector<std::int32_t> fusion_priority,
                 std::vector<std::int64_t> op_priority = {}) {
  Plan plan = PlacedOn({0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1});
  if (!op_priority.empty()) {
    plan = PlacedWithPriorities({0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1}, std::move(op_priority));
  }
  plan.fusion_priority = std::move(fusion_priority);
  return {.name = std::move(name),
          .graph = FusibleGraph(),
          .machine = WithLaunches(std::move(machine)),
          .plan = std::move(plan)};
}

// The case with a release for its ops: (7 · index mod number of ops) · `step`.
GoldenCase Released(GoldenCase made, SimTime step = Microseconds(1)) {
  const auto num_ops = static_cast<std::int64_t>(made.graph->num_ops());
  sim::OpGraphBuilder builder(made.graph->name());
  builder.SetMeasured(made.graph->measured());
  std::int64_t index = 0;
  for (sim::OpSpec& op : sim::SpecsOf(*made.graph)) {
    op.release = SimTime{7 * index++ % num_ops * step.picoseconds};
    builder.AddOp(std::move(op));
  }
  made.graph = builder.Build();
  return made;
}

HardwareProfile WithLimits(sim::FusionLimits limits) {
  HardwareProfile machine = MeshMachine(2, 1);
  machine.fusion = limits;
  return machine;
}

// As the machines placeto-N: 7600 bytes per us, rests of 5.7 and 25 us.
HardwareProfile PublishedPlaceto() {
  HardwareProfile machine = With(StarMachine(3), {.links = false, .ingress = false});
  for (sim::Link& link : machine.links) {
    link.bandwidth_bytes_per_s = 7.6e9;
  }
  machine =
      With(std::move(machine), {.gap_after_op = SimTime{5'700'000}, .trailing_gaps_count = true});
  machine = WithGapAfterTransfers(std::move(machine), Microseconds(25));
  return With(With(std::move(machine), OnePer::kOutput), Rules::kPlaceto);
}

}  // namespace

GoldenCases GapCases() {
  const HardwareProfile rests = With(Star(), {.gap_after_op = kOpGap, .trailing_gaps_count = true});
  return {
      Mixed("dispatch", With(Star(), {.dispatch = kDispatch})),
      Mixed("gap after op", With(Star(), {.gap_after_op = kOpGap})),
      Mixed("gap after op counts", rests),
      Mixed("gap after transfer", WithGapAfterTransfers(Star(), kTransferGap)),
      Mixed("both gaps",
            WithGapAfterTransfers(With(Star(), {.gap_after_op = kOpGap}), kTransferGap)),
      Mixed("both gaps count", WithGapAfterTransfers(rests, kTransferGap)),
      Mixed("gaps and dispatch",
            WithGapAfterTransfers(
                With(Star(),
                     {.dispatch = kDispatch, .gap_after_op = kOpGap, .trailing_gaps_count = true}),
                kTransferGap)),
      Mixed("both gaps count, one per output",
            With(WithGapAfterTransfers(rests, kTransferGap), OnePer::kOutput)),
      Mixed("both gaps count, one per edge",
            With(WithGapAfterTransfers(rests, kTransferGap), OnePer::kEdge)),
      Mixed("gap after op and dispatch, fair",
            With(With(Star(), {.dispatch = kDispatch, .gap_after_op = kOpGap}), Sharing::kFair)),
      Mixed("gap after op and dispatch, no sharing",
            With(With(Star(), {.dispatch = kDispatch, .gap_after_op = kOpGap}), Sharing::kNone)),
      Mixed("both gaps count, priorities",
            WithGapAfterTransfers(rests, kTransferGap),
            PrioritisedPlan()),
  };
}

// MixedPlan needs 16,000 bytes on d0, and parameters of 4,000 on d1.
GoldenCases MemoryCases() {
  GoldenCases cases;
  for (const auto& [on_exceed, sizes] : std::vector<std::pair<OnExceed, std::vector<std::int64_t>>>{
           {OnExceed::kFail, {16'000, 15'000, 9'000, 3'000}},
           {OnExceed::kWait, {15'000, 12'000, 9'000, 3'000}},
           {OnExceed::kIgnore, {9'000}}}) {
    for (const std::int64_t bytes : sizes) {
      cases.push_back(
          Mixed(Word(sim::kOnExceedWords, on_exceed) + ", " + std::to_string(bytes) + " bytes",
                WithMemory(Star(), on_exceed, bytes)));
    }
  }
  const HardwareProfile waits = WithMemory(Star(), OnExceed::kWait, 15'000);
  cases.push_back(Mixed("fail, a quarter in reserve",
                        WithReserve(WithMemory(Star(), OnExceed::kFail, 20'000), 0.25)));
  cases.push_back(Mixed("wait, a quarter in reserve",
                        WithReserve(WithMemory(Star(), OnExceed::kWait, 20'000), 0.25)));
  cases.push_back(Mixed("wait, fair", With(waits, Sharing::kFair)));
  cases.push_back(Mixed("wait, one per output", With(waits, OnePer::kOutput)));
  cases.push_back(Mixed("wait, one per edge", With(waits, OnePer::kEdge)));
  cases.push_back(Mixed("wait, priorities", waits, PrioritisedPlan()));
  return cases;
}

GoldenCases QueueCases() {
  const Plan prioritised = PrioritisedPlan();
  Plan idle_priorities = prioritised;  // the queue ignores them
  idle_priorities.queue = sim::QueueDiscipline::kFifo;
  Plan far = prioritised;
  far.op_priority[3] = sim::kLargestPriority;
  far.op_priority[2] = -sim::kLargestPriority;
  Plan equal = MixedPlan();
  equal.queue = sim::QueueDiscipline::kPriority;
  return {Mixed("priority", Star(), prioritised),
          Mixed("priority, none given", Star(), equal),
          Mixed("priority, far apart", Star(), far),
          Mixed("fifo with priorities", Star(), idle_priorities),
          Mixed("priority, fair", With(Star(), Sharing::kFair), prioritised),
          Mixed("priority, one per output", With(Star(), OnePer::kOutput), prioritised),
          Mixed("transfer priorities, fifo", Star(), WithTransferPriorities(MixedPlan())),
          Mixed("transfer priorities, priority", Star(), WithTransferPriorities(prioritised)),
          Mixed("transfer priorities, one per output",
                With(Star(), OnePer::kOutput),
                WithTransferPriorities(prioritised)),
          Mixed("transfer priorities, one per edge",
                With(Star(), OnePer::kEdge),
                WithTransferPriorities(prioritised)),
          Mixed("all on one device", Star(), sim::SingleDevicePlan(12, DeviceId(1)))};
}

GoldenCases FusionCases() {
  const HardwareProfile mesh = MeshMachine(2, 1);
  const std::vector<std::int32_t> framework(14, 1);
  const std::vector<std::int32_t> levels = {1, 2, 3, 0, 5, 4, 3, 3, 1, 2, 7, 1, 2, 2};
  const std::vector<std::int64_t> order = {0, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9};
  return {Fused("none", mesh, {}),
          Fused("all decline", mesh, std::vector<std::int32_t>(14, 0)),
          Fused("framework", mesh, framework),
          Fused("levels", mesh, levels),
          Fused("levels, priorities", mesh, levels, order),
          Fused("max_ops 2", WithLimits({.max_ops = 2}), framework),
          Fused("max_depth_span 1", WithLimits({.max_depth_span = 1}), framework),
          Fused("framework, fair", With(mesh, Sharing::kFair), framework),
          Fused("framework, one per output", With(mesh, OnePer::kOutput), framework),
          Fused("framework, one per edge", With(mesh, OnePer::kEdge), framework),
          Fused("framework, gaps and dispatch",
                With(mesh, {.dispatch = kDispatch, .gap_after_op = kOpGap}),
                framework),
          Fused("framework, wait", WithMemory(mesh, OnExceed::kWait, 3'000), framework),
          Fused("framework, fail", WithMemory(mesh, OnExceed::kFail, 3'000), framework),
          Fused("framework, rules placeto", With(mesh, Rules::kPlaceto), framework),
          Fused("framework, rules regal", With(mesh, Rules::kRegal), framework)};
}

GoldenCases ReleaseCases() {
  const HardwareProfile mesh = MeshMachine(2, 1);
  const std::vector<std::int32_t> framework(14, 1);
  const HardwareProfile rests = With(Star(), {.dispatch = kDispatch, .gap_after_op = kOpGap});
  return {
      Released(Mixed("releases", Star())),
      Released(Mixed("releases, priorities", Star(), PrioritisedPlan())),
      Released(Mixed("releases, dispatch", With(Star(), {.dispatch = kDispatch}))),
      Released(Mixed("releases, dispatch and gaps", WithGapAfterTransfers(rests, kTransferGap))),
      Released(Mixed("releases, fair", With(Star(), Sharing::kFair))),
      Released(Mixed("releases, one per output", With(Star(), OnePer::kOutput))),
      Released(Mixed("releases, one per edge", With(Star(), OnePer::kEdge))),
      Released(Mixed("releases, fail", WithMemory(Star(), OnExceed::kFail, 15'000))),
      Released(Mixed("releases, wait", WithMemory(Star(), OnExceed::kWait, 15'000))),
      Released(Mixed("releases, rules regal", With(Star(), Rules::kRegal))),
      Released(Fused("releases, framework", mesh, framework)),
      Released(Fused(
          "releases, framework and dispatch", With(mesh, {.dispatch = kDispatch}), framework)),
      Released(Layered("releases, no ties", StarMachine(4, 1), 12), SimTime{1'700'003})};
}

GoldenCases PublishedRuleCases() {
  const Plan prioritised = PrioritisedPlan();
  HardwareProfile unlinked = With(Star(), Rules::kRegal);
  unlinked.links.clear();
  return {Mixed("placeto as published", PublishedPlaceto()),
          Mixed("placeto as published, priorities", PublishedPlaceto(), prioritised),
          Mixed("placeto, out of memory", WithMemory(PublishedPlaceto(), OnExceed::kFail, 9'000)),
          Mixed("placeto, wait", WithMemory(PublishedPlaceto(), OnExceed::kWait, 12'000)),
          Mixed("placeto, dispatch", With(With(Star(), Rules::kPlaceto), {.dispatch = kDispatch})),
          Layered("placeto, no ties", PublishedPlaceto()),
          Mixed("regal without links", unlinked),
          Mixed("regal, priorities", With(Star(), Rules::kRegal), prioritised),
          Mixed("regal, fair", With(With(Star(), Rules::kRegal), Sharing::kFair)),
          Mixed("regal, one per output", With(With(Star(), Rules::kRegal), OnePer::kOutput)),
          Mixed("regal, one per edge", With(With(Star(), Rules::kRegal), OnePer::kEdge)),
          Mixed("regal, out of memory",
                WithMemory(With(Star(), Rules::kRegal), OnExceed::kFail, 9'000)),
          Mixed("regal, gaps and dispatch",
                WithGapAfterTransfers(With(With(Star(), Rules::kRegal),
                                           {.dispatch = kDispatch, .gap_after_op = kOpGap}),
                                      kTransferGap)),
          Layered("regal, no ties", With(Star(), Rules::kRegal))};
}

}  // namespace opyard::testing
