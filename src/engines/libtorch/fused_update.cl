// The update of the parameters of a stack by an optimizer, all operations in one kernel: OpenCL C, CUDA and HIP.
// SPDX-License-Identifier: MIT
#include "engines/libtorch/fused_update_values.h"
#include "engines/libtorch/gpu_language.h"

#define UPDATE_REAL float
#define UPDATE_NAME(name) name##_float32
#include "engines/libtorch/fused_update_kernel.h"
#undef UPDATE_REAL
#undef UPDATE_NAME

#if defined(__OPENCL_C_VERSION__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define UPDATE_REAL double
#define UPDATE_NAME(name) name##_float64
#include "engines/libtorch/fused_update_kernel.h"
#undef UPDATE_REAL
#undef UPDATE_NAME
