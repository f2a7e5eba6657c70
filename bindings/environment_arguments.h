// The arguments and the pickled options of environments, and what their observations become.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/bindings.h"
#include "env/environments/episode.h"
#include "env/environments/stages.h"

namespace opyard::bindings {

// The arguments of an environment beside its problems.
struct EnvArguments {
  std::string reward;
  std::optional<std::int64_t> max_ops;
  std::optional<std::int64_t> max_edges;
  double noise = 0.0;
};

// Throws InputError for what is out of range. Without the GIL.
[[nodiscard]] env::EnvironmentOptions ToEnvironmentOptions(
    const std::vector<GraphOrReference>& graphs,
    const std::vector<MachineOrReference>& machines,
    const SettingArguments& settings,
    const EnvArguments& more);

// For pickle, and the way back. Throws InputError for a tuple of another version.
[[nodiscard]] pybind11::tuple OptionsTuple(const env::EnvironmentOptions& options);
[[nodiscard]] env::EnvironmentOptions OptionsIn(const pybind11::tuple& state);
[[nodiscard]] pybind11::tuple InfoTuple(const env::EpisodeInfo& info);
[[nodiscard]] env::EpisodeInfo InfoIn(const pybind11::tuple& state);

// The keys that all environments share; `stage` is an index of Stages.
[[nodiscard]] pybind11::dict InfoDictOf(const env::EpisodeInfo& info,
                                        std::size_t stage,
                                        std::size_t num_machines);

// Flags as int8, fresh.
[[nodiscard]] pybind11::array_t<std::int8_t> FlagArray(const std::vector<std::uint8_t>& flags);

// The padded arrays by their names, fresh.
[[nodiscard]] pybind11::dict PaddedDict(const env::PaddedObservation& padded);

// Throws InputError: a state that another version of opyard has pickled.
[[noreturn]] void RefuseOtherVersion();

}  // namespace opyard::bindings
