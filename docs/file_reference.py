"""The reference of the case file, from the JSON Schema of System."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from markup import prose, table

Schema = dict[str, Any]


def file_page() -> list[str]:
    from ropewalk.spec.system import System

    schema = System.model_json_schema(by_alias=True)
    definitions = schema.get("$defs", {})
    lines = [*_object("case", schema, definitions)]
    for name in _reached(schema, definitions):
        if definitions[name].get("properties"):
            lines += _object(name, definitions[name], definitions)
    return lines + list(_options())


def _options() -> Iterator[str]:
    """Settings of the methods: what `run.options` and `statics.options` take, by the name of the method."""
    from ropewalk.spec.options import RUN_OPTIONS, STATIC_OPTIONS

    for method, kind in {**RUN_OPTIONS, **STATIC_OPTIONS}.items():
        schema = kind.model_json_schema(by_alias=True)
        if not schema.get("properties"):
            continue
        yield f"(file-options-{method.replace('_', '-')})="
        yield f"## Options of `{method}`"
        yield ""
        rows = []
        for key, field in schema["properties"].items():
            meaning = prose(field.get("description", ""))
            rows.append((f"`{key}`", _kind(field, schema.get("$defs", {})), _value(field), meaning))
        yield from table(("key", "type", "default", "meaning"), rows)


def _reached(schema: Schema, definitions: dict[str, Schema]) -> list[str]:
    """Names of the definitions in the order in which a reader of the file meets them."""
    found: list[str] = []

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            name = _reference(part)
            if name is not None and name not in found:
                found.append(name)
                walk(definitions[name])
            for key, value in part.items():
                if key not in ("$defs", "discriminator"):
                    walk(value)
        elif isinstance(part, list):
            for value in part:
                walk(value)

    walk(schema.get("properties", {}))
    return found


def _object(name: str, schema: Schema, definitions: dict[str, Schema]) -> Iterator[str]:
    title = "The whole file" if name == "case" else _title(name)
    yield f"({_label(name)})="
    yield f"## {title}"
    yield ""
    if name != "case" and schema.get("description"):
        yield prose(schema["description"])
        yield ""
    required = schema.get("required", [])
    rows = []
    for key, field in schema.get("properties", {}).items():
        default = "required" if key in required else _value(field)
        meaning = field.get("description") or _meaning_of_target(field, definitions)
        rows.append((f"`{key}`", _kind(field, definitions), default, prose(meaning)))
    yield from table(("key", "type", "default", "meaning"), rows)


def _meaning_of_target(field: Schema, definitions: dict[str, Schema]) -> str:
    """What a key means that says nothing itself: the first sentence of the object it takes."""
    parts = [part for part in field.get("anyOf", [field]) if part.get("type") != "null"]
    part = parts[0] if len(parts) == 1 else {}
    inner = part.get("additionalProperties")
    name = _reference(part) or _reference(inner if isinstance(inner, dict) else {})
    return "" if name is None else definitions[name].get("description", "").split("\n\n")[0]


_PROPER = {"JonswapWaves": "JONSWAP waves", "PiersonMoskowitzWaves": "Pierson-Moskowitz waves"}


def _label(name: str) -> str:
    return "file-" + name.lower()


def _title(name: str) -> str:
    return _PROPER.get(name) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.lstrip("_")).capitalize()


def _reference(field: Schema) -> str | None:
    return field["$ref"].rsplit("/", 1)[-1] if "$ref" in field else None


def _kind(field: Schema, definitions: dict[str, Schema]) -> str:
    """What a key takes, in words, with links to the objects."""
    name = _reference(field)
    if name is not None:
        target = definitions[name]
        return f"[{_title(name)}](#{_label(name)})" if target.get("properties") else _kind(target, definitions)
    for union in ("oneOf", "anyOf", "allOf"):
        if union in field:
            kinds = [_kind(part, definitions) for part in field[union] if part.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if field.get("type") == "array":
        return _list_kind(field, definitions)
    if field.get("type") == "object":
        inner = field.get("additionalProperties")
        return f"names, each with: {_kind(inner if isinstance(inner, dict) else {}, definitions)}"
    words = {"number": "number", "integer": "whole number", "string": "text", "boolean": "true or false"}
    return words.get(field.get("type", ""), "anything") + _limits(field)


def _list_kind(field: Schema, definitions: dict[str, Schema]) -> str:
    if "prefixItems" in field:
        items = [_kind(item, definitions) for item in field["prefixItems"]]
        if len(set(items)) == 1:
            return f"list of {len(items)}: {items[0]}"
        return "list: " + ", ".join(items)
    least, most = field.get("minItems"), field.get("maxItems")
    size = f"{least} " if least is not None and least == most else f"{least} or more " if least else ""
    return f"list of {size}{_kind(field.get('items', {}), definitions)}"


_LARGEST = 1e100  # the limit of every number in a case; not worth a word in each row


def _limits(field: Schema) -> str:
    signs = {"exclusiveMinimum": ">", "minimum": "≥", "exclusiveMaximum": "<", "maximum": "≤"}
    limits = [f"{sign} {field[key]:g}" for key, sign in signs.items() if key in field and abs(field[key]) < _LARGEST]
    return " " + ", ".join(limits) if limits else ""


def _value(field: Schema) -> str:
    """The default of a key."""
    value = field.get("default")
    if "default" not in field or isinstance(value, dict):
        kind = value.get("kind") if isinstance(value, dict) else None
        return f"`{{kind: {kind}}}`" if kind else "empty" if value == {} and "$ref" not in field else "its defaults"
    if value is None:
        return "none"
    if value in ([], ""):
        return "empty"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:.6g}`" if isinstance(value, float) else f"`{value}`"
