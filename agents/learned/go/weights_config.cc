#include "agents/learned/go/weights_config.h"

#include <optional>
#include <string>

#include "agents/learned/common/size_table.h"
#include "env/observation.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

// What networks have had since their files were first written is an entry of its own only where it
// is not as it was then.

SizeField<GoSizes> RowSkipField() {
  return {
      .text = [](const GoSizes& sizes) -> std::optional<std::string> {
        return sizes.row_skip ? std::nullopt : std::optional("0");
      },
      .read = [](const ConfigEntry& entry, GoSizes& sizes) { sizes.row_skip = !entry.exists(); }};
}

SizeField<GoSizes> AutoregressiveRowsField() {
  return {.text = [](const GoSizes& sizes) -> std::optional<std::string> {
            return sizes.autoregressive_rows > 0
                       ? std::optional(std::to_string(sizes.autoregressive_rows))
                       : std::nullopt;
          },
          .read =
              [](const ConfigEntry& entry, GoSizes& sizes) {
                sizes.autoregressive_rows = entry.exists() ? entry.Size() : 0;
              }};
}

SizeField<GoSizes> PriorityHeadField() {
  return {.text = [](const GoSizes& sizes) -> std::optional<std::string> {
            return sizes.priority_head == GoPriorityHead::kGumbel ? std::optional("gumbel")
                                                                  : std::nullopt;
          },
          .read =
              [](const ConfigEntry& entry, GoSizes& sizes) {
                sizes.priority_head =
                    entry.exists() ? GoPriorityHead::kGumbel : GoPriorityHead::kLevels;
              }};
}

SizeTable<GoSizes> TableOfSizes() {
  return SizeTable<GoSizes>(
      {{.name = "type_embedding", .field = CountField(&GoSizes::type_embedding)},
       {.name = "hidden", .field = CountField(&GoSizes::hidden)},
       {.name = "graph_layers", .field = CountField(&GoSizes::graph_layers)},
       {.name = "row_layers", .field = CountField(&GoSizes::row_layers)},
       {.name = "attention_layers", .field = CountField(&GoSizes::attention_layers)},
       {.name = "heads", .field = CountField(&GoSizes::heads)},
       {.name = "feed_forward", .field = CountField(&GoSizes::feed_forward)},
       {.name = "segment", .field = CountField(&GoSizes::segment)},
       {.name = "attention", .field = FlagField(&GoSizes::attention)},
       {.name = "modulation", .field = WordField(&GoSizes::modulation)},
       {.name = "row_skip", .field = RowSkipField()},
       {.name = "refinement", .field = CountField(&GoSizes::refinement)},
       {.name = "autoregressive_rows", .field = AutoregressiveRowsField()},
       {.name = "priority_head", .field = PriorityHeadField()},
       {.name = "levels", .field = CountField(&GoSizes::levels)},
       {.name = "ranked", .field = FlagField(&GoSizes::ranked)}});
}

}  // namespace

std::map<std::string, std::string> ConfigOf(const GoSizes& sizes) {
  return TableOfSizes().Write(sizes);
}

GoSizes GoSizesOf(const Checkpoint& weights, const std::filesystem::path& path) {
  RequireAgent(weights, kGoAgent, env::kFeatureVersion, path);
  const GoSizes sizes = TableOfSizes().Read(weights, path);
  if (sizes.modulation > GoModulation::kLayer) {
    throw InputError(path.string() + ": modulation: found " + weights.config.at("modulation") +
                     ", expected 0, 1 or 2");
  }
  if (sizes.heads == 0 || sizes.hidden % sizes.heads != 0 || sizes.segment == 0) {
    throw InputError(path.string() + ": heads: found " + std::to_string(sizes.heads) +
                     " of a hidden width of " + std::to_string(sizes.hidden) +
                     ", expected a divisor");
  }
  return sizes;
}

}  // namespace opyard::agents
