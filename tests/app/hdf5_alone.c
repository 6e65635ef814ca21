/* Reads data sets with libhdf5 alone, through the same calls as the program. It prints nothing and returns 0 even if
 * the library reports errors. If it crashes or hangs on a damaged file, the fault is in the library.
 * Usage: hdf5_alone FILE NAME... */
/* SPDX-License-Identifier: MIT */
#include <hdf5.h>
#include <stdint.h>
#include <stdlib.h>

enum { most_rank = 32, most_bytes = 1 << 28 };

static void read_chunk_at(hid_t data_set, const hsize_t* corner) {
  hsize_t bytes = 0;
  uint32_t skipped = 0;
  if (H5Dget_chunk_storage_size(data_set, corner, &bytes) < 0 || bytes == 0 || bytes > most_bytes) return;
  void* chunk = malloc(bytes);
  if (chunk != NULL) H5Dread_chunk(data_set, H5P_DEFAULT, corner, &skipped, chunk);
  free(chunk);
}

/* Reads the stored bytes of every chunk within the shape. */
static void read_chunks(hid_t data_set, hid_t creation, int rank, const hsize_t* shape) {
  hsize_t sides[most_rank] = {0}, corner[most_rank] = {0};
  if (H5Pget_layout(creation) != H5D_CHUNKED || H5Pget_chunk(creation, rank, sides) != rank) return;
  for (int d = 0; d < rank; ++d)
    if (sides[d] == 0) return;
  for (int count = 0; count < 1000; ++count) {
    read_chunk_at(data_set, corner);
    int d = rank - 1;
    for (; d >= 0; corner[d--] = 0)
      if ((corner[d] += sides[d]) < shape[d]) break;
    if (d < 0) return;
  }
}

static void read_whole(hid_t data_set, int rank, const hsize_t* shape) {
  hsize_t bytes = sizeof(double);
  for (int d = 0; d < rank; ++d) {
    if (shape[d] != 0 && bytes > most_bytes / shape[d]) return;
    bytes *= shape[d];
  }
  void* values = malloc(bytes + 1);
  if (values != NULL) H5Dread(data_set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  free(values);
}

static void read_data_set(hid_t file, const char* name) {
  const hid_t data_set = H5Dopen2(file, name, H5P_DEFAULT);
  if (data_set < 0) return;
  const hid_t type = H5Dget_type(data_set), space = H5Dget_space(data_set), creation = H5Dget_create_plist(data_set);
  hsize_t shape[most_rank] = {0};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank >= 1 && rank <= most_rank) {
    H5Sget_simple_extent_dims(space, shape, NULL);
    H5Dget_storage_size(data_set);
    H5Dget_offset(data_set);
    read_chunks(data_set, creation, rank, shape);
    read_whole(data_set, rank, shape);
  }
  H5Pclose(creation);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(data_set);
}

static herr_t visited(hid_t group, const char* name, const H5O_info_t* info, void* data) {
  (void)group, (void)name, (void)info, (void)data;
  return 0;
}

int main(int count, char** arguments) {
  if (count < 2) return 0;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const hid_t file = H5Fopen(arguments[1], H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return 0;
  for (int i = 2; i < count; ++i) read_data_set(file, arguments[i]);
#if H5_VERSION_GE(1, 12, 0)
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visited, NULL, H5O_INFO_BASIC);
#else
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visited, NULL);
#endif
  H5Fclose(file);
  return 0;
}
