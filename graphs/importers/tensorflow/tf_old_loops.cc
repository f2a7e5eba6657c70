#include "graphs/importers/tensorflow/tf_old_loops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "graphs/importers/tensorflow/tf_evaluation.h"

namespace opyard::graphs {
namespace {

constexpr std::size_t kMostTried = std::size_t{1} << 22U;  // nodes, while iterations are counted
constexpr std::int64_t kMostIterations = std::int64_t{1} << 20;

// A loop and the one around it.
struct LoopFrame {
  std::string name;
  std::size_t parent = 0;
  std::size_t depth = 0;
  std::vector<std::size_t> conditions;  // LoopCond nodes
  std::int64_t times = 1;
};

class LoopCounter {
 public:
  LoopCounter(std::span<const TfLoopBack> backs, TfFlatGraph& flat, ImportSummary& summary)
      : flat_(flat), summary_(summary), frame_of_(flat.size(), 0) {
    for (const TfLoopBack& back : backs) {
      next_of_.emplace(back.merge, back.next);
    }
  }

  void Run() {
    FindFrames();
    for (std::size_t frame = 1; frame < frames_.size(); ++frame) {
      const std::optional<std::int64_t> count = CountIterations(frame);
      Report(frames_[frame], count);
      frames_[frame].times = count.value_or(1);
    }
    for (std::size_t i = 0; i < flat_.size(); ++i) {
      for (std::size_t frame = frame_of_[i]; frame != 0; frame = frames_[frame].parent) {
        flat_.MultiplyNode(i, frames_[frame].times);
      }
    }
  }

 private:
  // Frame 0 is what stands in no loop. A node belongs to the innermost loop that it reads from.
  void FindFrames() {
    frames_.emplace_back();
    std::map<std::pair<std::size_t, std::string_view>, std::size_t> index_of;
    for (std::size_t i = 0; i < flat_.size(); ++i) {
      const TfNode& node = flat_.node(i);
      const std::size_t around = InnermostOf(node);
      if (node.type.ends_with("Enter")) {
        const std::string_view name = node.attributes.Text("frame_name");
        const auto [entry, is_new] = index_of.try_emplace({around, name}, frames_.size());
        if (is_new) {
          frames_.push_back(
              {.name = std::string(name), .parent = around, .depth = frames_[around].depth + 1});
        }
        frame_of_[i] = entry->second;
      } else if (node.type.ends_with("Exit")) {
        frame_of_[i] = frames_[around].parent;
      } else {
        frame_of_[i] = around;
      }
      if (node.type == "LoopCond") {
        frames_[around].conditions.push_back(i);
      }
    }
  }

  [[nodiscard]] std::size_t InnermostOf(const TfNode& node) const {
    std::size_t innermost = 0;
    const auto consider = [&](std::size_t source) {
      const std::size_t frame = frame_of_[source];
      innermost = frames_[frame].depth > frames_[innermost].depth ? frame : innermost;
    };
    for (const TfInput& input : node.inputs) {
      consider(input.node);
    }
    std::ranges::for_each(node.controls, consider);
    return innermost;
  }

  void Report(const LoopFrame& frame, std::optional<std::int64_t> count) {
    if (count.has_value()) {
      summary_.unknown.Add(
          "loop of TensorFlow 1: its ops stand once, with the work of all iterations",
          frame.name + " (" + std::to_string(*count) + ")");
    } else {
      summary_.unknown.Add(
          "loop of TensorFlow 1 whose number of iterations only a run knows: its ops run once",
          frame.name);
    }
  }

  // The nodes of the loop that decide whether it goes on, in an order in which they can run.
  std::vector<std::size_t> SliceOf(std::size_t frame) const {
    std::set<std::size_t> slice;
    std::vector<std::size_t> open = frames_[frame].conditions;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      const bool is_outside = frame_of_[at] != frame || flat_.node(at).type.ends_with("Enter");
      if (is_outside || !slice.insert(at).second) {
        continue;  // from outside comes what the flat graph knows
      }
      for (const TfInput& input : flat_.node(at).inputs) {
        open.push_back(input.node);
      }
      if (const auto next = next_of_.find(at); next != next_of_.end()) {
        open.push_back(next->second.node);
      }
    }
    return {slice.begin(), slice.end()};
  }

  std::optional<std::int64_t> CountIterations(std::size_t frame) {
    const std::vector<std::size_t> slice = SliceOf(frame);
    if (frames_[frame].conditions.size() != 1 || slice.empty()) {
      return std::nullopt;
    }
    values_.clear();
    for (const std::size_t node : slice) {
      if (next_of_.contains(node)) {
        values_[node] = {Initial(node), {}};
      }
    }
    for (std::int64_t iteration = 0; iteration <= kMostIterations; ++iteration) {
      num_tried_ += slice.size();
      if (num_tried_ > kMostTried) {
        return std::nullopt;
      }
      for (const std::size_t node : slice) {
        if (!next_of_.contains(node)) {
          Evaluate(node);
        }
      }
      const TfValue& condition = Value({.node = frames_[frame].conditions[0]});
      if (!condition.constant.has_value() || condition.constant->size() != 1) {
        return std::nullopt;
      }
      if (condition.constant->front() == 0.0) {
        return iteration;
      }
      Step(slice);
    }
    return std::nullopt;
  }

  // The value that a Merge reads before the first iteration.
  TfValue Initial(std::size_t merge) {
    const std::vector<TfInput>& inputs = flat_.node(merge).inputs;
    return inputs.empty() ? TfValue() : flat_.ValueOf(inputs[0]);
  }

  void Evaluate(std::size_t index) {
    const TfNode& node = flat_.node(index);
    std::vector<const TfValue*> inputs;
    for (const TfInput& input : node.inputs) {
      inputs.push_back(&Value(input));
    }
    values_[index] =
        EvaluateTfOp({.type = node.type, .attributes = node.attributes, .inputs = inputs},
                     std::nullopt)
            .outputs;
  }

  // Within the loop that of this iteration, else what the flat graph knows.
  const TfValue& Value(const TfInput& input) {
    const auto found = values_.find(input.node);
    if (found == values_.end()) {
      return flat_.ValueOf(input);
    }
    return input.port < found->second.size() ? found->second[input.port] : unknown_;
  }

  void Step(const std::vector<std::size_t>& slice) {
    std::vector<std::pair<std::size_t, TfValue>> next;
    for (const std::size_t node : slice) {
      if (const auto back = next_of_.find(node); back != next_of_.end()) {
        next.emplace_back(node, Value(back->second));
      }
    }
    for (auto& [node, value] : next) {
      values_[node] = {std::move(value), {}};
    }
  }

  TfFlatGraph& flat_;
  ImportSummary& summary_;
  std::vector<LoopFrame> frames_;
  std::vector<std::size_t> frame_of_;       // [nodes]
  std::map<std::size_t, TfInput> next_of_;  // of Merge nodes
  std::map<std::size_t, std::vector<TfValue>> values_;
  std::size_t num_tried_ = 0;
  const TfValue unknown_;
};

}  // namespace

void RepeatOldLoops(std::span<const TfLoopBack> backs, TfFlatGraph& flat, ImportSummary& summary) {
  if (!backs.empty()) {
    LoopCounter(backs, flat, summary).Run();
  }
}

}  // namespace opyard::graphs
