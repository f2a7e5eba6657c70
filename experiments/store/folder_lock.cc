#include "experiments/store/folder_lock.h"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

// The folders that are missing on the way to `folder`, innermost first.
std::vector<fs::path> MissingFolders(const fs::path& folder) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  fs::path path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) {
    path = path.parent_path();  // "results/" is "results"
  }
  for (; !fs::exists(path, ignored) && path.has_relative_path(); path = path.parent_path()) {
    missing.push_back(path);
  }
  return missing;
}

int OpenFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    const std::error_code reason = error ? error : std::error_code(errno, std::generic_category());
    throw InputError(folder.string() + ": cannot make this folder: " + reason.message());
  }
  return descriptor;
}

// " (process 1234)" for the process whose lock on that folder Linux lists, else "".
std::string HolderOf(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) {
    return "";
  }
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    // 1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string mode;
    std::string access;
    long process = 0;
    unsigned int device_major = 0;
    unsigned int device_minor = 0;
    ino_t inode = 0;
    char colon = ':';
    words >> number >> kind >> mode >> access >> process >> std::hex >> device_major >> colon >>
        device_minor >> colon >> std::dec >> inode;
    if (words && kind == "FLOCK" && process > 0 && inode == status.st_ino &&
        makedev(device_major, device_minor) == status.st_dev) {
      return " (process " + std::to_string(process) + ")";
    }
  }
  return "";
}

// True if `descriptor` is what `folder` names: who held the lock before may have taken it away.
bool IsStill(const fs::path& folder, int descriptor) {
  struct stat named {};
  struct stat held {};
  return stat(folder.c_str(), &named) == 0 && fstat(descriptor, &held) == 0 &&
         named.st_ino == held.st_ino && named.st_dev == held.st_dev;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) : made_(MissingFolders(folder)) {
  do {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
    descriptor_ = OpenFolder(folder);
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      const std::string holder = HolderOf(descriptor_);
      close(descriptor_);
      throw InputError(folder.string() + ": another opyard" + holder +
                       " is writing here; wait for it to end, or give another --out");
    }
  } while (!IsStill(folder, descriptor_));
}

FolderLock::~FolderLock() {
  std::error_code ignored;
  for (const fs::path& folder : made_) {
    if (fs::is_empty(folder, ignored) && !ignored) {
      fs::remove(folder, ignored);
    }
  }
  close(descriptor_);
}

}  // namespace opyard::experiments
