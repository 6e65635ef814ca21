// Reads arrays of numbers from NumPy's .npy files.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/byte_source.hpp"
#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// The contents of a header, format versions 1 to 3.
struct NpyHeader {
  char kind = 'f';               ///< numpy.dtype.kind: 'f', 'i', 'u', 'b' (bool); texts: 'U', 'S'
  std::size_t number_bytes = 4;  ///< size of one number or text

  bool is_text() const { return kind == 'U' || kind == 'S'; }
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;  ///< rank >= 1
  std::uint64_t header_bytes = 0;   ///< offset of the first number in the file
  std::uint64_t data_bytes = 0;     ///< size of all numbers
};

/// Reads the header. Throws RunError if it is not valid or if the array has neither real numbers nor texts.
NpyHeader read_npy_header(ByteSource& source);

/// Reads the numbers that follow the header, to the end of the source. Converts them to C order and the machine's byte
/// order, and bool to uint8 values 0 and 1. Throws RunError for an array of texts.
NumberArray read_npy_numbers(ByteSource& source, const NpyHeader& header);

/// Reads the texts that follow the header of an array [rows] or [rows, 1] of texts, to the end of the source. Texts of
/// bytes that are not UTF-8 are decoded as Latin-1. Throws RunError for other shapes.
std::vector<std::string> read_npy_texts(ByteSource& source, const NpyHeader& header);

/// Reads the header and the numbers.
NumberArray read_npy(ByteSource& source);

}  // namespace sheaf
