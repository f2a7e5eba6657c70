// Notices: oddities of something that was read or simulated, although it is legal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace opyard::experiments {

enum class NoticeKind : std::uint8_t {
  kWarning,  // the figures may not mean what they seem to
  kNote,     // something that its author may have wanted is near
};

struct Notice {
  NoticeKind kind = NoticeKind::kWarning;
  std::string text;  // one or more lines, each ended
};

// Receives notices: a console prints them, a server passes them on. Called by whoever finds one, on
// the thread of the call.
using NoticeListener = std::function<void(const Notice&)>;

}  // namespace opyard::experiments
