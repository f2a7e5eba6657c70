// A file that grows while others read it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace opyard::experiments {

// Records are kept until a second has gone by since the last were written, or 64 KiB have come
// together, and then written whole: who reads finds no part of one. Used by one thread at a time.
class GrowingFile {
 public:
  // Goes on behind what is in `path`. Throws InputError if it cannot be written.
  explicit GrowingFile(const std::filesystem::path& path);
  // Writes to `out`, which outlives this.
  explicit GrowingFile(std::ostream& out);
  // Writes what is left.
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  void Append(std::string_view record);
  void Flush();
  // True once something could not be written; nothing is from then on.
  [[nodiscard]] bool is_lost() const { return is_lost_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::unique_ptr<std::ostream> owned_;
  std::ostream* out_;
  std::string records_;  // not written yet
  Clock::time_point last_flush_;
  bool is_lost_ = false;
};

}  // namespace opyard::experiments
