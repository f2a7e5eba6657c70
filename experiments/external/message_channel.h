// Texts of any length over a socket: what opyard and an agent in another process say to each other.
//
// A message is the number of its bytes, four of them, the least first, and these bytes. What the
// other side sends is not trusted: whatever it is, a message of bounded size comes of it, or the
// reason why not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace opyard::experiments {

enum class Delivery : std::uint8_t {
  kDone,      // the message has gone, or has come
  kClosed,    // the other side has ended; what had come of a message is dropped
  kGivenUp,   // the caller did not want to wait any longer
  kTooLarge,  // the other side announced more bytes than it may send
};

struct Received {
  Delivery delivery = Delivery::kClosed;
  std::string text;           // of kDone
  std::size_t announced = 0;  // bytes, of kTooLarge
};

// Asked before the first wait, and every 50 ms of it: whether to wait no longer.
using GiveUp = std::function<bool()>;

// The largest message that four bytes can announce, and so the largest that we send; then the
// largest that an agent may send: plans of millions of ops fit in.
inline constexpr std::size_t kLargestMessage = (std::size_t{1} << 32) - 1;
inline constexpr std::size_t kLargestAnswer = std::size_t{1} << 27;

// The socket stays the caller's. After anything but kDone it is of no use any more. Blocks, at most
// 50 ms longer than `give_up` allows. REQUIRES of SendMessage: no more than kLargestMessage bytes.
[[nodiscard]] Delivery SendMessage(int socket, std::string_view text, const GiveUp& give_up);
[[nodiscard]] Received ReceiveMessage(int socket, std::size_t most_bytes, const GiveUp& give_up);

}  // namespace opyard::experiments
