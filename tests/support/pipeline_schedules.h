// Schedules of pipelines in the form of files (experiments/plans/pipeline_schedule.h).
#pragma once

#include <cstdint>
#include <string>

namespace opyard::testing {

// All forward passes, then all backward passes (Huang et al. 2019, arXiv:1811.06965).
[[nodiscard]] std::string GPipe(std::int32_t num_ranks, std::int32_t num_microbatches);

// One forward, one backward pass in turn, behind as many forward passes as there are ranks further
// on (Narayanan et al. 2019, "PipeDream", section 3.2; with a flush at the end of the step).
[[nodiscard]] std::string OneForwardOneBackward(std::int32_t num_ranks,
                                                std::int32_t num_microbatches);

// The same with `num_chunks` stages on each rank, num_ranks apart (Narayanan et al. 2021,
// arXiv:2104.04473, section 2.2). REQUIRES: num_microbatches is a multiple of num_ranks.
[[nodiscard]] std::string Interleaved(std::int32_t num_ranks,
                                      std::int32_t num_microbatches,
                                      std::int32_t num_chunks);

// ZB-H1 (Qi et al. 2024, arXiv:2401.10241, section 2.2): gradients of inputs as in 1F1B, those of
// weights on rank r by r micro-batches later.
[[nodiscard]] std::string ZeroBubbleH1(std::int32_t num_ranks, std::int32_t num_microbatches);

}  // namespace opyard::testing
