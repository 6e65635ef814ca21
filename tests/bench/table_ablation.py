"""What the parts of `sheaf run TABLE.h5 --search.time=T` bring: the test loss and the processor time without each of them.

    python3 table_ablation.py SHEAF FOLDER [--tables=NAME,...]

needs what table_quality.py needs, and uses its tables in FOLDER. The list of trials is that of 10 s; all of its trials are
trained, so the results do not depend on the speed of the machine. Left out are, in turn: the refit (the models of the search
predict), the linear models, the trees, the plain MLPs, all MLPs, the embeddings of numbers, the ensemble (the best trial
predicts) and the folds (a fifth of the rows is held out).

SPDX-License-Identifier: MIT
"""
import argparse
import math
import os
import pathlib

import numpy
import table_quality

SEARCH_SECONDS = 10


def variants(trials, has_folds):
    """Returns {name: (trials, options)}."""
    def without(*parts):
        return [trial for trial in trials if not all(part in trial for part in parts)]

    found = {
        "all": (trials, []),
        "refit": (trials, ["--run.refit=false"]),
        "linear models": (without("model.kind = linear"), []),
        "trees": (without("model.kind = boosted_trees"), []),
        "plain MLPs": (without("model.kind = mlp", "model.embedding = none"), []),
        "all MLPs": (without("model.kind = mlp"), []),
        "embeddings of numbers": (without("model.embedding = piecewise"), []),
        "ensemble": (trials, ["--search.ensemble=none"]),
    }
    if has_folds:
        found["folds"] = trials, ["--search.folds=1", "--data.validation=0.2"]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sheaf")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tables", default="ames,breast,cells,churn,diabetes,digits,flights")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    ratios = {}
    for name in options.tables.split(","):
        if not (options.folder / f"{name}-test.csv").exists():
            table_quality.write_table(options.folder, name, *table_quality.TABLES[name]())
        study, trials, folds = table_quality.listed_search(options.sheaf, options.folder, name, SEARCH_SECONDS)
        whole = None
        for part, (kept, keys) in variants(trials, folds > 1).items():
            loss, used = table_quality.all_trained(options.sheaf, options.folder, name, study, kept, keys)
            whole = whole or (loss, used)
            ratios.setdefault(part, []).append((loss / whole[0], used / whole[1]))
            print(f"{name}, without {part}: {loss:.5f} (ratio {loss / whole[0]:.3f}), {used:.1f} CPU s "
                  f"({used / whole[1]:.2f})" if part != "all" else f"{name}: {loss:.5f}, {used:.1f} CPU s", flush=True)
    for part, found in ratios.items():
        loss, used = (math.exp(numpy.mean(numpy.log([one[number] for one in found]))) for number in (0, 1))
        print(f"without {part}: geometric means of {len(found)} tables: loss {loss:.3f}, CPU time {used:.2f}")


if __name__ == "__main__":
    main()
