// SPDX-License-Identifier: MIT
#include "kernels/opencl_kernel.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace sheaf::test {
namespace {

void require_success(cl_int code, const char* call) {
  if (code != CL_SUCCESS) throw std::runtime_error(std::string(call) + ": OpenCL error " + std::to_string(code));
}

// The first one, or null.
cl_device_id cpu_device() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return nullptr;
  std::vector<cl_platform_id> platforms(count);
  if (count > 0) clGetPlatformIDs(count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    cl_device_id device = nullptr;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS) return device;
  }
  return nullptr;
}

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, ' ');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return log;
}

}  // namespace

struct OpenClProgram::Handles {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;

  ~Handles() {
    if (program != nullptr) clReleaseProgram(program);
    if (queue != nullptr) clReleaseCommandQueue(queue);
    if (context != nullptr) clReleaseContext(context);
  }
};

namespace {

// One run of a kernel: its arguments, whose results are copied back.
class KernelRun {
 public:
  KernelRun(cl_context context, cl_command_queue queue, cl_program program, const char* name)
      : context_(context), queue_(queue) {
    cl_int code = CL_SUCCESS;
    kernel_ = clCreateKernel(program, name, &code);
    require_success(code, "clCreateKernel");
  }
  ~KernelRun() {
    for (const Buffer& buffer : buffers_)
      if (buffer.memory != nullptr) clReleaseMemObject(buffer.memory);
    clReleaseKernel(kernel_);
  }
  KernelRun(const KernelRun&) = delete;
  KernelRun& operator=(const KernelRun&) = delete;

  // `values` may be null.
  void add_array(void* values, std::size_t bytes) {
    cl_int code = CL_SUCCESS;
    Buffer buffer{nullptr, values, bytes};
    if (values != nullptr)
      buffer.memory = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, values, &code);
    require_success(code, "clCreateBuffer");
    buffers_.push_back(buffer);
    require_success(clSetKernelArg(kernel_, next_++, sizeof(cl_mem), &buffer.memory), "clSetKernelArg");
  }

  template <class Number>
  void add(Number number) {
    require_success(clSetKernelArg(kernel_, next_++, sizeof number, &number), "clSetKernelArg");
  }

  void run(std::size_t groups, std::size_t group_size) {
    const std::size_t items = groups * group_size;
    require_success(clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &items, &group_size, 0, nullptr, nullptr),
                    "clEnqueueNDRangeKernel");
    for (const Buffer& buffer : buffers_)
      if (buffer.memory != nullptr)
        require_success(
            clEnqueueReadBuffer(queue_, buffer.memory, CL_TRUE, 0, buffer.bytes, buffer.values, 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
  }

 private:
  struct Buffer {
    cl_mem memory;
    void* values;
    std::size_t bytes;
  };
  cl_context context_;
  cl_command_queue queue_;
  cl_kernel kernel_ = nullptr;
  cl_uint next_ = 0;
  std::vector<Buffer> buffers_;
};

}  // namespace

bool OpenClProgram::has_device() {
  return cpu_device() != nullptr;
}

OpenClProgram::OpenClProgram(const std::string& sources, const std::string& options)
    : handles_(std::make_unique<Handles>()) {
  Handles& to = *handles_;
  to.device = cpu_device();
  if (to.device == nullptr) throw std::runtime_error("OpenCL has no device that runs on cores");
  cl_int code = CL_SUCCESS;
  to.context = clCreateContext(nullptr, 1, &to.device, nullptr, nullptr, &code);
  require_success(code, "clCreateContext");
  to.queue = clCreateCommandQueue(to.context, to.device, 0, &code);
  require_success(code, "clCreateCommandQueue");
  const char* source = "#include \"engines/libtorch/fused_update.cl\"\n";
  to.program = clCreateProgramWithSource(to.context, 1, &source, nullptr, &code);
  require_success(code, "clCreateProgramWithSource");
  const std::string all = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -I " + sources + " " + options;
  if (clBuildProgram(to.program, 1, &to.device, all.c_str(), nullptr, nullptr) != CL_SUCCESS)
    throw std::runtime_error("clBuildProgram: " + build_log(to.program, to.device));
}

OpenClProgram::~OpenClProgram() = default;
OpenClProgram::OpenClProgram(OpenClProgram&&) noexcept = default;

void OpenClProgram::update(const StackShape& shape, const StackBatch& batch, StackState& state, int fused) const {
  const FusedUpdate update = fused_update(shape, batch, state, fused);
  const std::size_t size = update.is_double ? sizeof(double) : sizeof(float);
  const auto values = static_cast<std::size_t>(update.slots * update.stride);
  KernelRun run(handles_->context, handles_->queue, handles_->program,
                update.is_double ? "fused_update_float64" : "fused_update_float32");
  run.add_array(update.parameters, values * size);
  run.add_array(const_cast<void*>(update.gradients), values * size);
  run.add_array(update.first, values * size);
  run.add_array(update.second, values * size);
  run.add_array(update.averages, values * size);
  run.add_array(const_cast<void*>(update.numbers), static_cast<std::size_t>(update.slots * update_number_count) * size);
  run.add(cl_long{update.stride});
  run.add(cl_int{update.slot_groups()});
  run.add(cl_int{update.optimizer});
  run.add(cl_int{update.fused});
  run.run(static_cast<std::size_t>(update.slots * update.slot_groups()), update_group_size);
}

}  // namespace sheaf::test
