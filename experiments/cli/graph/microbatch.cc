#include "experiments/cli/graph/microbatch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/subcommand.h"
#include "experiments/cli/value_checks.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/console/out_file.h"
#include "experiments/graphs/import_text.h"
#include "graphs/microbatches/divide_batch.h"
#include "graphs/microbatches/repeat_microbatches.h"
#include "sim/io/graph/graph_json.h"

namespace opyard::experiments {
namespace {

struct GraphMicrobatchOptions {
  std::string graph;
  std::string out;  // a graph file
  std::int64_t microbatches = 1;
  std::optional<std::int64_t> batch;
  bool json = false;
};

// Writes the step of a graph over several micro-batches (graphs/microbatches).
[[nodiscard]] int MicrobatchGraph(const GraphMicrobatchOptions& options, const Console& console);

}  // namespace

void AddGraphMicrobatchArguments(CLI::App& group, Command& command) {
  constexpr std::int64_t kMostBatch = std::int64_t{1} << 40;
  CLI::App& subcommand = AddSubcommand(
      group,
      {.name = "microbatch",
       .summary = "a step over several micro-batches",
       .examples = "  opyard graph microbatch gnmt2 --microbatches 4 --out gnmt2-4.graph.json"});
  const auto options = std::make_shared<GraphMicrobatchOptions>();
  AddGraphArgument(subcommand, options->graph);
  subcommand.add_option("--microbatches", options->microbatches, "how many; they divide the batch")
      ->required()
      ->check(WholeNumber(1, graphs::kMostMicrobatches));
  subcommand
      .add_option("--batch",
                  options->batch,
                  "the graph's batch (default: the leading extent of most inputs)")
      ->check(WholeNumber(1, kMostBatch));
  subcommand.add_option("--out", options->out, "graph file to write")->required()->type_name("OUT");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &MicrobatchGraph);
}

namespace {

std::size_t NumSums(const sim::OpGraph& graph) {
  return static_cast<std::size_t>(std::ranges::count(graph.ops(), "Accumulate", &sim::Op::type));
}

int MicrobatchGraph(const GraphMicrobatchOptions& options, const Console& console) {
  const OutFile out(options.out, console);
  if (options.json) {
    out.RefuseJson("--out");
  }
  const auto whole = LoadGraph(options.graph, NoticesOn(console));
  const std::optional<std::int64_t> batch =
      options.batch.has_value() ? options.batch : graphs::FindBatch(*whole);
  const auto step =
      graphs::RepeatMicrobatches(graphs::DivideBatch(whole, options.microbatches, options.batch),
                                 options.microbatches,
                                 whole->name());
  out.Write(sim::WriteGraphText(*step));
  if (options.json) {
    const nlohmann::ordered_json json = {
        {"ops", whole->num_ops()},
        {"microbatches", options.microbatches},
        {"batch", batch.has_value() ? nlohmann::ordered_json(*batch) : nullptr},
        {"microbatch_ops", step->num_ops()},
        {"accumulate_ops", NumSums(*step)}};
    console.out << json.dump() << '\n';
    return kSuccess;
  }
  out.text() << whole->num_ops() << " ops of batch "
             << (batch.has_value() ? std::to_string(*batch) : "unknown") << " became "
             << step->num_ops() << " ops of " << options.microbatches << " micro-batches, "
             << NumSums(*step) << " of them to add gradients; graph in " << out.name() << '\n';
  return kSuccess;
}

}  // namespace
}  // namespace opyard::experiments
