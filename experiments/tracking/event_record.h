// Records of TensorBoard's event files.
//
// A file is a row of records in TFRecord's frame: the length of the data in 8 bytes, the masked
// CRC-32C of these in 4, the data, and their masked CRC-32C in 4; all little-endian. The data are a
// message `Event` (TensorFlow's event.proto): wall_time = 1, step = 2, file_version = 3,
// summary = 5, session_log = 7.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "experiments/tracking/scalars.h"

namespace opyard::experiments {

// CRC-32C (Castagnoli) as TFRecord has it: rotated right by 15 bits, plus 0xa282ead8.
[[nodiscard]] std::uint32_t MaskedCrc32c(std::string_view bytes);

// The framed record that a file begins with.
[[nodiscard]] std::string VersionRecord(double unix_time_s);
// The framed record that says that the run begins anew at `at.step`: readers forget what other
// files have of it from that step on.
[[nodiscard]] std::string RestartRecord(const ScalarsPlace& at);
// The framed record of `scalars`, each in single precision.
[[nodiscard]] std::string ScalarsRecord(const ScalarsPlace& at, const Scalars& scalars);

}  // namespace opyard::experiments
