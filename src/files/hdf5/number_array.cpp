// SPDX-License-Identifier: MIT
#include "files/hdf5/number_array.hpp"

#include <algorithm>

namespace sheaf {
namespace {

struct TypeTraits {
  std::size_t bytes;
  const char* name;
};

// Indexed by NumberType.
constexpr TypeTraits traits[] = {{1, "int8"},    {2, "int16"},   {4, "int32"},  {8, "int64"},
                                 {1, "uint8"},   {2, "uint16"},  {4, "uint32"}, {8, "uint64"},
                                 {2, "float16"}, {4, "float32"}, {8, "float64"}};

}  // namespace

NumberType number_type_of(const StoredElement& element) {
  switch (element.kind) {
    case StoredElement::Kind::real:
      return element.bytes == 2 ? NumberType::float16 : element.bytes == 4 ? NumberType::float32 : NumberType::float64;
    case StoredElement::Kind::signed_integer:
      return element.bytes == 1   ? NumberType::int8
             : element.bytes == 2 ? NumberType::int16
             : element.bytes == 4 ? NumberType::int32
                                  : NumberType::int64;
    case StoredElement::Kind::unsigned_integer:
      break;
  }
  return element.bytes == 1   ? NumberType::uint8
         : element.bytes == 2 ? NumberType::uint16
         : element.bytes == 4 ? NumberType::uint32
                              : NumberType::uint64;
}

std::size_t number_bytes(NumberType type) {
  return traits[static_cast<std::size_t>(type)].bytes;
}

const char* number_type_name(NumberType type) {
  return traits[static_cast<std::size_t>(type)].name;
}

bool is_real(NumberType type) {
  return type == NumberType::float16 || type == NumberType::float32 || type == NumberType::float64;
}

std::optional<std::uint64_t> array_bytes(const std::vector<std::int64_t>& shape, std::size_t number_bytes) {
  auto bytes = static_cast<std::int64_t>(number_bytes);
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes)) return std::nullopt;
  const bool is_empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  return is_empty ? 0 : static_cast<std::uint64_t>(bytes);
}

std::int64_t NumberArray::row_elements() const {
  std::int64_t elements = 1;
  for (std::size_t dimension = 1; dimension < shape.size(); ++dimension) elements *= shape[dimension];
  return elements;
}

}  // namespace sheaf
