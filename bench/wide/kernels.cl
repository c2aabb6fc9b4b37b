// All kernels of the wide benchmark, in one program.
#include "dense.cl"
#include "sparse.cl"
#include "stencil.cl"
#include "dynamic.cl"
#include "graph.cl"
#include "sort.cl"
#include "scan.cl"
#include "fft.cl"
#include "particles.cl"
#include "image.cl"
#include "codec.cl"
#include "hash.cl"
#include "tree.cl"
#include "random.cl"
#include "number.cl"
#include "layout.cl"
#include "text.cl"

// What an engine is tried with.
kernel void trivial(global uint* out) { out[get_global_id(0)] = 1; }
