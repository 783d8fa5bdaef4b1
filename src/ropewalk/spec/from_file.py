"""What a case gives as the name of a file, which is read together with the case file."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from ropewalk.spec.base import Part

NOT_READ = (
    "a table in a file is read together with its case file, by System.from_file; in code give the table itself: "
    "kind: table"
)


class FromFile(Part):
    """A table in a file; there is none of these once the case file is read."""

    @model_validator(mode="after")
    def _only_read(self) -> Any:
        raise ValueError(NOT_READ)
