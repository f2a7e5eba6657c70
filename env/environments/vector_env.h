// Several lanes of an environment that step together, on several threads, into one buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/environments/environment.h"
#include "env/parallel/thread_pool.h"

namespace opyard::env {

// When the episode of a lane ends, the next one begins … (gymnasium's AutoresetMode)
enum class Autoreset : std::uint8_t {
  kNextStep,  // at the next step, whose action is ignored
  kSameStep,  // at once; the last observation is kept apart
  kDisabled,  // when it is asked for
};

// What changes from step to step (StepObservation), of all lanes: row-major, a row per lane. n
// lanes; O, D: the room; M: the size of the mask.
struct StepBatch {
  StepBatch(const Room& room, std::size_t num_lanes, std::size_t mask_size);

  [[nodiscard]] StepObservation Row(std::size_t lane);

  std::vector<std::int64_t> plan;        // [n, 3, O]
  std::vector<std::int8_t> current;      // [n, O]
  std::vector<float> device_load;        // [n, D]
  std::vector<float> device_memory;      // [n, D]
  std::vector<float> progress;           // [n, 2]
  std::vector<std::int8_t> action_mask;  // [n, M]
  std::size_t num_lanes = 0;
};

// What stays the same through an episode (PaddedObservation), of all lanes. E: edges of the room.
struct PaddedBatch {
  PaddedBatch(const Room& room, std::size_t num_lanes);

  void Copy(const PaddedObservation& padded, std::size_t lane);

  Room room;
  std::vector<std::int64_t> op_type;            // [n, O]
  std::vector<float> x;                         // [n, O, kNumFeatures]
  std::vector<std::int64_t> edge_index;         // [n, 2, E]
  std::vector<float> edge_x;                    // [n, E, kNumEdgeFeatures]
  std::vector<float> device_x;                  // [n, D, kNumDeviceFeatures]
  std::vector<float> pair_x;                    // [n, D, D, kNumPairFeatures]
  std::vector<std::int64_t> topological_order;  // [n, O]
  std::vector<std::int64_t> group_id;           // [n, O]
  std::vector<std::int8_t> op_mask;             // [n, O]
  std::vector<std::int8_t> edge_mask;           // [n, E]
  std::vector<std::int8_t> machine_mask;        // [n, D]
};

// Without Environment::observes_steps there is no room in `step` but for masks.
struct ObservationBatch {
  ObservationBatch(const Environment& lane, std::size_t num_lanes);

  PaddedBatch padded;
  StepBatch step;
};

// The size of the mask of an action: the sum of its numbers of choices.
[[nodiscard]] std::size_t MaskSizeOf(const Environment& lane);

struct VectorOptions {
  std::size_t num_lanes = 1;
  std::size_t num_threads = 1;
  Autoreset autoreset = Autoreset::kNextStep;
  std::optional<std::int64_t> max_episode_steps;  // an episode is truncated after so many
};

// The results do not depend on the number of threads. One caller at a time.
class VectorEnv {
 public:
  // Lanes are copies of `lane`. REQUIRES: num_lanes, num_threads and max_episode_steps >= 1.
  VectorEnv(const Environment& lane, const VectorOptions& options);
  ~VectorEnv();

  [[nodiscard]] std::size_t num_lanes() const { return lanes_.size(); }
  [[nodiscard]] const Environment& lane(std::size_t index) const { return *lanes_[index]; }
  [[nodiscard]] const VectorOptions& options() const { return options_; }

  // Begins episodes in the lanes of `mask`, [n], or in all if it is empty. `seeds` is empty, or has
  // one entry per lane. Throws as Environment::Reset; lanes below the one that throws have begun.
  void Reset(std::span<const std::optional<std::uint64_t>> seeds,
             const EpisodeStart& start,
             std::span<const std::uint8_t> mask);
  // `actions` is [n, numbers of an action]. Throws InputError for another size or, under kDisabled,
  // if an episode is over, before any lane steps.
  void Step(std::span<const std::int32_t> actions);

  // Of the last Reset or Step.
  [[nodiscard]] const ObservationBatch& observations() const { return observations_; }
  // The last observations of the episodes that ended in the last step, under kSameStep; of the
  // other lanes, older ones. Else of no lanes.
  [[nodiscard]] const ObservationBatch& final_observations() const { return final_observations_; }
  [[nodiscard]] const std::vector<double>& rewards() const { return rewards_; }
  [[nodiscard]] const std::vector<std::uint8_t>& terminated() const { return terminated_; }
  [[nodiscard]] const std::vector<std::uint8_t>& truncated() const { return truncated_; }
  // [n]: of the episode that the last step belonged to.
  [[nodiscard]] const std::vector<EpisodeInfo>& infos() const { return infos_; }
  // [n]: the stage of that episode, and its steps so far.
  [[nodiscard]] const std::vector<std::size_t>& stages() const { return stages_; }
  [[nodiscard]] const std::vector<std::int64_t>& steps() const { return steps_; }
  [[nodiscard]] bool IsOver(std::size_t lane) const {
    return terminated_[lane] != 0 || truncated_[lane] != 0;
  }

 private:
  // Runs `work` for all lanes: on the threads where a lane's next step is simulated, else in the
  // caller, which has done a step before another thread has taken it.
  template <class Work>
  void ForLanes(const Work& work);
  void ResetLane(std::size_t lane,
                 std::optional<std::uint64_t> seed,
                 const EpisodeStart& start,
                 StageWorkspaces& workspaces);
  // Of a lane that has begun an episode or made a step.
  void Note(std::size_t lane, double reward, bool is_terminated, bool is_truncated);
  void StepLane(std::size_t lane, std::span<const std::int32_t> action, StageWorkspaces& memory);
  // Writes the lane's row of `to`; `shown` says which padded arrays are there.
  void Observe(std::size_t lane, ObservationBatch& to, std::vector<std::size_t>& shown);

  VectorOptions options_;
  std::vector<std::unique_ptr<Environment>> lanes_;
  ThreadPool pool_;
  std::vector<StageWorkspaces> workspaces_;  // [num_threads]
  ObservationBatch observations_;
  ObservationBatch final_observations_;
  // [n]: the stage whose padded arrays the lane's rows hold, of each of the two.
  std::vector<std::size_t> shown_;
  std::vector<std::size_t> finally_shown_;
  std::vector<double> rewards_;
  std::vector<std::uint8_t> terminated_;
  std::vector<std::uint8_t> truncated_;
  std::vector<EpisodeInfo> infos_;
  std::vector<std::size_t> stages_;
  std::vector<std::int64_t> steps_;
};

}  // namespace opyard::env
