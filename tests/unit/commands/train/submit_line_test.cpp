// SPDX-License-Identifier: MIT
#include "commands/train/submit_line.hpp"

#include <filesystem>
#include <fstream>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

const JobShape on_cores{2, 2, 8, 0, 0, 32}, on_gpus{1, 4, 16, 4, 4, 0};

}  // namespace

TEST_CASE("a study on cores is submitted with its size, time and keys") {
  CHECK(submit_line({"my.cfg", {}, "runs/my"}, on_cores, 600, "jobs/cpu.sbatch") ==
        "STUDY=my.cfg OUTPUT=runs/my sbatch --nodes=2 --ntasks-per-node=2 --cpus-per-task=8 --time=00:10:00 "
        "jobs/cpu.sbatch");
  CHECK(submit_line({"my.cfg", {}, "runs/my"}, on_cores, std::nullopt, "jobs/cpu.sbatch") ==
        "STUDY=my.cfg OUTPUT=runs/my sbatch --nodes=2 --ntasks-per-node=2 --cpus-per-task=8 jobs/cpu.sbatch");
  CHECK(submit_line({"a b.cfg", {{"train.epochs", "5"}, {"search.model.hidden", "16, 64 32"}}, "runs/a b"}, on_cores,
                    600, "/my jobs/cpu.sbatch") ==
        "STUDY='a b.cfg' OUTPUT='runs/a b' sbatch --nodes=2 --ntasks-per-node=2 --cpus-per-task=8 --time=00:10:00 "
        "'/my jobs/cpu.sbatch' --train.epochs=5 '--search.model.hidden=16, 64 32'");
}

TEST_CASE("the scripts read the run directory, and on GPUs the device, from variables") {
  const SubmittedStudy study{"my.cfg", {{"run.output", "runs/a"}, {"run.device", "auto"}}, "runs/a"};
  CHECK(submit_line(study, on_gpus, 86400, "gpu.sbatch") ==
        "STUDY=my.cfg OUTPUT=runs/a DEVICE=auto sbatch --nodes=1 --ntasks-per-node=4 --cpus-per-task=16 "
        "--gpus-per-node=4 --time=1-00:00:00 gpu.sbatch");
  CHECK(submit_line(study, on_cores, 600, "cpu.sbatch") ==
        "STUDY=my.cfg OUTPUT=runs/a sbatch --nodes=2 --ntasks-per-node=2 --cpus-per-task=8 --time=00:10:00 cpu.sbatch "
        "--run.device=auto");
}

TEST_CASE("the scripts are those of the build folder or of the installation of the program") {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / "sheaf-job-scripts";
  fs::remove_all(root);
  for (const char* folder : {"tree/jobs", "tree/build/dev", "prefix/share/sheaf/jobs", "prefix/bin"})
    fs::create_directories(root / folder);
  std::ofstream(root / "tree/jobs/cpu.sbatch") << "#";
  std::ofstream(root / "prefix/share/sheaf/jobs/cpu.sbatch") << "#";
  CHECK(job_script("cpu.sbatch", root / "tree/build/dev/sheaf") == (root / "tree/jobs/cpu.sbatch").string());
  CHECK(job_script("cpu.sbatch", root / "prefix/bin/sheaf") == (root / "prefix/share/sheaf/jobs/cpu.sbatch").string());
  CHECK(job_script("gpu.sbatch", root / "prefix/bin/sheaf") == "gpu.sbatch");
  fs::remove_all(root);
}
