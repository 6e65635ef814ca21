// The common subset of OpenCL C, CUDA and HIP, as macros, so that a kernel for GPUs is written once. Kernels are
// compiled without contraction: a * b + c is rounded twice, and only fma() once. For CUDA this needs the option
// -fmad=false. A group is a work-group or a block, an item one of its threads.
// SPDX-License-Identifier: MIT
#pragma once

#if defined(__OPENCL_C_VERSION__)

#pragma OPENCL FP_CONTRACT OFF
#define GPU_KERNEL(group_size) __kernel __attribute__((reqd_work_group_size(group_size, 1, 1)))
#define GPU_FUNCTION static
#define GPU_GLOBAL __global
#define GPU_SHARED __local  // a variable in the memory of a group, at the beginning of a kernel
#define GPU_SHARED_POINTER __local
#define GPU_ITEM ((int)get_local_id(0))
#define GPU_ITEMS ((int)get_local_size(0))
#define GPU_GROUP ((int)get_group_id(0))
// A test of the search for races leaves barriers out.
#if defined(GPU_NO_BARRIERS)
#define GPU_BARRIER()
#else
#define GPU_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#endif
typedef long gpu_int64;

#else

#if defined(__clang__)
#pragma clang fp contract(off)
#endif
#define GPU_KERNEL(group_size) __global__ __launch_bounds__(group_size)
#define GPU_FUNCTION static __device__ __forceinline__
#define GPU_GLOBAL
#define GPU_SHARED __shared__
#define GPU_SHARED_POINTER
#define GPU_ITEM ((int)threadIdx.x)
#define GPU_ITEMS ((int)blockDim.x)
#define GPU_GROUP ((int)blockIdx.x)
#define GPU_BARRIER() __syncthreads()
typedef long long gpu_int64;

#endif
