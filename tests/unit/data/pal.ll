; A compute shader of a graphics driver.
target triple = "amdgcn-amd-amdpal"

define amdgpu_cs void @shader(<4 x i32> inreg %descriptor, i32 %id) {
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %id, <4 x i32> %descriptor, i32 0, i32 0, i32 0)
  ret void
}

declare void @llvm.amdgcn.raw.buffer.store.i32(i32, <4 x i32>, i32, i32, i32)
