// An environment as Python threads may share it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.h"
#include "bindings/observation_arrays.h"
#include "env/environments/vector_env.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::bindings {

// The value that `word` stands for. Throws InputError "`name`: found …, expected one of …".
template <class T>
T OneOf(const char* name,
        const std::string& word,
        const std::vector<std::pair<const char*, T>>& words) {
  std::vector<std::string> expected;
  for (const auto& [text, value] : words) {
    if (word == text) {
      return value;
    }
    expected.emplace_back(text);
  }
  throw InputError(std::string(name) + ": found " + Quoted(word) + ", expected one of " +
                   JoinNames(expected));
}

// The kind of an environment, and the arguments that only some kinds have.
struct EnvKind {
  std::string kind;  // "one_shot", "placement", "improve" or "list_schedule"
  std::string turns = "joint";
  std::string mask = "forbidden";
  std::int64_t sweeps = 1;
  std::vector<sim::Plan> plans;
};

// Throws InputError for what the kind does not know.
[[nodiscard]] std::unique_ptr<env::Environment> MakeEnvironment(
    std::shared_ptr<const env::Stages> stages, const EnvKind& kind);

// The arguments that begin an episode, as Python gives them.
struct StartArguments {
  std::optional<std::size_t> graph;
  std::optional<std::size_t> machine;
  std::optional<sim::Plan> plan;
  std::optional<double> noise;

  [[nodiscard]] env::EpisodeStart ToStart() const {
    return {.choice = {.graph = graph, .machine = machine},
            .plan = plan.has_value() ? &*plan : nullptr,
            .noise = noise};
  }
};

// Every array it returns is a fresh copy.
class PythonStepEnv {
 public:
  PythonStepEnv(std::unique_ptr<env::Environment> lane, EnvKind kind)
      : lane_(std::move(lane)), kind_(std::move(kind)) {}

  // Goes on as this one would, and neither touches the other.
  [[nodiscard]] std::unique_ptr<PythonStepEnv> Copy();
  void Reset(std::optional<std::uint64_t> seed, const StartArguments& start);
  // (reward, whether the episode is over, info)
  pybind11::tuple Step(const pybind11::object& action);
  [[nodiscard]] pybind11::dict InfoDict();
  [[nodiscard]] pybind11::array_t<std::int8_t> ActionMask() const;
  [[nodiscard]] pybind11::dict Observation();
  // The padded arrays and the mask in one (env::Flatten).
  [[nodiscard]] pybind11::array_t<float> FlatObservation() const;
  // Nodes [num_ops, kNumNodeFeatures], edges [num_edges, kNumEdgeFeatures] and their ends
  // [2, num_edges] of the graph as it is, not padded.
  [[nodiscard]] pybind11::tuple GraphObservation() const;
  [[nodiscard]] std::size_t FlatSize() const;
  // For pickle, and the way back. Throws InputError for the state of another environment.
  [[nodiscard]] pybind11::tuple State();
  void Restore(const pybind11::tuple& state);

  [[nodiscard]] const env::Environment& lane() const { return *lane_; }
  [[nodiscard]] const EnvKind& kind() const { return kind_; }

 private:
  // The lane has changed otherwise than by a legal step.
  void ForgetObservation();

  std::mutex mutex_;
  std::unique_ptr<env::Environment> lane_;
  EnvKind kind_;
  std::optional<ObservationArrays> arrays_;  // made at the first observation
  // The dictionary of the last `info`, which most steps change in two entries alone, and its
  // source.
  std::optional<pybind11::dict> last_info_;
  env::EpisodeInfo of_last_info_;
  std::size_t stage_of_last_info_ = 0;
  env::StageWorkspaces workspaces_;
};

}  // namespace opyard::bindings
