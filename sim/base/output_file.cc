#include "sim/base/output_file.h"

#include <array>
#include <cerrno>
#include <ctime>
#include <streambuf>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/descriptor.h"
#include "sim/base/error.h"

namespace opyard {
namespace {

namespace fs = std::filesystem;
using Writing = std::function<void(std::ostream&)>;

std::optional<int> OutputDescriptor(const fs::path& path) {
  return path == "-" ? std::optional(STDOUT_FILENO) : DescriptorNamed(path);
}

[[noreturn]] void Refuse(const fs::path& path, const std::string& why) {
  throw InputError((path == "-" ? "standard output" : path.string()) +
                   ": cannot be written: " + why);
}

[[noreturn]] void Refuse(const fs::path& path, int error_number) {
  Refuse(path, std::generic_category().message(error_number));
}

// Hands bytes to a descriptor and remembers the first error.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) { Empty(); }

  // Returns the error number of the first write that failed, else 0.
  [[nodiscard]] int Finish() {
    sync();
    return error_;
  }

 protected:
  int_type overflow(int_type character) override {
    if (sync() != 0) {
      return traits_type::eof();
    }
    if (!traits_type::eq_int_type(character, traits_type::eof())) {
      *pptr() = traits_type::to_char_type(character);
      pbump(1);
    }
    return traits_type::not_eof(character);
  }

  int sync() override {
    for (const char* next = pbase(); error_ == 0 && next < pptr();) {
      const ssize_t written = ::write(descriptor_, next, static_cast<std::size_t>(pptr() - next));
      next += written < 0 ? 0 : written;
      error_ = written < 0 && errno != EINTR ? errno : 0;
    }
    Empty();
    return error_ == 0 ? 0 : -1;
  }

 private:
  void Empty() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }

  int descriptor_;
  int error_ = 0;
  std::array<char, std::size_t{64} << 10U> buffer_;
};

// Returns the error number, or 0. Closes `file`.
int WriteTo(Descriptor& file, const Writing& write) {
  DescriptorBuffer buffer(file.number());
  std::ostream stream(&buffer);
  write(stream);
  const int written = buffer.Finish();
  const int closed = file.Close();
  return written != 0 ? written : closed;
}

// A file beside another one, gone at the end unless it has taken its place.
class PartFile {
 public:
  // Under a name that nothing has yet, so that no planted link is followed.
  PartFile(const fs::path& target, mode_t mode) {
    constexpr std::size_t kMostOfItsName = 200;  // of the 255 bytes that file systems take
    for (int attempt = 0; !file_.is_open(); ++attempt) {
      path_ = target.parent_path() / target.filename().string().substr(0, kMostOfItsName);
      path_ += ".part" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
      file_ = Descriptor(
          ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
      if (!file_.is_open() && errno != EEXIST) {
        error_ = errno;
        return;
      }
    }
  }
  ~PartFile() {
    if (error_ == 0 && !is_renamed_) {
      ::unlink(path_.c_str());
    }
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  // The error number of opening it; 0 if it is open.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] Descriptor& file() { return file_; }

  // Returns the error number, or 0.
  [[nodiscard]] int RenameTo(const fs::path& target) {
    is_renamed_ = ::rename(path_.c_str(), target.c_str()) == 0;
    return is_renamed_ ? 0 : errno;
  }

 private:
  fs::path path_;
  Descriptor file_{-1};
  int error_ = 0;
  bool is_renamed_ = false;
};

bool GiveRights(const Descriptor& file, const struct stat& former) {
  struct stat own {};
  constexpr mode_t kRights = 0777;
  return ::fstat(file.number(), &own) == 0 &&
         ((own.st_uid == former.st_uid && own.st_gid == former.st_gid) ||
          ::fchown(file.number(), former.st_uid, former.st_gid) == 0) &&
         ::fchmod(file.number(), former.st_mode & kRights) == 0;
}

bool MayWrite(const fs::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

// True where another file cannot take the place of one that may itself be written.
bool SaysThatItStays(int error_number) {
  return error_number == EACCES || error_number == EPERM || error_number == EROFS ||
         error_number == EBUSY || error_number == EXDEV;
}

bool IsFifo(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

// Opening a FIFO to write waits for its reader, and no signal that is handled ends that: the wait
// is in steps, which every signal ends.
Descriptor OpenToWrite(const fs::path& path, int more_flags) {
  constexpr timespec kStep{.tv_sec = 0, .tv_nsec = 10'000'000};
  while (true) {
    Descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | more_flags));
    if (file.is_open()) {
      ::fcntl(file.number(), F_SETFL, 0);  // only the opening is not to block
      return file;
    }
    const int error = errno;
    const bool waits = error == ENXIO && IsFifo(path);
    errno = error;
    if (!waits || ::nanosleep(&kStep, nullptr) != 0) {
      return file;
    }
  }
}

void WriteInPlace(const fs::path& path, int more_flags, const Writing& write) {
  Descriptor file = OpenToWrite(path, more_flags);
  if (const int error = file.is_open() ? WriteTo(file, write) : errno; error != 0) {
    Refuse(path, error);
  }
}

// A file of its owner's and mode's takes the place of `target`; returns false where that cannot be.
bool TryReplace(const fs::path& target, const struct stat& former, const Writing& write) {
  constexpr mode_t kPrivate = 0600;  // until it has the rights of the former one
  PartFile part(target, kPrivate);
  if (part.error() != 0 || !GiveRights(part.file(), former)) {
    if (part.error() != 0 && !SaysThatItStays(part.error())) {
      Refuse(target, part.error());
    }
    return false;
  }
  int error = WriteTo(part.file(), write);
  const bool is_written = error == 0;
  error = is_written ? part.RenameTo(target) : error;
  if (error != 0 && !(is_written && SaysThatItStays(error))) {
    Refuse(target, error);
  }
  return error == 0;
}

void Create(const fs::path& target, const Writing& write) {
  constexpr mode_t kAsUmaskSays = 0666;
  PartFile part(target, kAsUmaskSays);
  int error = part.error() != 0 ? part.error() : WriteTo(part.file(), write);
  error = error != 0 ? error : part.RenameTo(target);
  if (error != 0) {
    Refuse(target, error);
  }
}

// The target of `path` behind symbolic links, whether it exists or not.
fs::path Followed(fs::path path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code error;
    const fs::path next = fs::read_symlink(path, error);
    if (error) {  // no link
      return path;
    }
    path = path.parent_path() / next;
  }
  Refuse(path, ELOOP);
}

void WriteAtPath(const fs::path& path, const Writing& write) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists) {
    Create(Followed(path), write);
  } else if (S_ISDIR(status.st_mode) || S_ISSOCK(status.st_mode)) {
    Refuse(path, S_ISDIR(status.st_mode) ? "found a folder" : "found a socket");
  } else if (!S_ISREG(status.st_mode)) {
    WriteInPlace(path, 0, write);
  } else if (!MayWrite(path)) {
    Refuse(path, errno);
  } else if (const fs::path target = Followed(path); !TryReplace(target, status, write)) {
    WriteInPlace(target, O_TRUNC, write);
  }
}

}  // namespace

void WriteOutputFile(const fs::path& path, const Writing& write) {
  const std::optional<int> number = OutputDescriptor(path);
  if (!number.has_value()) {
    WriteAtPath(path, write);
    return;
  }
  Descriptor file = Duplicate(*number);
  if (const int error = file.is_open() ? WriteTo(file, write) : errno; error != 0) {
    Refuse(path, error);
  }
}

std::optional<std::string> FindOutputProblem(const fs::path& path) {
  if (OutputDescriptor(path).has_value()) {
    return std::nullopt;
  }
  const fs::path target = Followed(path);
  std::error_code ignored;
  if (fs::is_directory(target, ignored)) {
    return "found a folder, expected a file to write";
  }
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    return "the folder " + folder.string() + " does not exist";
  }
  if (!target.has_filename()) {
    return "expected the name of a file to write";
  }
  if (fs::exists(target, ignored) && !MayWrite(target)) {
    return "cannot be written: " + std::generic_category().message(errno);
  }
  return std::nullopt;
}

bool IsStandardOutput(const fs::path& path) {
  return OutputDescriptor(path) == STDOUT_FILENO;
}

}  // namespace opyard
