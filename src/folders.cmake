# The folders of src/, lowest layer first, one layer per string. A folder may use the folders of the strings before its
# own; main.cpp may use all. src/CMakeLists.txt builds them, cmake/CheckLayers.cmake checks them and src/README.md.
set(layers
  "core"
  "files core/random report/plot"
  "files/hdf5 study"
  "parallel/mpi"
  "parallel/devices parallel/partition"
  "data"
  "data/stream data/import data/transform"
  "models training/losses"
  "training/metrics"
  "training"
  "search engines/native/kernels"
  "engines/native/layers"
  "engines/native"
  "engines"
  "runs/directory runs/journal runs/results engines/libtorch"
  "runs"
  "report commands/line commands/train/prepare"
  "commands/train/training"
  "commands/train/finish"
  "commands/train commands/evaluate commands/preprocess commands/import commands/info commands/status commands/report"
  "commands")
