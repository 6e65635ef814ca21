// One input part: values as stored in a file. Options: 0 and 1 the kind, 2 and 3 the size, 4 the byte order, 5 and 6
// the type after conversion.
// SPDX-License-Identifier: MIT
#include "files/hdf5/elements.hpp"

#include <cstring>
#include <vector>

#include "fuzzing.hpp"

using namespace sheaf;
using Kind = StoredElement::Kind;

namespace {

// Converts all values in one call and in one call each; the results must be the same.
template <class T>
void convert(const std::string& bytes, StoredElement element) {
  const auto count = static_cast<std::int64_t>(bytes.size() / element.bytes);
  const auto* from = reinterpret_cast<const std::byte*>(bytes.data());
  std::vector<T> together(static_cast<std::size_t>(count)), alone(together.size());
  convert_elements(from, element, together.data(), count);
  for (std::size_t index = 0; index < alone.size(); ++index)
    convert_elements(from + index * element.bytes, element, &alone[index], 1);
  fuzz::must(together.empty() || std::memcmp(together.data(), alone.data(), alone.size() * sizeof(T)) == 0,
             "the conversion of a value does not depend on other values");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  StoredElement element;
  element.kind = static_cast<Kind>(std::min(input.options & 3, 2u));
  element.bytes = std::size_t{1} << (input.options >> 2 & 3);
  element.swapped = input.option(4);
  if (element.kind == Kind::real && element.bytes == 1) return 0;
  switch (input.options >> 5 & 3) {
    case 0:
      convert<float>(input.part(0), element);
      break;
    case 1:
      convert<double>(input.part(0), element);
      break;
    case 2:
      if (element.kind != Kind::real) convert<std::int64_t>(input.part(0), element);
      break;
    default:
      if (element.kind == Kind::unsigned_integer && element.bytes == 1) convert<std::uint8_t>(input.part(0), element);
  }
  return 0;
}
