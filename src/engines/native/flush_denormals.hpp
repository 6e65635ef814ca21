// Rounds denormal numbers to zero in the calling thread while an object of the class exists. Converged models have many
// denormal numbers, which make every operation many times slower.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace sheaf {

class FlushDenormals {
 public:
  FlushDenormals() { set(before_ | flush_to_zero | denormals_are_zero); }
  ~FlushDenormals() { set(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
#ifdef __SSE__
  static void set(unsigned state) {
    _mm_setcsr(state);
  }
  const unsigned before_ = _mm_getcsr();
#else
  static void set(unsigned) {}
  const unsigned before_ = 0;
#endif
};

}  // namespace sheaf
