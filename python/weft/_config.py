"""Hardware configurations."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Union

from . import _weft
from ._named import Named
from ._parameters import MEANINGS, RANGES, Parameters

if TYPE_CHECKING:
    from typing_extensions import Self

ConfigLike = Union["Config", str, "os.PathLike[str]"]


@dataclass(frozen=True, kw_only=True)
class Config(Named, Parameters):
    """A machine: its name and every hardware parameter, each of which ``Config.meanings`` explains.

    A configuration is checked when it is made: every parameter must be in its range (``Config.ranges``) and they must fit
    together, or ``Error`` (code CONFIG) says what does not. One is made from another with :meth:`replace`::

        small = weft.Config.ref16().replace(name="half", act_bytes=131072)
    """

    name: str = "custom"
    """1 to 31 letters, digits, ``_`` or ``-``."""

    ranges = RANGES
    meanings = MEANINGS

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name == "name":
                if not isinstance(value, str):
                    raise TypeError("name: expected a string")
            else:
                try:
                    object.__setattr__(self, field.name, value.__index__())
                except (AttributeError, TypeError):
                    raise TypeError(f"{field.name}: expected a whole number, not {value!r}") from None
        _weft.config_json(self.to_json(), True)

    @classmethod
    def find(cls, name: Union[str, os.PathLike[str]]) -> Self:
        """The configuration of ``hw/configs`` that is called so, or the one in a JSON file."""
        return cls.from_json(_weft.config_json(_path_text(name), False))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The configuration of a JSON text as ``hw/configs`` has them."""
        return cls(**json.loads(_weft.config_json(_clean(text), True)))

    @classmethod
    def names(cls) -> List[str]:
        """What can be found by its name: "ref16", ..."""
        return list(_weft.config_names())

    def to_json(self) -> str:
        """The JSON text that :meth:`from_json`, ``weft compile --config FILE`` and all others read."""
        return json.dumps(self.to_dict(), indent=4)

    def to_dict(self) -> Dict[str, Any]:
        """Name and parameters, in the order of ``isa/config.def``."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {"name": fields.pop("name"), **fields}

    def replace(self, **changes: Any) -> Self:
        """Another one with some parameters changed. Its name is "custom" unless a name is given: names of ``hw/configs`` are
        for these alone."""
        unknown = [name for name in changes if name not in RANGES and name != "name"]
        if unknown:
            raise TypeError(f"there is no parameter {unknown[0]!r}")
        return dataclasses.replace(self, **{"name": "custom", **changes})

    @property
    def fingerprint(self) -> str:
        """A hash of all parameters, without the name: programs run on machines of the same one alone."""
        return _weft.config_fingerprint(self.to_json())

    def area(self, target: str = _weft.DEFAULT_AREA) -> Dict[str, Any]:
        """What the machine takes on a target of ``hw/technology/area``, or of a JSON file: `total` in `unit`, its `resources`, the same of
        its `parts`, and its `rams`; docs/area.md says how far off that is. Errors: TECHNOLOGY, IO."""
        found: Dict[str, Any] = json.loads(_weft.config_area(self.to_json(), _clean(target)))
        return found

    @property
    def multipliers(self) -> int:
        """Multiplications in a cycle at most."""
        return self.block * self.block

    def _repr_html_(self) -> str:
        from ._html import table

        rows = [[name, str(getattr(self, name)), MEANINGS[name]] for name in RANGES]
        return table(["parameter", "value", "meaning"], rows, caption=f"configuration {self.name}")


def _path_text(path: Union[str, os.PathLike[str]]) -> str:
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError("expected a path or a name as a string")
    return _clean(text)


def _clean(text: str) -> str:
    if "\0" in text:
        raise ValueError("embedded null character")
    return text


def config_arguments(config: ConfigLike) -> Dict[str, Any]:
    """The arguments of the binding that say for which machine."""
    if isinstance(config, Config):
        return {"config": config.to_json(), "config_is_json": True}
    if isinstance(config, (str, os.PathLike)):
        return {"config": _path_text(config), "config_is_json": False}
    raise TypeError("config: expected a weft.Config, a name or a path")
