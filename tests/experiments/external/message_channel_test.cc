#include "experiments/external/message_channel.h"

#include <array>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace opyard::experiments {
namespace {

bool Never() {
  return false;
}

// Two ends of one socket, closed at the end.
class Ends {
 public:
  Ends() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~Ends() {
    Close(0);
    Close(1);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  [[nodiscard]] int operator[](std::size_t i) const { return ends_[i]; }
  void Close(std::size_t i) {
    if (ends_[i] >= 0) {
      ::close(ends_[i]);
      ends_[i] = -1;
    }
  }
  void Write(std::string_view bytes) const {
    EXPECT_EQ(::write(ends_[0], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(MessageChannelTest, TextsOfAnySizeArriveInOrder) {
  const Ends ends;
  // More than a socket holds: the sender waits for the receiver.
  const std::array<std::string, 3> texts = {"", std::string(3'000'000, 'x'), "last"};
  std::jthread sender([&] {
    for (const std::string& text : texts) {
      EXPECT_EQ(SendMessage(ends[0], text, Never), Delivery::kDone);
    }
  });
  for (const std::string& text : texts) {
    const Received received = ReceiveMessage(ends[1], kLargestAnswer, Never);
    EXPECT_EQ(received.delivery, Delivery::kDone);
    EXPECT_EQ(received.text, text);
  }
}

TEST(MessageChannelTest, AMessageIsItsLengthLeastByteFirstAndItsBytes) {
  const Ends ends;
  ASSERT_EQ(SendMessage(ends[0], std::string(258, 'a'), Never), Delivery::kDone);
  std::array<unsigned char, 5> bytes{};
  ASSERT_EQ(::read(ends[1], bytes.data(), bytes.size()), 5);
  // 258 = 2 + 1 · 256.
  EXPECT_EQ(bytes, (std::array<unsigned char, 5>{2, 1, 0, 0, 'a'}));
}

TEST(MessageChannelTest, MoreThanMayComeIsRefusedBeforeItComes) {
  const Ends ends;
  ends.Write(std::string("\x0b\0\0\0", 4));
  const Received received = ReceiveMessage(ends[1], 10, Never);
  EXPECT_EQ(received.delivery, Delivery::kTooLarge);
  EXPECT_EQ(received.announced, 11U);
}

TEST(MessageChannelTest, AnEndInTheMiddleOfAMessageIsAnEnd) {
  Ends ends;
  ends.Write(std::string("\x05\0\0\0abc", 7));
  ends.Close(0);
  const Received received = ReceiveMessage(ends[1], 10, Never);
  EXPECT_EQ(received.delivery, Delivery::kClosed);
  EXPECT_EQ(received.text, "");
}

TEST(MessageChannelTest, SendingToWhoHasEndedIsNoSignal) {
  Ends ends;
  ends.Close(1);
  EXPECT_EQ(SendMessage(ends[0], "text", Never), Delivery::kClosed);
}

TEST(MessageChannelTest, SilenceEndsWhenTheCallerGivesUp) {
  const Ends ends;
  int polls = 0;
  EXPECT_EQ(ReceiveMessage(ends[1], 10, [&] { return ++polls > 2; }).delivery, Delivery::kGivenUp);
  // A receiver that takes nothing: what a socket holds is less than this.
  polls = 0;
  const std::string large(10'000'000, 'x');
  EXPECT_EQ(SendMessage(ends[0], large, [&] { return ++polls > 10; }), Delivery::kGivenUp);
}

// Whatever comes, it is taken apart as messages or refused: never more bytes than were sent.
RC_GTEST_PROP(MessageChannelTest, AnyBytesAreMessagesOrRefused, (const std::string& bytes)) {
  Ends ends;
  ends.Write(bytes);
  ends.Close(0);
  std::size_t taken = 0;
  Received received;
  do {
    received = ReceiveMessage(ends[1], 1000, Never);
    taken += received.delivery == Delivery::kDone ? 4 + received.text.size() : 0;
  } while (received.delivery == Delivery::kDone);
  RC_ASSERT(taken <= bytes.size());
  RC_ASSERT(received.delivery == Delivery::kClosed || received.announced > 1000);
}

}  // namespace
}  // namespace opyard::experiments
