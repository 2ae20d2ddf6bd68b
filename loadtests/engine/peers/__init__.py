"""Adapters, one module a peer: `contenders()` returns what it can be asked, or raises ImportError if it is absent."""

from importlib import import_module

from loadtests.engine.contest import Contender

ADAPTERS = (
    "python_mahjong",
    "xiangting_rust",
    "riichienv_rust",
    "jansou_python",
    "mahjong_gb",
    "cmajiang_cpp",
    "kago",
    "hong_kong",
    "python_chess",
)

UNSERVED = {
    "mahjong16": "yuweiiihuang/mahjong16, Taiwanese, pure Python: on no package registry",
    "mahjong16tw_core": "yilinho/mahjong16tw_core, Taiwanese, pure Python: on no package registry",
    "kajongg": "KDE's Kajongg, classical, pure Python: an application, not a package",
}
"""Peers that some gate names and that cannot be installed by `requirements.txt`."""


def contenders() -> tuple[list[Contender], dict[str, str]]:
    """Returns all contenders there are, and why each absent peer is absent."""
    found: list[Contender] = []
    absent = dict(UNSERVED)
    for name in ADAPTERS:
        try:
            found += import_module(f"loadtests.engine.peers.{name}").contenders()
        except ImportError as error:
            absent[name] = str(error)
    return found, absent
