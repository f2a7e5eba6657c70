#include "experiments/runner/verbs/graph_workloads.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/evaluator.h"
#include "env/problem.h"
#include "experiments/runner/runs/search.h"
#include "experiments/text/figures.h"
#include "graphs/graph_source.h"
#include "sim/base/error.h"
#include "sim/engine/workspace.h"
#include "sim/io/profile_yaml.h"

namespace opyard::experiments {
namespace {

struct Workload {
  std::string_view reference;
  std::string_view published_ops;  // with its source's mark, or ""
};

// GO, Table 2, in its order. Published counts: HDP (Mirhoseini et al., ICLR 2018).
constexpr std::array<Workload, 14> kWorkloads = {{
    {"zoo:rnnlm?layers=2", "9,021"},
    {"zoo:rnnlm?layers=4", ""},
    {"zoo:rnnlm?layers=8", ""},
    {"zoo:gnmt?layers=2", "28,044"},
    {"zoo:gnmt?layers=4", "46,600"},
    {"zoo:gnmt?layers=8", "83,712"},
    {"zoo:transformer_xl?layers=2", ""},
    {"zoo:transformer_xl?layers=4", ""},
    {"zoo:transformer_xl?layers=8", ""},
    {"zoo:inception_v3?batch=32", "24,713"},
    {"zoo:inception_v3?batch=64", "24,713"},
    {"zoo:amoebanet", ""},
    {"zoo:wavenet?stacks=2&layers=18", ""},
    {"zoo:wavenet?stacks=4&layers=36", ""},
}};

constexpr const char* kMachine = "p100x4-pcie";

constexpr const char* kHead =
    R"(# Workloads

Made by `opyard graph workloads > docs/workloads.md`; a test compares the counts with the generators.

The 14 workloads of GO's Table 2 (Zhou et al., NeurIPS 2020), as the zoo generates them: one training step, forward,
backward and update (graphs/zoo/README.md says which ops and with which deviations). Published op counts are those of HDP
(Mirhoseini et al., ICLR 2018) for the same models, with updates. Parameters are resident bytes, optimiser state included.

- **One P100**: all ops on `gpu0` of `p100x4-pcie`, in program order (first come, first served), without fusion, with unlimited
  memory for the peak and 16 GiB for whether it fits.
- **METIS, four P100**: the published single shot of the memory-blind agent `metis` (first try, seed 0) on `p100x4-pcie`,
  placement only, with the defaults of an experiment: at most 512 groups, first come, first served, fused as frameworks do.

| workload | ops | published | edges | parameters | GFLOP | one P100: step | peak memory | fits 16 GiB | METIS, four P100 |
|---|---:|---:|---:|---:|---:|---:|---:|---|---|
)";

std::shared_ptr<const sim::HardwareProfile> WithoutMemoryLimit(
    const sim::HardwareProfile& machine) {
  auto unlimited = std::make_shared<sim::HardwareProfile>(machine);
  unlimited->memory.on_exceed = sim::OnExceed::kIgnore;
  return unlimited;
}

sim::SimResult OnOneDevice(const std::shared_ptr<const sim::OpGraph>& graph,
                           const sim::HardwareProfile& machine) {
  const env::Problem problem({.graph = graph,
                              .hardware = WithoutMemoryLimit(machine),
                              .default_fusion = env::DefaultFusion::kNone,
                              .decide_per = env::DecidePer::kOp});
  sim::Workspace workspace;
  return env::Judge(problem, {.placement = problem.default_placement()}, workspace).result;
}

// "1,234,567"
std::string Grouped(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) {
    text.insert(i - 3, ",");
  }
  return text;
}

// What METIS makes of it; nothing if it was interrupted before.
std::optional<sim::SimResult> OfMetis(const std::shared_ptr<const env::Problem>& problem,
                                      const Console& console) {
  const SearchAnswer answer = RunSearch({.problem = problem,
                                         .agent = {.label = "metis", .name = "metis"},
                                         .budget = {.evaluations = 1},
                                         .interrupt = &console.interrupt},
                                        console.agents);
  return answer.best.has_value() ? std::optional(answer.best->evaluation.result) : std::nullopt;
}

std::string StepText(const sim::SimResult& result) {
  return result.outcome == sim::Outcome::kCompleted ? Milliseconds(result.makespan)
                                                    : "**out of memory**";
}

// One line of the page.
struct Row {
  std::string text;
  bool metis_fails = false;
  bool was_interrupted = false;
};

Row RowOf(const Workload& workload,
          const std::shared_ptr<const sim::HardwareProfile>& machine,
          const Console& console) {
  const auto graph = graphs::LoadGraph(std::string(workload.reference));
  Bytes parameters;
  double flops = 0.0;
  for (const sim::Op& op : graph->ops()) {
    parameters += op.param_bytes;
    flops += op.flops.count;
  }
  const sim::SimResult alone = OnOneDevice(graph, *machine);
  const auto problem =
      std::make_shared<const env::Problem>(env::ProblemSpec{.graph = graph, .hardware = machine});
  const std::optional<sim::SimResult> metis = OfMetis(problem, console);
  if (!metis.has_value()) {
    return {.was_interrupted = true};
  }
  const bool fits = alone.peak_memory <= machine->capacity(problem->first_accelerator());
  Row row{.text = "|", .metis_fails = metis->outcome != sim::Outcome::kCompleted};
  for (const std::string& cell : {
           "`" + std::string(workload.reference) + "`",
           Grouped(graph->num_ops()),
           workload.published_ops.empty() ? "–" : std::string(workload.published_ops),
           Grouped(graph->num_data_edges() + graph->num_control_edges()),
           BytesText(parameters),
           Fixed(flops / 1e9, 0),
           Milliseconds(alone.makespan),
           BytesText(alone.peak_memory),
           std::string(fits ? "yes" : "**no**"),
           StepText(*metis),
       }) {
    row.text += " " + cell + " |";
  }
  return row;
}

}  // namespace

int PrintWorkloads(const GraphWorkloadsOptions& /*options*/, const Console& console) {
  const auto machine = sim::LoadMachine(kMachine);
  console.out << kHead;
  std::vector<std::string> failures;
  for (const Workload& workload : kWorkloads) {
    const Row row = RowOf(workload, machine, console);
    if (row.was_interrupted) {
      return kInterrupted;
    }
    console.out << row.text << std::endl;  // a line at a time: the next takes a while
    if (row.metis_fails) {
      failures.push_back("`" + std::string(workload.reference) + "`");
    }
  }
  console.out << "\nMETIS runs out of memory on " << failures.size() << " of the "
              << kWorkloads.size() << " workloads"
              << (failures.empty() ? "" : ": " + JoinNames(failures)) << ".\n";
  return kSuccess;
}

}  // namespace opyard::experiments
