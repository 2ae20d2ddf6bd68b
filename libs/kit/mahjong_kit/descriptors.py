"""Finds the descriptor of a service from the classes that protoc made for it."""

import sys
from collections.abc import Callable
from typing import Any

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from mahjongplanet.options.v1 import options_pb2

_MODULE_SUFFIX = "_grpc"


def service_of(generated: type, suffix: str) -> ServiceDescriptor:
    """Returns the service of a generated class, or of a class derived from one.

    Args:
        generated: Such as `AccountServiceServicer` or `AccountServiceStub`.
        suffix: `Servicer` or `Stub`.

    Raises:
        TypeError: The class was not made from a service.
    """
    return _generated(generated, suffix)[1]


def registration_of(servicer: type) -> Callable[[Any, Any], None]:
    """Returns the generated function that adds the servicer to a server."""
    base, _ = _generated(servicer, "Servicer")
    add: Callable[[Any, Any], None] = getattr(sys.modules[base.__module__], f"add_{base.__name__}_to_server")
    return add


def caller_of(method: MethodDescriptor) -> int:
    """Returns the option `caller` of a method; CALLER_UNSPECIFIED if it has none."""
    return method.GetOptions().Extensions[options_pb2.caller]


def _generated(derived: type, suffix: str) -> tuple[type, ServiceDescriptor]:
    for base in derived.__mro__:
        module = sys.modules.get(base.__module__.removesuffix(_MODULE_SUFFIX))
        if base.__module__.endswith(_MODULE_SUFFIX) and module is not None:
            services = module.DESCRIPTOR.services_by_name
            return base, services[base.__name__.removesuffix(suffix)]
    raise TypeError(f"{derived.__name__} is not made from a service of protos/")
