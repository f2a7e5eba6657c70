// Schedules of pipelines as PyTorch writes them (torch.distributed.pipelining): a line for each
// rank, with its actions in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opyard::experiments {

// The parts of a backward pass that an action runs; a forward pass has one.
enum class ActionKind : std::uint8_t {
  kForward,         // F
  kBackward,        // B: gradients of inputs and weights
  kInputGradient,   // I, and B where its micro-batch has a W
  kWeightGradient,  // W
};

// The forward or backward pass of one micro-batch through one stage.
struct PipelineAction {
  ActionKind kind = ActionKind::kForward;
  std::int32_t stage = 0;
  std::int32_t microbatch = 0;
  std::size_t line = 0;  // of the file, from 1
  std::size_t cell = 0;  // of the line, from 1
  std::string text;      // "2B0", without the rest of its cell
};

struct PipelineSchedule {
  std::vector<std::vector<PipelineAction>> ranks;  // by line
  std::vector<std::size_t> rank_of_stage;
  std::int32_t num_microbatches = 0;
  std::size_t num_communications = 0;  // actions that compute nothing

  [[nodiscard]] std::size_t num_stages() const { return rank_of_stage.size(); }
  [[nodiscard]] std::size_t num_actions() const;  // that compute
};

// The most stages and micro-batches, and the most actions of all ranks.
inline constexpr std::int32_t kMostStages = 65536;
inline constexpr std::size_t kMostActions = std::size_t{1} << 20U;

// Reads a schedule: cells between commas, of the form STAGE ACTION MICROBATCH ("2F0"), where ACTION
// is F, I, B, W, or the communication SEND_F, RECV_F, SEND_B, RECV_B, UNSHARD, RESHARD,
// REDUCE_GRAD, whose micro-batch may be left out; or two of these, "(2F1;5B0)OVERLAP_F_B", which
// run in order. Empty cells are skipped; an empty line is a rank that does nothing, but at the end.
//
// Throws InputError with all problems, each as "`place`:LINE: cell 3: …": other texts, numbers
// beyond the limits, a stage on two lines or on none, a pass that stands there twice.
[[nodiscard]] PipelineSchedule ReadPipelineSchedule(std::string_view text,
                                                    const std::string& place);

// "PLACE:2: cell 3", the place of an action of the file `place`.
[[nodiscard]] std::string CellPlace(const std::string& place, const PipelineAction& action);

}  // namespace opyard::experiments
