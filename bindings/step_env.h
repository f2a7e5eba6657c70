// A step-by-step environment as Python threads may share it.
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
#include "env/environments/groupwise_env.h"
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

// Every array it returns is a fresh copy.
class PythonStepEnv {
 public:
  explicit PythonStepEnv(const env::GroupwiseEnv& lane) : lane_(lane) {}

  // Goes on as this one would, and neither touches the other.
  [[nodiscard]] std::unique_ptr<PythonStepEnv> Copy();
  void Reset(std::optional<std::uint64_t> seed,
             std::optional<std::size_t> graph,
             std::optional<std::size_t> machine,
             const std::optional<sim::Plan>& plan);
  // (reward, whether the episode is over, info)
  pybind11::tuple Step(const pybind11::object& action);
  [[nodiscard]] pybind11::dict InfoDict();
  [[nodiscard]] pybind11::array_t<std::int8_t> ActionMask() const;
  [[nodiscard]] pybind11::dict Observation();
  // For pickle, and the way back. Throws InputError for the state of another environment.
  [[nodiscard]] pybind11::tuple State();
  void Restore(const pybind11::tuple& state);

  [[nodiscard]] const env::GroupwiseEnv& lane() const { return lane_; }

 private:
  // The lane has changed otherwise than by a legal step.
  void ForgetObservation();

  std::mutex mutex_;
  env::GroupwiseEnv lane_;
  std::optional<ObservationArrays> arrays_;  // made at the first observation
  // The dictionary of the last `info`, which most steps change in two entries alone, and its
  // source.
  std::optional<pybind11::dict> last_info_;
  env::EpisodeInfo of_last_info_;
  std::size_t stage_of_last_info_ = 0;
  env::StageWorkspaces workspaces_;
};

}  // namespace opyard::bindings
