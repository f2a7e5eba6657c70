#include "agents/learned/go/weights_config.h"

#include <optional>
#include <string>

#include "agents/learned/common/size_table.h"
#include "env/observation.h"
#include "sim/base/error.h"

namespace opyard::agents::go {
namespace {

// Sizes that are younger than the first files of networks: each is an entry only where the network
// differs from those of that time.

SizeField<Sizes> RowSkipField() {
  return {.text = [](const Sizes& sizes) -> std::optional<std::string> {
            return sizes.row_skip ? std::nullopt : std::optional("0");
          },
          .read = [](const ConfigEntry& entry, Sizes& sizes) { sizes.row_skip = !entry.exists(); }};
}

SizeField<Sizes> AutoregressiveRowsField() {
  return {
      .text = [](const Sizes& sizes) -> std::optional<std::string> {
        return sizes.autoregressive_rows > 0
                   ? std::optional(std::to_string(sizes.autoregressive_rows))
                   : std::nullopt;
      },
      .read = [](const ConfigEntry& entry,
                 Sizes& sizes) { sizes.autoregressive_rows = entry.exists() ? entry.Size() : 0; }};
}

SizeField<Sizes> PriorityHeadField() {
  return {.text = [](const Sizes& sizes) -> std::optional<std::string> {
            return sizes.priority_head == PriorityHead::kGumbel ? std::optional("gumbel")
                                                                : std::nullopt;
          },
          .read =
              [](const ConfigEntry& entry, Sizes& sizes) {
                sizes.priority_head =
                    entry.exists() ? PriorityHead::kGumbel : PriorityHead::kLevels;
              }};
}

SizeTable<Sizes> TableOfSizes() {
  return SizeTable<Sizes>(
      {{.name = "type_embedding", .field = CountField(&Sizes::type_embedding)},
       {.name = "hidden", .field = CountField(&Sizes::hidden)},
       {.name = "graph_layers", .field = CountField(&Sizes::graph_layers)},
       {.name = "row_layers", .field = CountField(&Sizes::row_layers)},
       {.name = "attention_layers", .field = CountField(&Sizes::attention_layers)},
       {.name = "heads", .field = CountField(&Sizes::heads)},
       {.name = "feed_forward", .field = CountField(&Sizes::feed_forward)},
       {.name = "segment", .field = CountField(&Sizes::segment)},
       {.name = "attention", .field = FlagField(&Sizes::attention)},
       {.name = "modulation", .field = WordField(&Sizes::modulation)},
       {.name = "row_skip", .field = RowSkipField()},
       {.name = "refinement", .field = CountField(&Sizes::refinement)},
       {.name = "autoregressive_rows", .field = AutoregressiveRowsField()},
       {.name = "priority_head", .field = PriorityHeadField()},
       {.name = "levels", .field = CountField(&Sizes::levels)},
       {.name = "ranked", .field = FlagField(&Sizes::ranked)}});
}

}  // namespace

std::map<std::string, std::string> ConfigOf(const Sizes& sizes) {
  return TableOfSizes().Write(sizes);
}

Sizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path) {
  RequireAgent(weights, kAgent, env::kFeatureVersion, path);
  const Sizes sizes = TableOfSizes().Read(weights, path);
  if (sizes.modulation > Modulation::kLayer) {
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

}  // namespace opyard::agents::go
