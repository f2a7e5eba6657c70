"""The process of a program: `python child.py FOLDER`, started by `sandbox`.

Reads `request.json` of the folder, puts its guards up, loads `program.py`, calls `place`, and
writes `scratch/answer.json`. Standard library only.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import traceback
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
_MOST_FRAMES = 12


def main(folder: str) -> None:
    """Runs the program of `folder`; an error of the program is an answer, too."""
    sys.path.insert(0, _HERE)
    import guards

    sys.path.remove(_HERE)
    guards.end_with_parent()
    with open(f"{folder}/request.json", encoding="utf-8") as file:  # noqa: PTH123
        request = json.load(file)
    with open(f"{folder}/program.py", encoding="utf-8") as file:  # noqa: PTH123
        text = file.read()
    sys.path.append(f"{folder}/lib")
    guards.limit(request["cpu_seconds"], request["memory_bytes"], request["file_bytes"])
    guards.enclose(request["readable"], [f"{folder}/scratch"])
    answer = _text_of(_answer_of(text, request["graph"], request["machine"]), request["file_bytes"])
    with open(f"{folder}/scratch/answer.json", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(answer)
    with contextlib.suppress(OSError):  # more output than it may write
        sys.stdout.flush()
    os._exit(0)  # whatever the program has left to run at the end


def _answer_of(text: str, graph: dict[str, Any], machine: dict[str, Any]) -> dict[str, Any]:
    program: dict[str, Any] = {"__name__": "program", "__file__": "program.py"}
    try:
        exec(compile(text, "program.py", "exec"), program)
        place = program.get("place")
        if not callable(place):
            return {"error": "the program defines no function `place(graph, machine)`"}
        return {"plan": place(graph, machine)}
    except MemoryError:
        return {"error": "MemoryError: the program needs more memory than it may have"}
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename == "program.py"][-_MOST_FRAMES:]
        where = "".join(f"  line {frame.lineno}, in {frame.name}\n" for frame in own)
        return {"error": f"{type(error).__name__}: {error}\n{where}"[:4000]}


def _text_of(answer: dict[str, Any], most_bytes: int) -> str:
    """The answer as JSON, or that it is none, or too long."""
    try:
        text = json.dumps(answer, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        return json.dumps({"error": f"its answer is no JSON: {error}"})
    except MemoryError:
        return '{"error": "its answer is too long"}'
    if len(text) > most_bytes:
        return json.dumps({"error": f"its answer is longer than {most_bytes} bytes"})
    return text


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy as those of Python."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a plan holds numbers and lists, found {type(value).__name__}")


if __name__ == "__main__":
    main(sys.argv[1])
