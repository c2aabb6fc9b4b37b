// Programs: from source and binary, compiled and linked apart, options, build logs, and what
// programs and kernels say of themselves.
#include "harness.h"

namespace {

int RunOne(const Session& s, cl_program program) {
  const Kernel kernel = s.NewKernel(program, "value");
  const Buffer out = s.NewBuffer<int>(1);
  s.Set(kernel, out);
  s.Launch(kernel, {1});
  int got = 0;
  s.Read(out, &got, 1);
  return got;
}

void Options(Session& s) {
  const char* source = R"(
    kernel void value(global int* p) {
    #ifdef DOUBLED
      *p = 2 * VALUE;
    #else
      *p = VALUE;
    #endif
    })";
  CHECK(RunOne(s, s.Build(source, "-DVALUE=21")) == 21);
  CHECK(RunOne(s, s.Build(source, "-D VALUE=(1+2) -DDOUBLED -cl-fast-relaxed-math")) == 6);
  const Program program = s.NewProgram(source);
  OK(clBuildProgram(program, 0, nullptr, "-DVALUE=5 -cl-mad-enable", nullptr, nullptr));
  CHECK(RunOne(s, program) == 5);
  OK(clBuildProgram(program, 1, &s.device, "-DVALUE=6", nullptr, nullptr));  // again
  CHECK(RunOne(s, program) == 6);
  char options[64] = {};
  OK(clGetProgramBuildInfo(program, s.device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options,
                           nullptr));
  CHECK(std::string(options).find("-DVALUE=6") != std::string::npos);
}

void SourceInParts(Session& s) {
  const char* parts[] = {"kernel void value(glo", "bal int* p) { *p = 7; }rubbish"};
  const size_t lengths[] = {0, 23};
  cl_int error = CL_SUCCESS;
  const Program program(clCreateProgramWithSource(s.context, 2, parts, lengths, &error));
  OK(error);
  OK(clBuildProgram(program, 1, &s.device, "", nullptr, nullptr));
  CHECK(RunOne(s, program) == 7);
}

void BuildErrors(Session& s) {
  const Program program =
      s.NewProgram("kernel void value(global int* p) {\n  *p = missing_name;\n}");
  FAILS(clBuildProgram(program, 1, &s.device, "", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  const std::string log = s.BuildLog(program);
  CHECK(log.find("missing_name") != std::string::npos);
  CHECK(log.find("2:") != std::string::npos);
  cl_build_status status = CL_BUILD_NONE;
  OK(clGetProgramBuildInfo(program, s.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                           nullptr));
  CHECK(status == CL_BUILD_ERROR);
  cl_int error = CL_SUCCESS;
  CHECK(clCreateKernel(program, "value", &error) == nullptr);
  const Program good = s.NewProgram("kernel void value(global int* p) { *p = 1; }");
  CHECK(clBuildProgram(good, 1, &s.device, "-not-an-option", nullptr, nullptr) != CL_SUCCESS);
}

void Binaries(Session& s) {
  const Program program = s.Build("kernel void value(global int* p) { *p = 77; }");
  size_t bytes = 0;
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr));
  CHECK(bytes > 100);
  std::vector<unsigned char> binary(bytes);
  unsigned char* data = binary.data();
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, nullptr));
  CHECK(std::memcmp(data,
                    "\x7f"
                    "ELF",
                    4) == 0);
  cl_int status = -1, error = -1;
  const unsigned char* again = data;
  const Program loaded(
      clCreateProgramWithBinary(s.context, 1, &s.device, &bytes, &again, &status, &error));
  OK(error);
  OK(status);
  OK(clBuildProgram(loaded, 1, &s.device, "", nullptr, nullptr));
  CHECK(RunOne(s, loaded) == 77);
  const std::vector<unsigned char> rubbish(200, 0x5A);
  const unsigned char* wrong = rubbish.data();
  bytes = rubbish.size();
  // AMD's library looks at it when a kernel is asked for.
  const Program broken(
      clCreateProgramWithBinary(s.context, 1, &s.device, &bytes, &wrong, &status, &error));
  CHECK(broken == nullptr ||
        clBuildProgram(broken, 1, &s.device, "", nullptr, nullptr) != CL_SUCCESS ||
        clCreateKernel(broken, "value", &error) == nullptr);
}

void CompileAndLink(Session& s) {
  const Program header = s.NewProgram("int helper(int);\n#define BASE 30\n");
  const Program caller = s.NewProgram(
      "#include \"helper.h\"\nkernel void value(global int* p) { *p = helper(BASE); }");
  const Program callee = s.NewProgram("int helper(int x) { return x + 12; }");
  const cl_program headers[] = {header};
  const char* names[] = {"helper.h"};
  OK(clCompileProgram(caller, 1, &s.device, "", 1, headers, names, nullptr, nullptr));
  OK(clCompileProgram(callee, 1, &s.device, "", 0, nullptr, nullptr, nullptr, nullptr));
  cl_int error = CL_SUCCESS;
  const cl_program objects[] = {caller, callee};
  const Program linked(
      clLinkProgram(s.context, 1, &s.device, "", 2, objects, nullptr, nullptr, &error));
  OK(error);
  CHECK(RunOne(s, linked) == 42);
  const cl_program library_objects[] = {callee};
  const Program library(clLinkProgram(s.context, 1, &s.device, "-create-library", 1,
                                      library_objects, nullptr, nullptr, &error));
  OK(error);
  const cl_program with_library[] = {caller, library};
  const Program again(
      clLinkProgram(s.context, 1, &s.device, "", 2, with_library, nullptr, nullptr, &error));
  OK(error);
  CHECK(RunOne(s, again) == 42);
  const Program lonely(
      clLinkProgram(s.context, 1, &s.device, "", 1, objects, nullptr, nullptr, &error));
  CHECK(error == CL_LINK_PROGRAM_FAILURE);
}

void KernelsOfAProgram(Session& s) {
  const Program program = s.Build(
      "kernel void one(global int* p) { *p = 1; } kernel void two(global int* p, int x) { *p = x; }"
      "int not_a_kernel(void) { return 3; }");
  size_t count = 0;
  OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, nullptr));
  CHECK(count == 2);
  char names[64] = {};
  OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, nullptr));
  CHECK(std::string(names) == "one;two" || std::string(names) == "two;one");
  cl_kernel kernels[2] = {};
  cl_uint made = 0;
  OK(clCreateKernelsInProgram(program, 2, kernels, &made));
  CHECK(made == 2);
  unsigned arguments = 0;
  for (const cl_kernel kernel : kernels) {
    cl_uint those = 0;
    OK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof those, &those, nullptr));
    arguments += those;
    OK(clReleaseKernel(kernel));
  }
  CHECK(arguments == 3);
  cl_int error = CL_SUCCESS;
  CHECK(clCreateKernel(program, "three", &error) == nullptr);
  CHECK(error == CL_INVALID_KERNEL_NAME);
}

void ArgumentInfo(Session& s) {
  const Program program = s.Build(
      "kernel void k(global const float* restrict first, local int* second, constant uint4* third,"
      "              volatile global int* fourth, short fifth) {}",
      "-cl-kernel-arg-info");
  const Kernel kernel = s.NewKernel(program, "k");
  const struct {
    const char *name, *type;
    cl_kernel_arg_address_qualifier place;
    cl_kernel_arg_type_qualifier qualifier;
  } want[] = {{"first", "float*", CL_KERNEL_ARG_ADDRESS_GLOBAL,
               CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
              {"second", "int*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_NONE},
              {"third", "uint4*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
              {"fourth", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_VOLATILE},
              {"fifth", "short", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE}};
  for (cl_uint i = 0; i < 5; ++i) {
    char name[32] = {}, type[32] = {};
    cl_kernel_arg_address_qualifier place = 0;
    cl_kernel_arg_type_qualifier qualifier = 0;
    OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof name, name, nullptr));
    OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, nullptr));
    OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof place, &place,
                          nullptr));
    OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier,
                          nullptr));
    CHECK(std::string(name) == want[i].name);
    CHECK(std::string(type) == want[i].type);
    CHECK(place == want[i].place);
    CHECK(qualifier == want[i].qualifier);
  }
}

void WorkGroupInfo(Session& s) {
  const Program program = s.Build(
      "kernel __attribute__((reqd_work_group_size(8, 4, 2))) void k(global int* p, local int* q) {"
      "  local int fixed[100]; fixed[get_local_id(0)] = q[0]; barrier(1); *p = fixed[3]; }");
  const Kernel kernel = s.NewKernel(program, "k");
  size_t required[3] = {}, multiple = 0, most = 0;
  OK(clGetKernelWorkGroupInfo(kernel, s.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required,
                              required, nullptr));
  CHECK(required[0] == 8 && required[1] == 4 && required[2] == 2);
  OK(clGetKernelWorkGroupInfo(kernel, s.device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                              sizeof multiple, &multiple, nullptr));
  CHECK(multiple == 64);
  OK(clGetKernelWorkGroupInfo(kernel, s.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                              nullptr));
  CHECK(most >= 64 && most <= 1024);
  const Buffer out = s.NewBuffer<int>(1);
  s.Set(kernel, out, Local{800});
  cl_ulong bytes = 0;
  OK(clGetKernelWorkGroupInfo(kernel, s.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes,
                              nullptr));
  CHECK(bytes >= 1200);
}

}  // namespace

int main() {
  return Main({{"options", Options},
               {"source in parts", SourceInParts},
               {"build errors", BuildErrors},
               {"binaries", Binaries},
               {"compile and link", CompileAndLink},
               {"kernels of a program", KernelsOfAProgram},
               {"argument info", ArgumentInfo},
               {"work-group info", WorkGroupInfo}});
}
