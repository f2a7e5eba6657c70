#include "experiments/cli/graph/workloads.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "agents/base/search_run.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/text/number_format.h"
#include "graphs/graph_sources.h"
#include "graphs/zoo/model_size.h"
#include "sim/base/error.h"
#include "sim/engine/run/workspace.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
namespace {

struct GraphWorkloadsOptions {};

// Prints docs/workloads.md: the 14 workloads of GO's Table 2 and the zoo's other models, with their
// sizes beside the published ones, the step on one P100 and what METIS does on four. Takes ten
// seconds or so.
[[nodiscard]] int PrintWorkloads(const GraphWorkloadsOptions& options, const Console& console);

}  // namespace

void AddGraphWorkloadsArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "workloads",
                     .summary = "print docs/workloads.md: the published workloads",
                     .examples = "  opyard graph workloads > docs/workloads.md"});
  const auto options = std::make_shared<GraphWorkloadsOptions>();
  Choose(subcommand, command, options, &PrintWorkloads);
}

namespace {

// A model and what its papers say of it; "" where they say nothing.
struct Workload {
  std::string_view reference;
  std::string_view published_ops;
  std::string_view published_weights;
  std::string_view published_gmac;  // forward, per example
};

// GO, Table 2, in its order.
constexpr std::array<Workload, 14> kWorkloads = {{
    {"zoo:rnnlm?layers=2", "9,021"},
    {"zoo:rnnlm?layers=4"},
    {"zoo:rnnlm?layers=8"},
    {"zoo:gnmt?layers=2", "28,044"},
    {"zoo:gnmt?layers=4", "46,600"},
    {"zoo:gnmt?layers=8", "83,712", "278 M", "13.7"},
    {"zoo:transformer_xl?layers=2"},
    {"zoo:transformer_xl?layers=4"},
    {"zoo:transformer_xl?layers=8"},
    {"zoo:inception_v3?batch=32", "24,713", "27.2 M", "5.71"},
    {"zoo:inception_v3?batch=64", "24,713", "27.2 M", "5.71"},
    {"zoo:amoebanet", "", "82 M"},
    {"zoo:wavenet?stacks=2&layers=18"},
    {"zoo:wavenet?stacks=4&layers=36"},
}};

constexpr std::array<Workload, 6> kOtherModels = {{
    {"zoo:bert", "", "110 M", "11.25"},
    {"zoo:gpt", "", "125 M"},
    {"zoo:moe"},
    {"zoo:resnet50", "", "25.5 M", "4.1"},
    {"zoo:unet"},
    {"zoo:vgg16", "", "138 M", "15.3"},
}};

constexpr const char* kMachine = "p100x4-pcie";

constexpr const char* kHead =
    R"(# Workloads

Made by `opyard graph workloads > docs/workloads.md`; a test compares the counts with the generators.

The models of the zoo: one training step, forward, backward and update (graphs/zoo/README.md says which ops and with which
deviations). What is published stands behind what is ours, – where nothing is; [sources](#sources).

- **weights**: trainable parameters. **GMAC**: thousand millions of multiply-adds in the products and convolutions of the forward
  pass, for one example of the batch: an image, a sequence, a pair of sentences.
- **resident**: bytes of weights, optimiser state and statistics. **GFLOP**: all operations of the step.
- **One P100**: all ops on `gpu0` of `p100x4-pcie`, in program order (first come, first served), without fusion, with unlimited
  memory for the peak and 16 GiB for whether it fits.
- **METIS, four P100**: the published single shot of the memory-blind agent `metis` (first try, seed 0) on `p100x4-pcie`,
  placement only, with the defaults of an experiment: at most 512 groups, first come, first served, fused as frameworks do.

## The 14 workloads of GO

Table 2 of GO (Zhou et al., NeurIPS 2020).

)";

constexpr const char* kColumns =
    R"(| workload | batch | ops | published | edges | weights | published | GMAC | published | resident | GFLOP | one P100: step | peak memory | fits 16 GiB | METIS, four P100 |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---|
)";

constexpr const char* kSources = R"(
## Sources

Sizes that no paper prints follow from the architecture: `tests/graphs/zoo/*_architectures_test.cc` derive weights and multiply-adds
of each model.

- Ops: HDP (Mirhoseini et al., ICLR 2018), for the same models, with updates.
- `gnmt`, 8 layers: Shazeer et al., ICLR 2017 (arXiv:1701.06538), table 2: 278 M and 214 M multiply-adds per time step, here times
  64 steps.
- `inception_v3`: torchvision's documentation, table of classification weights: 27.2 M with the auxiliary head, 5.71 GMAC without. The
  paper (Szegedy et al., CVPR 2016, abstract) says less than 25 M, without that head, and 5 thousand million.
- `amoebanet`: GPipe (Huang et al., NeurIPS 2019), table 1, AmoebaNet-D (18, 208).
- `bert`: Devlin et al., NAACL 2019, §3: 110 M. TinyBERT (Jiao et al., EMNLP 2020), table 1: 22.5 GFLOP for 128 words, halved here, and
  without the heads of the pre-training, which are 0.48 GMAC of ours.
- `gpt`: Brown et al., NeurIPS 2020, table 2.1, for 2,048 positions: 0.8 M more than the 1,024 here.
- `resnet50`: Xie et al., CVPR 2017 (arXiv:1611.05431), table 1.
- `vgg16`: Simonyan & Zisserman, ICLR 2015, table 2: 138 M. He et al., CVPR 2016, §4.1: 15.3 thousand million.
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
                              .settings = {.default_fusion = env::DefaultFusion::kNone,
                                           .decide_per = env::DecidePer::kOp}});
  sim::Workspace workspace;
  return env::EvaluateUncounted(problem, {.placement = problem.default_placement()}, workspace)
      .result;
}

// "1,234,567"
std::string Grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) {
    text.insert(i - 3, ",");
  }
  return text;
}

// The result of METIS; nothing if it was interrupted before.
std::optional<sim::SimResult> OfMetis(const std::shared_ptr<const env::Problem>& problem,
                                      const Console& console) {
  const agents::SearchResult answer = agents::RunSearch({.problem = problem,
                                                         .agent = "metis",
                                                         .budget = {.evaluations = 1},
                                                         .interrupt = &console.interrupt},
                                                        console.agents);
  return answer.best.has_value() ? std::optional(answer.best->evaluation.result) : std::nullopt;
}

std::string StepTime(SimTime makespan) {
  return TimeText(makespan, TimeUnit::kMilliseconds);
}

std::string StepText(const sim::SimResult& result) {
  return result.outcome == sim::Outcome::kCompleted ? StepTime(result.makespan)
                                                    : "**out of memory**";
}

// One line of the page.
struct Row {
  std::string text;
  bool metis_fails = false;
  bool was_interrupted = false;
};

// The published text; a dash if nothing is published.
std::string Published(std::string_view text) {
  return text.empty() ? "–" : std::string(text);
}

// The leading extent of the graph's first input.
std::int64_t BatchOf(const sim::OpGraph& graph) {
  const auto input = std::ranges::find(graph.ops(), "Placeholder", &sim::Op::type);
  const OpId op(static_cast<std::size_t>(input - graph.ops().begin()));
  return graph.shape(graph.output(op, 0)).front();
}

std::vector<std::string> SizeCells(const Workload& workload, const sim::OpGraph& graph) {
  Bytes resident;
  double flops = 0.0;
  for (const sim::Op& op : graph.ops()) {
    resident += op.param_bytes;
    flops += op.flops.count;
  }
  const std::int64_t batch = BatchOf(graph);
  const double macs = graphs::HeavyFlops(graph, sim::Phase::kForward).count / 2.0;
  return {"`" + std::string(workload.reference) + "`",
          std::to_string(batch),
          Grouped(static_cast<std::int64_t>(graph.num_ops())),
          Published(workload.published_ops),
          Grouped(static_cast<std::int64_t>(graph.num_data_edges() + graph.num_control_edges())),
          Grouped(graphs::NumParameters(graph)),
          Published(workload.published_weights),
          Fixed(macs / 1e9 / static_cast<double>(batch), 2),
          Published(workload.published_gmac),
          BytesText(resident),
          Fixed(flops / 1e9, 0)};
}

Row RowOf(const Workload& workload,
          const std::shared_ptr<const sim::HardwareProfile>& machine,
          const Console& console) {
  const auto graph = graphs::LoadGraph(std::string(workload.reference));
  const sim::SimResult alone = OnOneDevice(graph, *machine);
  const auto problem =
      std::make_shared<const env::Problem>(env::ProblemSpec{.graph = graph, .hardware = machine});
  const std::optional<sim::SimResult> metis = OfMetis(problem, console);
  if (!metis.has_value()) {
    return {.was_interrupted = true};
  }
  const bool fits = alone.peak_memory <= machine->capacity(problem->first_accelerator());
  std::vector<std::string> cells = SizeCells(workload, *graph);
  cells.insert(cells.end(),
               {StepTime(alone.makespan),
                BytesText(alone.peak_memory),
                fits ? "yes" : "**no**",
                StepText(*metis)});
  Row row{.text = "|", .metis_fails = metis->outcome != sim::Outcome::kCompleted};
  for (const std::string& cell : cells) {
    row.text += " " + cell + " |";
  }
  return row;
}

// The workloads where METIS runs out of memory; nothing if it was interrupted before the end.
std::optional<std::vector<std::string>> PrintTable(
    std::span<const Workload> workloads,
    const std::shared_ptr<const sim::HardwareProfile>& machine,
    const Console& console) {
  console.out << kColumns;
  std::vector<std::string> failures;
  for (const Workload& workload : workloads) {
    const Row row = RowOf(workload, machine, console);
    if (row.was_interrupted) {
      return std::nullopt;
    }
    console.out << row.text << std::endl;  // a line at a time: the next takes a while
    if (row.metis_fails) {
      failures.push_back("`" + std::string(workload.reference) + "`");
    }
  }
  return failures;
}

int PrintWorkloads(const GraphWorkloadsOptions& /*options*/, const Console& console) {
  const auto machine = sim::LoadMachine(kMachine);
  console.out << kHead;
  const auto failures = PrintTable(kWorkloads, machine, console);
  if (!failures.has_value()) {
    return kInterrupted;
  }
  console.out << "\nMETIS runs out of memory on " << failures->size() << " of the "
              << kWorkloads.size() << " workloads"
              << (failures->empty() ? "" : ": " + JoinNames(*failures)) << ".\n"
              << "\n## The other models\n\n";
  if (!PrintTable(kOtherModels, machine, console).has_value()) {
    return kInterrupted;
  }
  console.out << kSources;
  return kSuccess;
}

}  // namespace
}  // namespace opyard::experiments
