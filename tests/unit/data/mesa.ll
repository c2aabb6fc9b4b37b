; A kernel, a function and a shader as Mesa's drivers have them.
target triple = "amdgcn-mesa-mesa3d"

define amdgpu_kernel void @twice(i32 addrspace(1)* %out, i32 %n) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %value = mul i32 %id, %n
  %place = getelementptr i32, i32 addrspace(1)* %out, i32 %id
  store i32 %value, i32 addrspace(1)* %place
  ret void
}

define i32 @add(i32 %x, i32 %y) {
  %sum = add i32 %x, %y
  ret i32 %sum
}

define amdgpu_cs void @shader() {
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
