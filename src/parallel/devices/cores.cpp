// SPDX-License-Identifier: MIT
#include "parallel/devices/cores.hpp"

#include <hwloc.h>

#include <memory>
#include <type_traits>

#include "core/error.hpp"
#include "parallel/devices/memory.hpp"

namespace sheaf {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, TopologyDeleter>;

struct BitmapDeleter {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, BitmapDeleter>;

Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  require(hwloc_topology_init(&raw) == 0, "the processor topology cannot be read (hwloc_topology_init failed).");
  Topology topology(raw);
  require(hwloc_topology_load(raw) == 0, "the processor topology cannot be read (hwloc_topology_load failed).");
  return topology;
}

}  // namespace

BoundCores find_bound_cores() {
  const Topology topology = load_topology();
  const Bitmap mask(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology.get(), mask.get(), HWLOC_CPUBIND_PROCESS) != 0)
    hwloc_bitmap_copy(mask.get(), hwloc_topology_get_allowed_cpuset(topology.get()));

  BoundCores bound;
  const bool has_cores = hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_CORE) > 0;
  const hwloc_obj_type_t kind = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  bound.machine_cores = hwloc_get_nbobjs_by_type(topology.get(), kind);
  bound.sockets = hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_PACKAGE);
  for (std::int32_t core = 0; core < bound.machine_cores; ++core) {
    const hwloc_obj_t object = hwloc_get_obj_by_type(topology.get(), kind, static_cast<unsigned>(core));
    if (hwloc_bitmap_intersects(object->cpuset, mask.get())) bound.cores.push_back(core);
  }
  if (bound.sockets > 0) {
    const hwloc_obj_t package = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0);
    if (const char* model = hwloc_obj_get_info_by_name(package, "CPUModel")) bound.processor = model;
  }
  // hwloc's own figure does not include memory that was added to a virtual machine later.
  bound.memory_bytes = static_cast<double>(usable_memory_bytes());
  return bound;
}

}  // namespace sheaf
