// The one place that knows Catch2's version. To be included after torch, which defines CHECK, too.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef CHECK
#undef CHECK
#endif

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
