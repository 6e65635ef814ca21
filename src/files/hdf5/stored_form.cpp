// SPDX-License-Identifier: MIT
#include "files/hdf5/stored_form.hpp"

#include "files/hdf5/handle.hpp"

namespace sheaf {

std::optional<StoredElement> element_of(hid_t stored_type) {
  const Handle super(H5Tget_class(stored_type) == H5T_ENUM ? H5Tget_super(stored_type) : H5Tcopy(stored_type), H5Tclose,
                     "HDF5 cannot describe a type");
  const hid_t type = super.id();
  StoredElement element;
  element.bytes = H5Tget_size(type);
  const bool sized = element.bytes == 1 || element.bytes == 2 || element.bytes == 4 || element.bytes == 8;
  if (!sized || H5Tget_precision(type) != 8 * element.bytes || H5Tget_offset(type) != 0) return std::nullopt;
  element.swapped = element.bytes > 1 && H5Tget_order(type) != H5Tget_order(H5T_NATIVE_INT);
  if (H5Tget_class(type) == H5T_INTEGER) {
    element.kind =
        H5Tget_sign(type) == H5T_SGN_NONE ? StoredElement::Kind::unsigned_integer : StoredElement::Kind::signed_integer;
    return element;
  }
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
  H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits);
  const std::size_t ieee_exponent_bits = element.bytes == 2 ? 5 : element.bytes == 4 ? 8 : 11;
  const bool ieee = element.bytes > 1 && exponent_bits == ieee_exponent_bits && mantissa == 0 &&
                    mantissa_bits == exponent && sign == exponent + exponent_bits &&
                    H5Tget_norm(type) == H5T_NORM_IMPLIED &&
                    H5Tget_ebias(type) == (std::size_t{1} << (exponent_bits - 1)) - 1;
  if (!ieee) return std::nullopt;
  element.kind = StoredElement::Kind::real;
  return element;
}

std::optional<std::vector<ChunkFilter>> filters_of(hid_t creation) {
  unsigned options = 0;
  H5Pget_chunk_opts(creation, &options);
  if ((options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0) return std::nullopt;
  std::vector<ChunkFilter> filters;
  int deflates = 0;
  for (int number = 0; number < H5Pget_nfilters(creation); ++number) {
    unsigned flags = 0, config = 0, values[1] = {1};
    std::size_t value_count = 1;
    const H5Z_filter_t id =
        H5Pget_filter2(creation, static_cast<unsigned>(number), &flags, &value_count, values, 0, nullptr, &config);
    if (id == H5Z_FILTER_DEFLATE) {
      filters.push_back({ChunkFilter::Kind::deflate});
      ++deflates;
    } else if (id == H5Z_FILTER_SHUFFLE && values[0] > 0) {
      filters.push_back({ChunkFilter::Kind::shuffle, values[0]});
    } else if (id == H5Z_FILTER_FLETCHER32) {
      filters.push_back({ChunkFilter::Kind::fletcher32});
    } else {
      return std::nullopt;
    }
  }
  if (deflates > 1) return std::nullopt;
  return filters;
}

}  // namespace sheaf
