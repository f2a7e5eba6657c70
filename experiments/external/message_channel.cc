#include "experiments/external/message_channel.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <poll.h>
#include <sys/socket.h>

#include "sim/base/check.h"

namespace opyard::experiments {
namespace {

constexpr int kBetweenLooksMs = 50;
constexpr std::size_t kHeaderBytes = 4;

// Waits until the socket is ready for `events`; false if the caller gave up.
bool AwaitReady(int socket, short events, const GiveUp& give_up) {
  while (!give_up()) {
    pollfd wanted{.fd = socket, .events = events, .revents = 0};
    if (::poll(&wanted, 1, kBetweenLooksMs) > 0) {
      return true;  // or broken, which the next call reports
    }
  }
  return false;
}

bool IsPassing(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

Delivery SendAll(int socket, std::string_view bytes, const GiveUp& give_up) {
  while (!bytes.empty()) {
    if (!AwaitReady(socket, POLLOUT, give_up)) {
      return Delivery::kGivenUp;
    }
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && !IsPassing(errno)) {
      return Delivery::kClosed;
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
  return Delivery::kDone;
}

// Appends `count` bytes to `bytes`. Memory grows with what has come, not with what was announced.
Delivery ReceiveAll(int socket, std::size_t count, std::string& bytes, const GiveUp& give_up) {
  std::array<char, 1 << 16> piece{};
  while (count > 0) {
    if (!AwaitReady(socket, POLLIN, give_up)) {
      return Delivery::kGivenUp;
    }
    const ssize_t got = ::recv(socket, piece.data(), std::min(piece.size(), count), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && !IsPassing(errno))) {
      return Delivery::kClosed;
    }
    const auto num_new = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    bytes.append(piece.data(), num_new);
    count -= num_new;
  }
  return Delivery::kDone;
}

std::string LengthHeader(std::size_t size) {
  std::string header;
  for (std::size_t i = 0; i < kHeaderBytes; ++i) {
    header += static_cast<char>(static_cast<unsigned char>(size >> (8 * i)));
  }
  return header;
}

std::size_t SizeOf(const std::string& header) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < kHeaderBytes; ++i) {
    size |= static_cast<std::size_t>(static_cast<unsigned char>(header[i])) << (8 * i);
  }
  return size;
}

}  // namespace

Delivery SendMessage(int socket, std::string_view text, const GiveUp& give_up) {
  OPYARD_CHECK(text.size() <= kLargestMessage, "a message is shorter than 4 GiB");
  const Delivery header = SendAll(socket, LengthHeader(text.size()), give_up);
  return header == Delivery::kDone ? SendAll(socket, text, give_up) : header;
}

Received ReceiveMessage(int socket, std::size_t most_bytes, const GiveUp& give_up) {
  Received received;
  std::string header;
  received.delivery = ReceiveAll(socket, kHeaderBytes, header, give_up);
  if (received.delivery != Delivery::kDone) {
    return received;
  }
  const std::size_t size = SizeOf(header);
  if (size > most_bytes) {
    return {.delivery = Delivery::kTooLarge, .text = {}, .announced = size};
  }
  received.delivery = ReceiveAll(socket, size, received.text, give_up);
  if (received.delivery != Delivery::kDone) {
    received.text.clear();
  }
  return received;
}

}  // namespace opyard::experiments
