// The time that copies take from the ops of the devices that send and receive them.
#pragma once

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/workspace.h"

namespace opyard::sim {

// Adds to the times of kernels what the copies of the plan take: of each copy that is sent to its
// producer, of each that is received to the kernel of the first op, by index, that reads it there.
// LogGP's o (Alexandrov et al., SPAA 1995, section 2), with a part per byte; it is paid beside the
// ops and not while the copy is under way. REQUIRES: every op has a device; problem.copy_overheads
// is not empty. O(edges).
void AddCopyOverheads(const LoweredProblem& problem, Workspace& workspace);

}  // namespace opyard::sim
