// --shard: which part of a campaign a process does.
#pragma once

#include <string>

#include "differential/shard.h"
#include "gcnjit/error.h"

namespace gcnjit::cli {

extern const char* const kShardHelp;

// "2/8": the second of eight; "auto": what the variables of Open MPI, Slurm or GitLab say; empty:
// all of it.
Result<differential::Shard> ParseShard(const std::string& text);

}  // namespace gcnjit::cli
