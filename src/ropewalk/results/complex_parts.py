"""Complex variables of a result as two real ones, which files can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray as xr


def has_parts(result: xr.Dataset) -> bool:
    """Whether a result holds complex variables as two real ones."""
    return any(str(name).endswith("_real") for name in result.data_vars)


def split_complex(result: xr.Dataset) -> xr.Dataset:
    """The result with complex variables as two real ones, `_real` and `_imaginary`: NetCDF has no complex numbers."""
    split = result
    for name, variable in result.data_vars.items():
        if np.iscomplexobj(variable):
            parts = {
                f"{name}_real": variable.real.assign_attrs(variable.attrs),
                f"{name}_imaginary": variable.imag.assign_attrs(variable.attrs),
            }
            split = split.drop_vars(str(name)).assign(parts)
    return split


def join_complex(result: xr.Dataset) -> xr.Dataset:
    """What :func:`split_complex` made of a result, as it was."""
    joined = result
    for name in [str(name) for name in result.data_vars if str(name).endswith("_real")]:
        base = name.removesuffix("_real")
        whole = (result[name] + 1j * result[f"{base}_imaginary"]).assign_attrs(result[name].attrs)
        joined = joined.drop_vars([name, f"{base}_imaginary"]).assign({base: whole})
    return joined
