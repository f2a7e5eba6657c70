#include "sim/base/input_file.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/descriptor.h"

namespace opyard {
namespace {

constexpr std::size_t kFirstBytes = std::size_t{64} << 10U;  // of a stream of unknown size

std::optional<int> InputDescriptor(const std::filesystem::path& path) {
  return path == "-" ? std::optional(STDIN_FILENO) : DescriptorNamed(path);
}

// Opening a FIFO to read waits for its writer, and no signal that is handled ends that: the wait
// is left to poll, which every signal ends.
Descriptor Open(const std::filesystem::path& path) {
  if (const std::optional<int> number = InputDescriptor(path)) {
    return Duplicate(*number);
  }
  return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

std::string OpenProblem(int error_number) {
  if (error_number == ENOENT || error_number == ENOTDIR) {
    return "found nothing here, expected a file";
  }
  return "cannot be read: " + std::generic_category().message(error_number);
}

std::string SizeText(std::size_t bytes) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20U;
  return bytes % kMebibyte == 0 ? std::to_string(bytes / kMebibyte) + " MiB"
                                : std::to_string(bytes) + " bytes";
}

// Bytes that arrive in pieces.
class Gathering {
 public:
  Gathering(std::size_t expected_bytes, std::size_t most_bytes)
      : most_bytes_(most_bytes), bytes_(expected_bytes, '\0') {}

  // One read; false at the end of what `descriptor` gives, on errors, and past the limit.
  bool Take(int descriptor) {
    MakeRoom();
    const ssize_t got = ::read(descriptor, bytes_.data() + size_, bytes_.size() - size_);
    if (got < 0) {
      error_ = errno == EINTR || errno == EAGAIN ? 0 : errno;
      return error_ == 0;
    }
    size_ += static_cast<std::size_t>(got);
    return got > 0 && size_ <= most_bytes_;
  }

  InputBytes Finish() && {
    if (error_ != 0) {
      return {.problem = "cannot be read to its end: " + std::generic_category().message(error_)};
    }
    if (size_ > most_bytes_) {
      return {.problem = "found more than " + SizeText(most_bytes_) + ", expected at most that"};
    }
    bytes_.resize(size_);
    return {.bytes = std::move(bytes_)};
  }

 private:
  // At the most one byte more than the limit, which shows that it is passed.
  void MakeRoom() {
    if (size_ == bytes_.size()) {
      bytes_.resize(2 * size_ < most_bytes_ ? 2 * size_ : most_bytes_ + 1);
    }
  }

  std::size_t most_bytes_;
  std::string bytes_;
  std::size_t size_ = 0;
  int error_ = 0;
};

InputBytes ReadRegular(int descriptor, std::size_t size, std::size_t most_bytes) {
  if (size > most_bytes) {
    return {.problem = "found " + std::to_string(size) + " bytes, expected at most " +
                       SizeText(most_bytes)};
  }
  Gathering gathering(size + 1, most_bytes);  // the last byte is where the end is found
  while (gathering.Take(descriptor)) {
  }
  return std::move(gathering).Finish();
}

InputBytes ReadStream(int descriptor, std::size_t most_bytes) {
  Gathering gathering(std::min(kFirstBytes, most_bytes + 1), most_bytes);
  do {
    pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
    if (::poll(&wait, 1, -1) < 0) {
      return {.problem = "interrupted while more of it was waited for"};
    }
  } while (gathering.Take(descriptor));
  return std::move(gathering).Finish();
}

}  // namespace

InputBytes ReadInputFile(const std::filesystem::path& path, std::size_t most_bytes) {
  const Descriptor file = Open(path);
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) {
    return {.problem = OpenProblem(errno)};
  }
  if (S_ISDIR(status.st_mode)) {
    return {.problem = "found a folder, expected a file"};
  }
  return S_ISREG(status.st_mode)
             ? ReadRegular(file.number(), static_cast<std::size_t>(status.st_size), most_bytes)
             : ReadStream(file.number(), most_bytes);
}

std::string InputName(const std::filesystem::path& path) {
  return path == "-" ? "standard input" : path.string();
}

}  // namespace opyard
