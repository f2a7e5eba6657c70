// Numbers as tables and messages show them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/units.h"

namespace opyard::experiments {

// The text of a figure that is missing.
inline constexpr const char* kNoFigure = "—";

// `value` with `digits` digits after the point; what rounds to zero has no sign.
[[nodiscard]] std::string Fixed(double value, int digits);

// "1 op", "2 ops".
[[nodiscard]] std::string Counted(std::int64_t count, const std::string& noun);

// Spelled as in files: ns, us, ms, s.
enum class TimeUnit : std::uint8_t { kNanoseconds, kMicroseconds, kMilliseconds, kSeconds };
[[nodiscard]] const char* NameOf(TimeUnit unit);

// The largest unit of which `time`, as printed, is at least one; nanoseconds for shorter times,
// milliseconds for none. A column takes one unit for all of its rows, so that they compare.
[[nodiscard]] TimeUnit UnitOf(SimTime time);

// "12.345": three digits after the point, of seconds six.
[[nodiscard]] std::string TimeFigure(double seconds, TimeUnit unit);

// "12.345 ms": time in the unit that fits it, or in `unit`.
[[nodiscard]] std::string TimeText(SimTime time);
[[nodiscard]] std::string TimeText(SimTime time, TimeUnit unit);

// "12.345000001 ms": the same to the picosecond.
[[nodiscard]] std::string ExactTimeText(SimTime time, TimeUnit unit);

// "+0.500 ms", "-0.500 ms": `to` less `from`.
[[nodiscard]] std::string ChangeText(SimTime from, SimTime to, TimeUnit unit);

// "12.5 %": what `part` is of `whole`; 0 of nothing.
[[nodiscard]] std::string PercentText(SimTime part, SimTime whole);

// "1.50 GiB", "12 B": bytes in the binary unit that leaves at least one digit before the point.
[[nodiscard]] std::string BytesText(Bytes bytes);

// `name`, made fit for one line of a terminal: control characters become "?".
[[nodiscard]] std::string OneLine(std::string_view name);

// The width of `text` in columns: its UTF-8 characters, each taken as one column wide.
[[nodiscard]] std::size_t ColumnsOf(std::string_view text);

}  // namespace opyard::experiments
