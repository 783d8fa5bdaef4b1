"""Cases with a broken line: missing from the start, or parting on the way."""

from __future__ import annotations

from typing import Any

from ropewalk.errors import InputError
from ropewalk.io.messages import nearest


def break_line(data: dict[str, Any], name: str, time: float | None = None) -> None:
    """Break a line in the plain data of a case.

    Without a time the line goes, and with it the free points that nothing else holds. With a time (s) it parts at its
    end B and stays as it hangs from end A.
    """
    lines = data.get("lines", {})
    if name not in lines:
        near = nearest(name, lines)
        raise InputError(f"no line '{name}' to break{f'; did you mean {near!r}?' if near else ''}")
    if time is not None:
        length = sum(piece["length"] for piece in lines[name]["pieces"])
        lines[name] = {**lines[name], "break": {"s": length, "time": time}}
        return
    line = lines.pop(name)
    held = {end for other in lines.values() for end in (other["from"], other["to"], *other.get("over", ()))}
    held |= {end for link in data.get("links", {}).values() for end in link["between"]}
    held |= {
        knot
        for net in data.get("nets", {}).values()
        for knot in (*net.get("fastened", {}).values(), *net.get("rim", ()))
    }
    points = data.get("points", {})
    for end in (line["from"], line["to"]):
        if end in points and end not in held and points[end].get("joint", "fixed") == "free":
            del points[end]
