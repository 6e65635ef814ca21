// SPDX-License-Identifier: MIT
#include "hdf5/file.hpp"

#include <fstream>
#include <numeric>

#include "core/error.hpp"
#include "core/index_range.hpp"
#include "mpi/communicator.hpp"
#include "support/hdf5_fixture.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::vector<double> counting(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

}  // namespace

TEST_CASE("ranks read their shares of one file, alone and all at once, with empty shares") {
  const Communicator world = Communicator::world();
  const auto values = counting(60);
  for (const StoredAs& stored : {StoredAs{H5T_IEEE_F64BE}, StoredAs{H5T_STD_U8LE, {4, 2}, true}}) {
    if (world.is_root()) FixtureFile("shares.h5").numbers("/group/x", {20, 3}, values, stored);
    world.barrier();
    const InputFile file("shares.h5", world);
    const DataSetReader reader = file.data_set("/group/x");
    CHECK(reader.info().shape == std::vector<std::int64_t>{20, 3});
    for (const Transfer transfer : {Transfer::independent, Transfer::collective}) {
      // Rank 0 has nothing to read where there are others.
      const IndexRange rows = world.size() == 1 ? IndexRange{0, 20}
                              : world.is_root() ? IndexRange{0, 0}
                                                : split_evenly(20, world.size() - 1, world.rank() - 1);
      std::vector<double> read(static_cast<std::size_t>(rows.count() * 3));
      reader.read_rows(rows, read.data(), transfer);
      CHECK(read == std::vector<double>(values.begin() + rows.begin * 3, values.begin() + rows.end * 3));
    }
  }
}

TEST_CASE("a file that cannot be opened is the same error on all ranks") {
  const Communicator world = Communicator::world();
  if (world.is_root()) {
    std::ofstream("text.h5") << "text";
    FixtureFile("sets.h5").numbers("/x", {1}, {1});
  }
  world.barrier();
  CHECK_THROWS_WITH(InputFile("missing.h5", world), StartsWith("There is no file 'missing.h5' ("));
  CHECK_THROWS_WITH(InputFile("text.h5", world), StartsWith("'text.h5' is not an HDF5 file ("));
  const InputFile file("sets.h5", world);
  CHECK_THROWS_WITH(file.data_set("/y"), "File 'sets.h5' has no data set '/y' (it has '/x'). Did you mean '/x'?");
}

TEST_CASE("a file that is missing on one rank only is an error on all") {
  const Communicator world = Communicator::world();
  if (world.is_root()) FixtureFile("there.h5").numbers("/x", {1}, {1});
  world.barrier();
  const bool last = world.rank() == world.size() - 1;
  CHECK_THROWS_WITH(InputFile(last ? "not_there.h5" : "there.h5", world),
                    StartsWith("There is no file 'not_there.h5' ("));
}
