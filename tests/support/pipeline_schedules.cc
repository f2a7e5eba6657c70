#include "tests/support/pipeline_schedules.h"

#include <algorithm>

namespace opyard::testing {
namespace {

// Lines of actions.
class Lines {
 public:
  void Add(std::int32_t stage, char action, std::int32_t microbatch) {
    text_ += (is_first_ ? "" : ",") + std::to_string(stage) + action + std::to_string(microbatch);
    is_first_ = false;
  }
  void EndRank() {
    text_ += '\n';
    is_first_ = true;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool is_first_ = true;
};

}  // namespace

std::string GPipe(std::int32_t num_ranks, std::int32_t num_microbatches) {
  Lines lines;
  for (std::int32_t rank = 0; rank < num_ranks; ++rank) {
    for (const char action : {'F', 'B'}) {
      for (std::int32_t i = 0; i < num_microbatches; ++i) {
        lines.Add(rank, action, i);
      }
    }
    lines.EndRank();
  }
  return lines.text();
}

std::string OneForwardOneBackward(std::int32_t num_ranks, std::int32_t num_microbatches) {
  return Interleaved(num_ranks, num_microbatches, 1);
}

std::string Interleaved(std::int32_t num_ranks,
                        std::int32_t num_microbatches,
                        std::int32_t num_chunks) {
  Lines lines;
  const std::int32_t num_passes = num_microbatches * num_chunks;
  for (std::int32_t rank = 0; rank < num_ranks; ++rank) {
    // The k-th pass of either kind: ranks go through num_ranks micro-batches of one chunk at a
    // time.
    const auto microbatch = [&](std::int32_t k) {
      return num_chunks == 1 ? k : k / (num_ranks * num_chunks) * num_ranks + k % num_ranks;
    };
    const auto chunk = [&](std::int32_t k) { return k / num_ranks % num_chunks; };
    const std::int32_t ahead = num_chunks == 1
                                   ? num_ranks - 1 - rank
                                   : (num_chunks - 1) * num_ranks + 2 * (num_ranks - 1 - rank);
    for (std::int32_t k = 0; k < num_passes + ahead; ++k) {
      if (k < num_passes) {
        lines.Add(chunk(k) * num_ranks + rank, 'F', microbatch(k));
      }
      if (const std::int32_t back = k - ahead; back >= 0 && back < num_passes) {
        lines.Add((num_chunks - 1 - chunk(back)) * num_ranks + rank, 'B', microbatch(back));
      }
    }
    lines.EndRank();
  }
  return lines.text();
}

std::string ZeroBubbleH1(std::int32_t num_ranks, std::int32_t num_microbatches) {
  Lines lines;
  for (std::int32_t rank = 0; rank < num_ranks; ++rank) {
    const std::int32_t ahead = num_ranks - 1 - rank;
    for (std::int32_t k = 0; k < num_microbatches + ahead + rank; ++k) {
      if (k < num_microbatches) {
        lines.Add(rank, 'F', k);
      }
      if (k >= ahead && k - ahead < num_microbatches) {
        lines.Add(rank, 'I', k - ahead);
      }
      if (k >= ahead + rank) {
        lines.Add(rank, 'W', k - ahead - rank);
      }
    }
    lines.EndRank();
  }
  return lines.text();
}

}  // namespace opyard::testing
