// NumPy's .npy files, of numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "files/byte_source.hpp"
#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// The content of a header, of versions 1 to 3.
struct NpyHeader {
  char kind = 'f';               ///< as NumPy's: 'f', 'i', 'u', 'b' (bool)
  std::size_t number_bytes = 4;  ///< of one number
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;  ///< rank >= 1
  std::uint64_t header_bytes = 0;   ///< from the file's begin to its first number
  std::uint64_t data_bytes = 0;
};

/// Reads the header. Throws RunError when it is not a header, or when the array does not hold real numbers.
NpyHeader read_npy_header(ByteSource& source);

/// Reads the numbers that follow the header, to the end, in C order and the machine's byte order. bool becomes
/// uint8 of 0 and 1.
NumberArray read_npy_numbers(ByteSource& source, const NpyHeader& header);

/// Both.
NumberArray read_npy(ByteSource& source);

}  // namespace sheaf
