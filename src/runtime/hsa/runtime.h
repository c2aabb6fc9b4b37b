// What there is once in a process: the emulated machine, guest memory, and all that the host
// program has handles of. It is never destroyed, because the host program's threads and ours may
// still use it while the process ends.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <sys/types.h>

#include <deque>
#include <memory>
#include <mutex>

#include "gcnjit/error.h"
#include "runtime/hsa/agent.h"
#include "runtime/hsa/settings.h"
#include "runtime/memory/guest_memory.h"

namespace gcnjit::hsa {

class AllocationTable;
class AsyncHandlers;
class CodeObjectTable;
class CopyEngine;
class ExecutableTable;
class FaultHandler;
class ImageTable;
class IpcServer;
class QueueTable;
class Recorder;
class SignalGroups;
class SignalPool;
class SoftQueues;
class SvmAttributes;
class VirtualMemory;

class Runtime {
 public:
  // hsa_init and hsa_shut_down: they count.
  static hsa_status_t Init();
  static hsa_status_t ShutDown();
  // Null before the first Init and after the last ShutDown.
  static Runtime* Open();

  const Settings& settings() const { return settings_; }
  runtime::GuestMemory& memory() { return *memory_; }
  const std::shared_ptr<runtime::GuestMemory>& shared_memory() const { return memory_; }

  const std::deque<Agent>& agents() const { return agents_; }
  // Null: a handle that is none of ours.
  const Agent* Find(hsa_agent_t handle) const;
  const Agent* FindGpu(hsa_agent_t handle) const;
  const Pool* Find(hsa_amd_memory_pool_t handle) const;
  const GpuModel* Find(hsa_isa_t handle) const;

  AllocationTable& allocations() { return *allocations_; }
  const AllocationTable& allocations() const { return *allocations_; }
  AsyncHandlers& async_handlers() { return *async_handlers_; }
  CodeObjectTable& code_objects() { return *code_objects_; }
  CopyEngine& copies() { return *copies_; }
  ExecutableTable& executables() { return *executables_; }
  FaultHandler& faults() { return *faults_; }
  ImageTable& images() { return *images_; }
  IpcServer& ipc() { return *ipc_; }
  QueueTable& queues() { return *queues_; }
  Recorder& recorder() { return *recorder_; }
  SignalPool& signals() { return *signals_; }
  SignalGroups& signal_groups() { return *signal_groups_; }
  SoftQueues& soft_queues() { return *soft_queues_; }
  SvmAttributes& svm() { return *svm_; }
  VirtualMemory& virtual_memory() { return *virtual_memory_; }
  const VirtualMemory& virtual_memory() const { return *virtual_memory_; }

  // What there is to be said when the process ends, by a signal or otherwise: once.
  void WriteReports(bool is_by_signal);

 private:
  Runtime(Settings settings, std::shared_ptr<runtime::GuestMemory> memory);
  static Result<Runtime*> Make();

  const Settings settings_;
  const pid_t process_;
  const std::shared_ptr<runtime::GuestMemory> memory_;
  std::deque<Agent> agents_;
  std::unique_ptr<SignalPool> signals_;
  std::unique_ptr<AllocationTable> allocations_;
  std::unique_ptr<VirtualMemory> virtual_memory_;
  std::unique_ptr<ImageTable> images_;
  std::unique_ptr<IpcServer> ipc_;
  std::unique_ptr<AsyncHandlers> async_handlers_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<FaultHandler> faults_;
  std::unique_ptr<CopyEngine> copies_;
  std::unique_ptr<CodeObjectTable> code_objects_;
  std::unique_ptr<ExecutableTable> executables_;
  std::unique_ptr<QueueTable> queues_;
  std::unique_ptr<SignalGroups> signal_groups_;
  std::unique_ptr<SoftQueues> soft_queues_;
  std::unique_ptr<SvmAttributes> svm_;
};

}  // namespace gcnjit::hsa
