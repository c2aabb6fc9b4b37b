# Read by ctest: the environment of all tests.
set(ENV{GCNJIT_CACHE} 0)
