#include "graphs/importers/hlo/hlo_text.h"

#include <charconv>

#include "graphs/importers/hlo/hlo_expansion.h"
#include "graphs/importers/hlo/hlo_module.h"
#include "graphs/importers/hlo/hlo_relatives.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/text/text_file.h"

namespace opyard::graphs {
namespace {

constexpr std::int64_t kMostTrips = 256;
constexpr std::int64_t kLargestDimension = std::int64_t{1} << 31;

// The extent of each ?: "8" or "?=8".
std::optional<std::int64_t> UnknownExtent(Options& options) {
  const auto given = options.values().find("dim");
  if (given == options.values().end() || std::holds_alternative<std::int64_t>(given->second)) {
    const std::int64_t extent = options.Int("dim", -1, -1, kLargestDimension);
    if (given != options.values().end() && extent < 1) {
      throw InputError("option dim: found " + std::to_string(extent) + ", expected 1 or more");
    }
    return extent < 1 ? std::nullopt : std::optional(extent);
  }
  const std::string text = options.Text("dim", "");
  const std::string_view number = std::string_view(text).substr(text.starts_with("?=") ? 2 : 0);
  std::int64_t extent = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), extent);
  if (error != std::errc() || end != number.data() + number.size() || extent < 1 ||
      extent > kLargestDimension) {
    throw InputError("option dim: found " + Quoted(text) +
                     ", expected ?=N or N with a whole N, 1 or more: HLO text does not name the "
                     "extents that it leaves open");
  }
  return extent;
}

}  // namespace

bool HloTextImporter::Recognises(const ImportFile& file, std::string_view path) const {
  return BeginsAsHloText(file.bytes) || FindRelativeOfHlo(file, path).has_value();
}

ImportedGraph HloTextImporter::Import(const ImportFile& file, Options& options) const {
  if (const auto relative = FindRelativeOfHlo(file, file.place);
      relative.has_value() && !BeginsAsHloText(file.bytes)) {
    throw InputError(file.place + ": " + *relative);
  }
  sim::EnsureUtf8(file.bytes, file.place);
  const std::optional<std::int64_t> extent = UnknownExtent(options);
  const std::int64_t most_trips = options.Int("unroll", kMostTrips, 0, kMostImportedNodes);
  ImportedGraph imported;
  const HloModule module = ReadHloModule(file, extent, imported.summary);
  if (extent.has_value() && !module.has_unknown_extents) {
    throw InputError(file.place + ": found the option dim, but no extent that is left open (?)");
  }
  imported.summary.nodes_read = module.computations[module.entry].instructions.size();
  sim::OpGraphBuilder builder(file.stem, "XLA HLO text, ENTRY and what it calls");
  for (sim::OpSpec& op : HloExpansion(file.place, module, most_trips, imported.summary).Run()) {
    builder.AddOp(std::move(op));
  }
  imported.graph = builder.Build(file.place + ": imported graph");
  return imported;
}

}  // namespace opyard::graphs
