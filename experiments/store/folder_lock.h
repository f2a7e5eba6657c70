// Keeps a results folder for one process at a time.
#pragma once

#include <filesystem>
#include <vector>

namespace opyard::experiments {

// An advisory lock (flock) on the folder itself, as long as this lives: it leaves no file behind,
// and a process that is killed leaves no lock. It keeps out whoever takes it, too, and nobody who
// only reads. Network file systems may not have it: there, nobody is kept out.
class FolderLock {
 public:
  // Makes the folder where it is absent. Throws InputError at once if another process holds the
  // lock, naming it if it is known; and if the folder cannot be made.
  explicit FolderLock(const std::filesystem::path& folder);
  // Takes folders away again that the lock made and nobody filled.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  // innermost first
  int descriptor_ = -1;
};

}  // namespace opyard::experiments
