// Settings of `brkga` that `opyard tune` found, from a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "agents/base/option_table.h"
#include "agents/search/brkga/brkga_settings.h"

namespace opyard::agents {

struct TunedOptions {
  std::string settings;  // path; "": the shipped file for the problem's objective
};

[[nodiscard]] OptionTable<TunedOptions> TunedOptionTable();

// The objective that the shipped files were tuned for. A weighted one takes that for the makespan.
enum class TunedFor : std::uint8_t { kMakespan, kPeakMemory };

// The file that is meant: the given one, or weights/brkga-makespan.json and
// weights/brkga-peak-memory.json in the data folder.
[[nodiscard]] std::filesystem::path TunedFile(const TunedOptions& options, TunedFor objective);

// The settings in a file that `opyard tune` wrote (docs/formats.md, "Tuning"): the defaults of
// `brkga` with `params`. Throws InputError, naming the place, if it cannot be read, is not for
// `brkga`, or has a parameter that brkga does not take.
[[nodiscard]] BrkgaSettings ReadTunedSettings(const std::filesystem::path& path);

}  // namespace opyard::agents
