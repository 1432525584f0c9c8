"""Python and the headers of the runtime describe the same structures, enumerations, constants and functions."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

import pytest

from coset.engines import choices, settings
from coset.engines.explicit import seam
from coset.engines.explicit.build import FLAGS, compiler, runtime_files

HEADERS = (
    "search.h",
    "store.h",
    "component_dictionary.h",
    "cycles.h",
    "shortest.h",
    "product.h",
    "branching.h",
    "share.h",
)
MODEL = {"STATE_SIZE": 8, "PACKED_SIZE": 8, "MODEL_CACHES": 1, "COMPONENTS": 1, "CORES": 1, "ITEM_WORDS": 1,
         "MODEL_SYMMETRIC": 1, "MODEL_PARTIAL": 1, "MODEL_SLOTS": 1, "MODEL_GRAPH": 0}  # fmt: skip
LIMITS = {"LEAST_BITS": settings.LEAST_BITS, "MOST_BITS": settings.MOST_BITS}
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def members(enum: str) -> list[str]:
    """The names of the members of an enumeration in C."""
    return [f"{enum.upper()}_{member.name}" for member in seam.ENUMS[enum]]


def program() -> str:
    """C that prints what the headers say, one name and one number in a line."""
    shown = [(f"sizeof {name}", f"sizeof(struct {name})") for name in seam.STRUCTS]
    for name, struct in seam.STRUCTS.items():
        for field, *_ in struct._fields_:
            shown.append((f"{name}.{field} at", f"offsetof(struct {name}, {field})"))
            shown.append((f"{name}.{field} has", f"sizeof(((struct {name} *)0)->{field})"))
    shown += [(name, name) for enum in seam.ENUMS for name in members(enum)]
    shown += [(name, name) for name in (*seam.CONSTANTS, *LIMITS)]
    # As 128 bits, so that neither the largest number without a sign nor one below zero is changed.
    lines = [f'  show("{label}", (__int128)({value}));' for label, value in shown]
    includes = [f'#include "{name}"' for name in HEADERS]
    show = """static void show(const char *label, __int128 value) {
  printf("%s %s%llu\\n", label, value < 0 ? "-" : "", (unsigned long long)(value < 0 ? -value : value));
}"""
    head = ["#include <stddef.h>", "#include <stdio.h>", *includes, seam.PROTOTYPES, show]
    return "\n".join([*head, "int main(void) {", *lines, "  return 0;", "}", ""])


def in_python() -> dict[str, int]:
    """The same, as Python has it."""
    found = {f"sizeof {name}": ctypes.sizeof(struct) for name, struct in seam.STRUCTS.items()}
    for name, struct in seam.STRUCTS.items():
        for field, *_ in struct._fields_:
            found[f"{name}.{field} at"] = getattr(struct, field).offset
            found[f"{name}.{field} has"] = getattr(struct, field).size
    for enum, values in seam.ENUMS.items():
        found |= dict(zip(members(enum), map(int, values), strict=True))
    return found | seam.CONSTANTS | LIMITS


def compiled(source: str, folder: Path) -> subprocess.CompletedProcess[str]:
    for name, text in runtime_files().items():
        (folder / name).write_text(text)
    (folder / "model.h").write_text("".join(f"#define {name} {value}\n" for name, value in MODEL.items()))
    (folder / "seam.c").write_text(source)
    command = [compiler(), "-O2", *FLAGS, "-o", "seam", "seam.c"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_python_describes_what_the_headers_say(tmp_path: Path) -> None:
    done = compiled(program(), tmp_path)
    assert done.returncode == 0, done.stderr
    lines = subprocess.run([tmp_path / "seam"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert {label: int(value) for label, value in (line.rsplit(" ", 1) for line in lines)} == in_python()


def test_a_prototype_that_differs_is_noticed(tmp_path: Path) -> None:
    wrong = "int cycles_lasso(struct cycles *, u64);"
    assert wrong not in seam.PROTOTYPES
    done = compiled(f"{program()}\n{wrong}\n", tmp_path)
    assert done.returncode != 0 and "cycles_lasso" in done.stderr


def headers() -> str:
    return "\n".join(COMMENT.sub("", text) for name, text in runtime_files().items() if name.endswith(".h"))


def body(what: str, name: str) -> str:
    """What is between the braces of a definition."""
    found = re.search(rf"\b{what} {name} {{(.*?)}}", headers(), re.DOTALL)
    assert found is not None, f"no {what} {name}"
    return found[1]


@pytest.mark.parametrize("name", seam.STRUCTS)
def test_no_field_is_missing(name: str) -> None:
    """Not even one that would fit between two others."""
    declarations = [text for text in body("struct", name).split(";") if text.strip()]
    found = [re.findall(r"(\w+)(?:\[\w+\])?\s*$", part)[0] for text in declarations for part in text.split(",")]
    assert found == [field for field, *_ in seam.STRUCTS[name]._fields_]


@pytest.mark.parametrize("name", seam.ENUMS)
def test_no_member_is_missing(name: str) -> None:
    found = [part.split("=")[0].strip() for part in body("enum", name).split(",")]
    assert found == members(name)


def test_settings_have_the_names_of_the_seam() -> None:
    assert tuple(each.name.lower() for each in seam.Storage) == tuple(choices.STORAGES)
    assert tuple(each.name.lower() for each in seam.Order) == tuple(choices.ORDERS)


def test_every_function_that_python_calls_has_a_prototype() -> None:
    """Without one, ctypes would cut a result to 32 bits."""
    folders = Path(seam.__file__).parent, Path(seam.__file__).parent.parent / "distributed"
    called = {
        name
        for folder in folders
        for path in folder.glob("*.py")
        for name in re.findall(
            r"(?:\bc|\.library)\."
            r"((?:search|cycles|product|shortest|claim|branching|representative|annotated|unpermuted|run_steps|transfer|share)\w*)",
            path.read_text(),
        )
    }
    assert len(called) > 20 and called == {each.name for each in seam.signatures()}
