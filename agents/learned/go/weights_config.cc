#include "agents/learned/go/weights_config.h"

#include "agents/learned/common/weights.h"
#include "env/observation.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

constexpr const char* kPriorityHead = "priority_head";
constexpr const char* kRowSkip = "row_skip";
constexpr const char* kGumbel = "gumbel";
constexpr const char* kAutoregressiveRows = "autoregressive_rows";

}  // namespace

std::map<std::string, std::string> ConfigOf(const GoSizes& sizes) {
  std::map<std::string, std::string> config = {
      {"type_embedding", std::to_string(sizes.type_embedding)},
      {"hidden", std::to_string(sizes.hidden)},
      {"graph_layers", std::to_string(sizes.graph_layers)},
      {"row_layers", std::to_string(sizes.row_layers)},
      {"attention_layers", std::to_string(sizes.attention_layers)},
      {"heads", std::to_string(sizes.heads)},
      {"feed_forward", std::to_string(sizes.feed_forward)},
      {"segment", std::to_string(sizes.segment)},
      {"attention", sizes.attention ? "1" : "0"},
      {"modulation", std::to_string(static_cast<int>(sizes.modulation))},
      {"refinement", std::to_string(sizes.refinement)},
      {"levels", std::to_string(sizes.levels)},
      {"ranked", sizes.ranked ? "1" : "0"}};
  if (sizes.priority_head == GoPriorityHead::kGumbel) {
    config[kPriorityHead] = kGumbel;  // networks of before this choice say nothing
  }
  if (!sizes.row_skip) {
    config[kRowSkip] = "0";
  }
  if (sizes.autoregressive_rows > 0) {
    config[kAutoregressiveRows] = std::to_string(sizes.autoregressive_rows);
  }
  return config;
}

GoSizes GoSizesOf(const Checkpoint& weights, const std::filesystem::path& path) {
  RequireAgent(weights, kGoAgent, env::kFeatureVersion, path);
  const auto count = [&](const std::string& name) { return SizeOf(weights, name, path); };
  GoSizes sizes{.type_embedding = count("type_embedding"),
                .hidden = count("hidden"),
                .graph_layers = count("graph_layers"),
                .row_layers = count("row_layers"),
                .attention_layers = count("attention_layers"),
                .heads = count("heads"),
                .feed_forward = count("feed_forward"),
                .segment = count("segment"),
                .attention = count("attention") != 0,
                .modulation = static_cast<GoModulation>(count("modulation")),
                .row_skip = !weights.config.contains(kRowSkip),
                .refinement = count("refinement"),
                .autoregressive_rows =
                    weights.config.contains(kAutoregressiveRows) ? count(kAutoregressiveRows) : 0,
                .priority_head = weights.config.contains(kPriorityHead) ? GoPriorityHead::kGumbel
                                                                        : GoPriorityHead::kLevels,
                .levels = count("levels"),
                .ranked = count("ranked") != 0};
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
