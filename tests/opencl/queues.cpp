// Queues and events: orders, waits, profiling, user events, callbacks, barriers and markers.
#include <atomic>
#include <chrono>
#include <thread>

#include "harness.h"

namespace {

const char* const kSteps = R"(
  kernel void multiply_add(global uint* p, uint m, uint a) {
    size_t i = get_global_id(0);
    p[i] = p[i] * m + a;
  }
  kernel void work(global uint* p, uint rounds) {
    uint x = p[get_global_id(0)];
    for (uint i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
    p[get_global_id(0)] = x;
  })";

uint32_t Steps(uint32_t x, int from, int to) {
  for (int i = from; i < to; ++i) x = x * (2 * i + 3) + i;
  return x;
}

void InOrder(Session& s) {
  const Program program = s.Build(kSteps);
  const Kernel kernel = s.NewKernel(program, "multiply_add");
  std::vector<uint32_t> host(512, 1), middle(512), end(512);
  const Buffer buffer = s.NewBuffer(512, host.data()), copy = s.NewBuffer<uint32_t>(512);
  for (int i = 0; i < 200; ++i) {
    s.Set(kernel, buffer, cl_uint(2 * i + 3), cl_uint(i));
    s.Launch(kernel, {512}, {64});
    if (i == 99) OK(clEnqueueCopyBuffer(s.queue, buffer, copy, 0, 0, 2048, 0, nullptr, nullptr));
    if (i % 50 == 0) OK(clFlush(s.queue));
  }
  OK(clEnqueueReadBuffer(s.queue, copy, CL_FALSE, 0, 2048, middle.data(), 0, nullptr, nullptr));
  OK(clEnqueueReadBuffer(s.queue, buffer, CL_FALSE, 0, 2048, end.data(), 0, nullptr, nullptr));
  OK(clFinish(s.queue));
  Each("middle", middle, [](size_t) { return Steps(1, 0, 100); });
  Each("end", end, [](size_t) { return Steps(1, 0, 200); });
}

// Out of order, where only wait lists order. Where the device does not announce it, the queue is
// refused or runs in order.
void OutOfOrder(Session& s) {
  cl_int error = CL_SUCCESS;
  Queue queue(
      clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error));
  if (error != CL_SUCCESS) {
    CHECK(error == CL_INVALID_QUEUE_PROPERTIES);
    return;
  }
  const Program program = s.Build(kSteps);
  const Kernel kernel = s.NewKernel(program, "multiply_add");
  std::vector<uint32_t> host(512, 1);
  const Buffer buffer = s.NewBuffer(512, host.data());
  std::vector<Event> events(60);
  for (int i = 0; i < 60; ++i) {
    s.Set(kernel, buffer, cl_uint(2 * i + 3), cl_uint(i));
    const size_t global = 512;
    const cl_event before = i == 0 ? nullptr : cl_event(events[i - 1]);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, i == 0 ? 0 : 1,
                              i == 0 ? nullptr : &before, events[i].out()));
  }
  OK(clFinish(queue));
  Each("values", s.Read<uint32_t>(buffer, 512), [](size_t) { return Steps(1, 0, 60); });
}

void TwoQueues(Session& s) {
  const Program program = s.Build(kSteps);
  const Kernel kernel = s.NewKernel(program, "multiply_add");
  const Queue other = s.NewQueue();
  std::vector<uint32_t> host(512, 1);
  const Buffer buffer = s.NewBuffer(512, host.data());
  std::vector<Event> events(100);
  const size_t global = 512;
  for (int i = 0; i < 100; ++i) {
    s.Set(kernel, buffer, cl_uint(2 * i + 3), cl_uint(i));
    const cl_command_queue queue = i % 2 == 0 ? s.queue : other;
    const cl_event before = i == 0 ? nullptr : cl_event(events[i - 1]);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, i == 0 ? 0 : 1,
                              i == 0 ? nullptr : &before, events[i].out()));
    OK(clFlush(queue));
  }
  const cl_event last = events.back();
  OK(clWaitForEvents(1, &last));
  Each("values", s.Read<uint32_t>(buffer, 512), [](size_t) { return Steps(1, 0, 100); });
}

void Profiling(Session& s) {
  const Program program = s.Build(kSteps);
  const Kernel kernel = s.NewKernel(program, "work");
  const Queue queue = s.NewQueue(CL_QUEUE_PROFILING_ENABLE);
  const Buffer buffer = s.NewBuffer<uint32_t>(4096);
  const auto ran_for = [&](cl_uint rounds) {
    s.Set(kernel, buffer, rounds);
    const size_t global = 4096;
    Event event;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr,
                              event.out()));
    const cl_event one = event;
    OK(clWaitForEvents(1, &one));
    cl_ulong times[4] = {};
    int at = 0;
    for (const cl_profiling_info what : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                         CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END})
      OK(clGetEventProfilingInfo(event, what, sizeof(cl_ulong), &times[at++], nullptr));
    CHECK(times[0] != 0 && times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
    return times[3] - times[2];
  };
  ran_for(10);
  const cl_ulong little = ran_for(10), much = ran_for(40000);
  CHECK(much > little);
  Event event;
  OK(clEnqueueMarkerWithWaitList(s.queue, 0, nullptr, event.out()));
  OK(clFinish(s.queue));
  cl_ulong time = 0;
  FAILS(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr),
        CL_PROFILING_INFO_NOT_AVAILABLE);
}

Event UserEvent(const Session& s) {
  cl_int error = CL_SUCCESS;
  Event event(clCreateUserEvent(s.context, &error));
  OK(error);
  return event;
}

cl_int StatusOf(cl_event event) {
  cl_int status = 0;
  OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
  return status;
}

void UserEvents(Session& s) {
  const Program program = s.Build(kSteps);
  const Kernel kernel = s.NewKernel(program, "multiply_add");
  std::vector<uint32_t> host(64, 5);
  const Buffer buffer = s.NewBuffer(64, host.data());
  const Event gate = UserEvent(s);
  CHECK(StatusOf(gate) == CL_SUBMITTED);
  s.Set(kernel, buffer, cl_uint{3}, cl_uint{1});
  const size_t global = 64;
  const cl_event wait = gate;
  Event done;
  OK(clEnqueueNDRangeKernel(s.queue, kernel, 1, nullptr, &global, nullptr, 1, &wait, done.out()));
  OK(clFlush(s.queue));
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(StatusOf(done) > CL_COMPLETE);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
  });
  Each("values", s.Read<uint32_t>(buffer, 64), [](size_t) { return 16u; });
  opener.join();
  CHECK(StatusOf(done) == CL_COMPLETE);
  FAILS(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
}

// What waits for an event that fails fails too, and is not done.
void FailedUserEvent(Session& s) {
  const Program program = s.Build(kSteps);
  const Kernel kernel = s.NewKernel(program, "multiply_add");
  const Queue queue = s.NewQueue();
  std::vector<uint32_t> host(64, 5);
  const Buffer buffer = s.NewBuffer(64, host.data());
  const Event gate = UserEvent(s);
  s.Set(kernel, buffer, cl_uint{3}, cl_uint{1});
  const size_t global = 64;
  const cl_event wait = gate;
  Event done;
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, 1, &wait, done.out()));
  OK(clFlush(queue));
  OK(clSetUserEventStatus(gate, -7));
  const cl_event one = done;
  FAILS(clWaitForEvents(1, &one), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK(StatusOf(done) < 0);
  Each("values", s.Read<uint32_t>(buffer, 64), [](size_t) { return 5u; });
}

void Callbacks(Session& s) {
  const Program program = s.Build(kSteps);
  const Kernel kernel = s.NewKernel(program, "work");
  const Buffer buffer = s.NewBuffer<uint32_t>(256);
  struct Seen {
    std::atomic<int> complete{0}, other{0};
  } seen;
  constexpr int kLaunches = 20;
  const size_t global = 256;
  for (int i = 0; i < kLaunches; ++i) {
    s.Set(kernel, buffer, cl_uint(100));
    Event event;
    OK(clEnqueueNDRangeKernel(s.queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr,
                              event.out()));
    OK(clSetEventCallback(
        event, CL_COMPLETE,
        [](cl_event, cl_int status, void* data) {
          auto& counts = *static_cast<Seen*>(data);
          ++(status == CL_COMPLETE ? counts.complete : counts.other);
        },
        &seen));
  }
  OK(clFinish(s.queue));
  for (int i = 0; i < 500 && seen.complete < kLaunches; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(seen.complete == kLaunches);
  CHECK(seen.other == 0);
}

void BarriersAndMarkers(Session& s) {
  const Program program = s.Build(kSteps);
  const Kernel kernel = s.NewKernel(program, "multiply_add");
  const Queue other = s.NewQueue();
  std::vector<uint32_t> host(256, 1);
  const Buffer buffer = s.NewBuffer(256, host.data());
  s.Set(kernel, buffer, cl_uint{5}, cl_uint{2});
  Event marker, barrier;
  const size_t global = 256;
  for (int i = 0; i < 3; ++i) s.Launch(kernel, {256});
  OK(clEnqueueMarkerWithWaitList(s.queue, 0, nullptr, marker.out()));
  OK(clFlush(s.queue));
  const cl_event wait = marker;
  OK(clEnqueueBarrierWithWaitList(other, 1, &wait, barrier.out()));
  OK(clEnqueueNDRangeKernel(other, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr));
  OK(clFinish(other));
  CHECK(StatusOf(marker) == CL_COMPLETE);
  CHECK(StatusOf(barrier) == CL_COMPLETE);
  uint32_t want = 1;
  for (int i = 0; i < 4; ++i) want = want * 5 + 2;
  Each("values", s.Read<uint32_t>(buffer, 256), [&](size_t) { return want; });
  cl_command_type type = 0;
  OK(clGetEventInfo(marker, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr));
  CHECK(type == CL_COMMAND_MARKER);
}

void WaitLists(Session& s) {
  const Event a = UserEvent(s), b = UserEvent(s);
  const cl_event both[] = {a, b};
  std::vector<uint32_t> host(64, 9), got(64, 0);
  const Buffer buffer = s.NewBuffer(64, host.data());
  Event done;
  OK(clEnqueueReadBuffer(s.queue, buffer, CL_FALSE, 0, 256, got.data(), 2, both, done.out()));
  OK(clFlush(s.queue));
  OK(clSetUserEventStatus(b, CL_COMPLETE));
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(got[0] == 0);
  OK(clSetUserEventStatus(a, CL_COMPLETE));
  OK(clFinish(s.queue));
  Each("values", got, [](size_t) { return 9u; });
  FAILS(clEnqueueMarkerWithWaitList(s.queue, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
}

}  // namespace

int main() {
  return Main({{"in order", InOrder},
               {"out of order", OutOfOrder},
               {"two queues", TwoQueues},
               {"profiling", Profiling},
               {"user events", UserEvents},
               {"failed user event", FailedUserEvent},
               {"callbacks", Callbacks},
               {"barriers and markers", BarriersAndMarkers},
               {"wait lists", WaitLists}});
}
