// Numbers too small for full precision, rounded to zero while it lives: converged trainings are full of them, and they
// make every operation that meets one many times slower. Of the calling thread.
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
