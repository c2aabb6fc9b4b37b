// Two waves whose turns decide what is left: the first one needs more than one turn of a launch, and
// less than one of gcnjit diff's for single groups.
kernel void turns(global volatile uint* out) {
  const uint wave = __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() / 64);
  if (wave == 0) {
    for (uint n = 0; n < 50000; ++n) out[1];
  }
  out[0] = wave + 1;
}
