// The headers that test programs precompile (CMakeLists.txt) belong to a target, which needs a
// file.
