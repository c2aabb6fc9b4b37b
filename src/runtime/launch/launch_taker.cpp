#include "runtime/launch/launch_taker.h"

#include <utility>

namespace gcnjit::runtime {
namespace {

thread_local const LaunchTaker* current = nullptr;

}  // namespace

LaunchTaker::LaunchTaker(RunLaunch run) : run_(std::move(run)), outer_(current) { current = this; }
LaunchTaker::~LaunchTaker() { current = outer_; }
const LaunchTaker* LaunchTaker::Current() { return current; }

}  // namespace gcnjit::runtime
