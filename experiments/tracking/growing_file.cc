#include "experiments/tracking/growing_file.h"

#include <cerrno>
#include <fstream>
#include <system_error>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kMostBytesKept = std::size_t{64} << 10;
constexpr std::chrono::seconds kBetweenFlushes{1};

}  // namespace

GrowingFile::GrowingFile(const std::filesystem::path& path)
    : owned_(std::make_unique<std::ofstream>(path, std::ios::binary | std::ios::app)),
      out_(owned_.get()),
      last_flush_(Clock::now()) {
  if (!*out_) {
    throw InputError(path.string() +
                     ": cannot be written: " + std::generic_category().message(errno));
  }
}

GrowingFile::GrowingFile(std::ostream& out) : out_(&out), last_flush_(Clock::now()) {}

GrowingFile::~GrowingFile() {
  Flush();
}

void GrowingFile::Append(std::string_view record) {
  if (is_lost_) {
    return;
  }
  records_ += record;
  if (records_.size() >= kMostBytesKept || Clock::now() - last_flush_ >= kBetweenFlushes) {
    Flush();
  }
}

void GrowingFile::Flush() {
  if (!records_.empty()) {
    out_->write(records_.data(), static_cast<std::streamsize>(records_.size()));
    out_->flush();
    is_lost_ = is_lost_ || !*out_;
    records_.clear();
  }
  last_flush_ = Clock::now();
}

}  // namespace opyard::experiments
