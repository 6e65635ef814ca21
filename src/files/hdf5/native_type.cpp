// SPDX-License-Identifier: MIT
#include "files/hdf5/native_type.hpp"

#include <hdf5.h>

namespace sheaf {

namespace {

// HDF5 has no predefined type for float16.
hid_t make_half_type() {
  const hid_t type = H5Tcopy(H5T_NATIVE_FLOAT);
  H5Tset_fields(type, 15, 10, 5, 0, 10);  // sign, exponent and its bits, fraction and its bits
  H5Tset_size(type, 2);
  H5Tset_ebias(type, 15);
  return type;
}

}  // namespace

std::int64_t native_type(NumberType type) {
  switch (type) {
    case NumberType::int8:
      return H5T_NATIVE_INT8;
    case NumberType::int16:
      return H5T_NATIVE_INT16;
    case NumberType::int32:
      return H5T_NATIVE_INT32;
    case NumberType::int64:
      return H5T_NATIVE_INT64;
    case NumberType::uint8:
      return H5T_NATIVE_UINT8;
    case NumberType::uint16:
      return H5T_NATIVE_UINT16;
    case NumberType::uint32:
      return H5T_NATIVE_UINT32;
    case NumberType::uint64:
      return H5T_NATIVE_UINT64;
    case NumberType::float16: {
      static const hid_t half_type = make_half_type();
      return half_type;
    }
    case NumberType::float32:
      return H5T_NATIVE_FLOAT;
    case NumberType::float64:
      break;
  }
  return H5T_NATIVE_DOUBLE;
}

}  // namespace sheaf
