"""File names with control characters: no command prints them, and each error is one line."""

import os
import shutil
import sys

from interrupted import study
from program import DIGITS, Checks, sheaf

checks = Checks()
shutil.rmtree("names", ignore_errors=True)
os.makedirs("names")
os.chdir("names")

NASTY = "a\x1b[31mred\x07\x7f\nb\x9b\u009bc"
HIDDEN = "a?[31mred???b??c"


def nasty(ending):
    """A name with control characters, line ends, and bytes that are not UTF-8."""
    return NASTY.replace("\x9b", "\udc9b") + ending


def is_clean(text):
    return all(character == "\n" or character.isprintable() for character in text)


def check(name, code, *args):
    result = sheaf(*args)
    text = result.stdout + result.stderr
    checks.check((code is None or result.code == code) and is_clean(text) and
                 len(result.error_lines()) == (result.code != 0) and
                 HIDDEN in text, name, f"exit {result.code}\n{text!a}")


os.environ["PYTHONIOENCODING"] = "utf-8"
with open(nasty(".csv"), "w") as file:
    file.write("a,b,label\n" + "1,2,x\n3,4,y\n" * 20)
with open(nasty("-bad.csv"), "w") as file:
    file.write("a,b,label\n1,2,x\n3,y\n")
checks.check(sheaf("run", *study("native", epochs=1, models="best"), "--run.output=run").code == 0, "a run succeeds")
check("import", 0, "import", nasty(".csv"), nasty(".h5"))
check("import of a damaged file", 1, "import", nasty("-bad.csv"), "bad.h5")
check("import of a missing file", 1, "import", nasty("-absent.csv"), "absent.h5")
check("import to an existing file", 1, "import", nasty(".csv"), nasty(".h5"))
check("import to an unknown ending", 2, "import", nasty(".csv"), nasty(".txt"))
check("preprocess", 0, "preprocess", nasty(".h5"), nasty("-made.h5"), "--normalize=standard")
check("preprocess of a missing file", 1, "preprocess", nasty("-absent.h5"), "new.h5")
shutil.copy(DIGITS, nasty("-digits.h5"))
check("predict", 0, "predict", "run", nasty("-digits.h5"), nasty("-predicted.csv"))
check("predict to an existing file", 1, "predict", "run", DIGITS, nasty("-predicted.csv"))
check("predict to a missing folder", 1, "predict", "run", DIGITS, nasty("/predicted.csv"))
check("predict of a missing model", 1, "predict", nasty("-absent"), DIGITS, "new.csv")
check("evaluate", None, "evaluate", "run", f"--data.file={nasty('-digits.h5')}")
check("evaluate of a model that is no model", 1, "evaluate", nasty(".csv"), f"--data.file={DIGITS}")
check("plan of a missing study", 2, "plan", nasty(".cfg"))
check("resume of a missing run", 2, "resume", nasty("-run"))
check("an unknown command", 2, nasty(""))
check("an unknown option", 2, "info", "--" + nasty(""))
sys.exit(checks.finish())
