#include "experiments/store/shard.h"

#include <charconv>
#include <map>
#include <string_view>

#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

// 0 for what is no whole number.
std::int64_t NumberOf(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace

Shard ReadShard(const std::string& text, const std::string& place) {
  const std::size_t slash = text.find('/');
  Shard shard{.index = 0, .count = 0};
  if (slash != std::string::npos) {
    shard.index = NumberOf(std::string_view(text).substr(0, slash));
    shard.count = NumberOf(std::string_view(text).substr(slash + 1));
  }
  if (shard.index < 1 || shard.index > shard.count || shard.count > kMostShards) {
    throw InputError(place + ": found " + Quoted(text) +
                     ", expected a piece and the number of pieces, 1/4 to 4/4, at most " +
                     std::to_string(kMostShards));
  }
  return shard;
}

std::string TextOf(const Shard& shard) {
  return shard.is_whole() ? "" : std::to_string(shard.index) + "/" + std::to_string(shard.count);
}

std::vector<CellKey> PieceOf(const std::vector<CellKey>& cells, const Shard& shard) {
  std::map<std::string, std::int64_t> agents;  // label -> its number of cells
  for (const CellKey& cell : cells) {
    ++agents[cell.agent];
  }
  // An agent's cells are dealt from where those of the agent before it ended.
  std::map<std::string, std::int64_t> next;
  std::int64_t before = 0;
  for (const auto& [agent, count] : agents) {
    next[agent] = before;
    before += count;
  }
  std::vector<CellKey> piece;
  for (const CellKey& cell : cells) {
    if (next[cell.agent]++ % shard.count == shard.index - 1) {
      piece.push_back(cell);
    }
  }
  return piece;
}

}  // namespace opyard::experiments
