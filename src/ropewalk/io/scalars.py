"""Scalars of YAML 1.2 by the core schema (YAML 1.2.2, section 10.3.2): text to value, and value to text."""

from __future__ import annotations

import math
import re
from decimal import Decimal

from ropewalk.io.messages import shortened, shown

MAX_DIGITS = 18  # of an integer: 10^18 still fits 64 bits, and longer ones are slips or attacks
MAX_NUMBER_TEXT = 400  # characters of a number; every double can be written in fewer

# Text must be what people see: no control characters, lone surrogates, line or paragraph separators, byte order marks.
_SEEN = "\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
NOT_IN_FILE = re.compile(f"[^\t\n\r{_SEEN}]")
NOT_IN_VALUE = re.compile(f"[^\t\n{_SEEN}]")

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_DECIMAL = re.compile("[-+]?[0-9]+")
_BASED = re.compile("0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_NAN = frozenset((".nan", ".NaN", ".NAN"))
_PLAIN = re.compile("[A-Za-z_][A-Za-z0-9_.-]*(?: [A-Za-z0-9_.-]+)*")  # safe without quotes, also in braces


def resolve_plain(text: str) -> str | int | float | bool | None:
    """The value of an unquoted scalar. ValueError, with a sentence, for a number that cannot be used."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if text[0] not in "+-.0123456789":
        return text
    if text in _NAN:
        raise ValueError(f"{text} is not a number; give one, or leave the key out")
    infinite = _INFINITE.fullmatch(text)
    if infinite:
        return -math.inf if infinite.group(1) == "-" else math.inf
    if _DECIMAL.fullmatch(text) or _BASED.fullmatch(text):
        return _integer(text)
    return _real(text) if _FLOAT.fullmatch(text) else text


def _integer(text: str) -> int:
    digits = text.lstrip("+-")
    base = {"0o": 8, "0x": 16}.get(digits[:2], 10)
    digits = (digits if base == 10 else digits[2:]).lstrip("0") or "0"
    if len(digits) <= MAX_DIGITS + 4:  # room for base 8; int() takes a time quadratic in the digits
        value = int(digits, base)
        if value <= 10**MAX_DIGITS:
            return -value if text[0] == "-" else value
    raise ValueError(f"integer {shortened(text)} is beyond 10^{MAX_DIGITS}; write a large number as 1.0e20")


def _real(text: str) -> float:
    if len(text) > MAX_NUMBER_TEXT:
        raise ValueError(f"number {shortened(text)} has {len(text)} characters; {MAX_NUMBER_TEXT} are allowed")
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"number {shortened(text)} is too large; the largest is 1.79e308, and .inf means infinite")
    if value == 0.0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise ValueError(f"number {shortened(text)} is too small to be distinguished from 0; write 0")
    return value


def scalar_text(value: str | float | bool | None) -> str:
    """A scalar as written in a file, in one line; ValueError where the reader would refuse it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if NOT_IN_VALUE.search(value):
            raise ValueError(f"{shown(value)} contains a control character, which a case file cannot contain")
        plain = _PLAIN.fullmatch(value) is not None and isinstance(resolve_plain(value), str)
        return value if plain else _quoted(value)
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            raise ValueError("a case file cannot contain a number that is not one (NaN)")
        return ".inf" if value > 0 else "-.inf"
    if isinstance(value, float):
        return _real_text(float.__repr__(value))  # of numpy's float too, whose own repr is not a number
    text = int.__repr__(value)
    if abs(value) > 10**MAX_DIGITS:
        raise ValueError(f"integer {shortened(text)} is beyond 10^{MAX_DIGITS}")
    return text


def _real_text(text: str) -> str:
    """230000000.0 as 2.3e+8: the same digits, so the same number."""
    mantissa, exponent, power = str(Decimal(text).normalize()).lower().partition("e")
    short = f"{mantissa}{'' if '.' in mantissa else '.0'}{exponent}{power}"
    return short if exponent and len(short) + 2 < len(text) else text


def _quoted(text: str) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
    return '"' + "".join(escapes.get(character, character) for character in text) + '"'
