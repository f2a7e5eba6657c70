#include "experiments/runner/command_line/command_line_examples.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "experiments/runner/command_line/command_line_refusal.h"
#include "sim/base/check.h"

namespace opyard::experiments {
namespace {

struct Examples {
  std::string_view verb;
  std::string_view lines;
};

// Sorted by verb.
constexpr auto kExamples = std::to_array<Examples>({
    {"opyard",
     "  opyard graph info inception_v3\n"
     "  opyard place --graph inception_v3 --hardware p100x2-pcie --agent heft --out "
     "best.plan.json\n"
     "  opyard simulate --graph inception_v3 --hardware p100x2-pcie --plan best.plan.json "
     "--explain\n"
     "  opyard run quickstart --out results/mine\n"
     "  opyard place --help"},
    {"opyard agents", "  opyard agents list"},
    {"opyard agents list", "  opyard agents list --json"},
    {"opyard agents show", "  opyard agents show heft"},
    {"opyard bench", "  opyard bench sim --quick"},
    {"opyard bench sim", "  opyard bench sim --quick --json"},
    {"opyard completion",
     "  opyard completion bash > ~/.local/share/bash-completion/completions/opyard"},
    {"opyard doctor", "  opyard doctor --json"},
    {"opyard export", "  opyard export torch mine:step --out mine.graph.json"},
    {"opyard export jax",
     "  opyard export jax mine:step --out mine.hlo.txt.gz\n"
     "  opyard graph convert mine.hlo.txt.gz --out mine.graph.json"},
    {"opyard export tensorflow",
     "  opyard export tensorflow mine:step --out mine.pb.gz\n"
     "  opyard graph convert mine.pb.gz --out mine.graph.json"},
    {"opyard export torch",
     "  opyard export torch mine:step --out mine.graph.json --optimizer adam"},
    {"opyard graph", "  opyard graph info gnmt2"},
    {"opyard graph annotate",
     "  opyard graph annotate mine.graph.json --times trace.json --device gpu --out "
     "timed.graph.json"},
    {"opyard graph coarsen",
     "  opyard graph coarsen gnmt2 --max-groups 64 --out coarse.graph.json"},
    {"opyard graph convert",
     "  opyard graph convert step.pb --out step.graph.json\n"
     "  opyard graph convert gnmt2 --out gnmt2.graphml\n"
     "  opyard graph convert model.onnx --out model.graph.json   (Python package)"},
    {"opyard graph diff", "  opyard graph diff gnmt2 coarse.graph.json"},
    {"opyard graph info",
     "  opyard graph info inception_v3 --hardware p100x2-pcie\n"
     "  opyard graph info 'zoo:rnnlm?layers=2'"},
    {"opyard graph list", "  opyard graph list"},
    {"opyard graph sample",
     "  opyard graph sample 'random:regal?n=100' --hardware p100x2-pcie --count 10 --out hard"},
    {"opyard graph show", "  opyard graph show gnmt2 --dot > gnmt2.dot"},
    {"opyard graph workloads", "  opyard graph workloads > docs/workloads.md"},
    {"opyard place",
     "  opyard place --graph gnmt2 --hardware p100x2-pcie --agent brkga --evaluations 500 --out "
     "best.plan.json\n"
     "  opyard place --graph gnmt2 --hardware p100x2-pcie --agent random --objective "
     "weighted:1:0.1 --out small.plan.json"},
    {"opyard profile", "  opyard profile show p100x2-pcie"},
    {"opyard profile list", "  opyard profile list"},
    {"opyard profile show", "  opyard profile show p100x2-pcie --json"},
    {"opyard profile validate", "  opyard profile validate machines/mine.yaml"},
    {"opyard results", "  opyard results export results/mine --out results/mine/csv"},
    {"opyard results export", "  opyard results export results/mine --out results/mine/csv"},
    {"opyard run",
     "  opyard run quickstart --out results/mine --set budget.evaluations=100\n"
     "  opyard run quickstart --out results/mine --resume"},
    {"opyard simulate",
     "  opyard simulate --graph gnmt2 --hardware p100x2-pcie --plan best.plan.json --explain\n"
     "  opyard simulate --graph gnmt2 --hardware p100x2-pcie --plan best.plan.json --trace "
     "best.trace.json"},
    {"opyard validate", "  opyard validate results/mine"},
});

}  // namespace

void AddExamples(CLI::App& app) {
  const auto* const found = std::ranges::find(kExamples, FullName(app), &Examples::verb);
  OPYARD_CHECK(found != kExamples.end(), "every verb has examples");
  app.footer("Examples:\n" + std::string(found->lines));
  for (CLI::App* verb : app.get_subcommands({})) {
    AddExamples(*verb);
  }
}

}  // namespace opyard::experiments
