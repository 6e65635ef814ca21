// SPDX-License-Identifier: MIT
#include "hdf5/native_type.hpp"

#include <hdf5.h>

namespace sheaf {

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
    case NumberType::float32:
      return H5T_NATIVE_FLOAT;
    case NumberType::float64:
      break;
  }
  return H5T_NATIVE_DOUBLE;
}

}  // namespace sheaf
