// The policies of workers that learn beside each other: each lags behind the one that they share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/weights.h"

namespace opyard::agents {

// REQUIRES of both: parameters of equal names and shapes.
void CopyWeights(const torch::nn::Module& from, torch::nn::Module& to);
// `from` is left without any.
void MoveGradients(torch::nn::Module& from, torch::nn::Module& to);

// Workers take turns, the first one first. Each acts and evaluates with the weights that the shared
// policy had when its own last turn ended, so that its gradient is num_workers − 1 updates old.
// Asynchronous workers that are all as fast do this, too (Mnih et al. 2016, algorithm 1), but here
// it is the same on every machine and for any number of threads. A single worker is the shared
// policy itself.
template <class Policy>
class LaggingCopies {
 public:
  // `make` makes a policy with tensors like those of `shared`, whatever their values.
  LaggingCopies(std::shared_ptr<Policy> shared,
                std::int64_t num_workers,
                const std::function<std::shared_ptr<Policy>()>& make)
      : shared_(std::move(shared)) {
    for (std::int64_t i = 0; num_workers > 1 && i < num_workers; ++i) {
      copies_.push_back(make());
    }
    CatchUp();
  }

  // The policy of the worker whose turn it is.
  [[nodiscard]] Policy& at_turn() {
    return copies_.empty() ? *shared_ : *copies_[static_cast<std::size_t>(turn_)];
  }
  // The gradients of the worker whose turn it is become those of the shared policy.
  void HandOverGradients() {
    if (!copies_.empty()) {
      MoveGradients(at_turn(), *shared_);
    }
  }
  // The worker whose turn it was takes the shared weights; the next one's begins.
  void EndTurn() {
    if (copies_.empty()) {
      return;
    }
    CopyWeights(*shared_, at_turn());
    turn_ = (turn_ + 1) % std::ssize(copies_);
  }
  // All workers take the shared weights.
  void CatchUp() {
    for (const std::shared_ptr<Policy>& copy : copies_) {
      CopyWeights(*shared_, *copy);
    }
  }

  // Adds the copies, as "worker.I.NAME", and whose turn it is; nothing for a single worker.
  void AddTo(Checkpoint& checkpoint) const {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      AddWeights(*copies_[i], checkpoint, PrefixOf(i));
    }
    if (!copies_.empty()) {
      checkpoint.tensors["worker.turn"] = torch::tensor({turn_}, torch::kLong);
    }
  }
  // Sets them. REQUIRES: the checkpoint has them. Throws InputError if it has no such turn.
  void TakeFrom(const Checkpoint& checkpoint, const std::filesystem::path& path) {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      TakeWeights(checkpoint, *copies_[i], PrefixOf(i));
    }
    if (!copies_.empty()) {
      turn_ = WholeNumberOf(checkpoint, "worker.turn", path) % std::ssize(copies_);
    }
  }

 private:
  static std::string PrefixOf(std::size_t worker) {
    return "worker." + std::to_string(worker) + '.';
  }

  std::shared_ptr<Policy> shared_;
  std::vector<std::shared_ptr<Policy>> copies_;  // none for a single worker
  std::int64_t turn_ = 0;
};

}  // namespace opyard::agents
