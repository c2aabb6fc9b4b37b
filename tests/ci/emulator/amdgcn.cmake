# Toolchain: programs are code objects, and CMake runs them by `gcnjit run`.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR amdgcn)
set(CMAKE_C_COMPILER $ENV{CLANG})
set(CMAKE_C_COMPILER_TARGET amdgcn-amd-amdhsa)
set(CMAKE_C_FLAGS_INIT "-mcpu=gfx906 -nogpulib")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_CROSSCOMPILING_EMULATOR gcnjit run)
