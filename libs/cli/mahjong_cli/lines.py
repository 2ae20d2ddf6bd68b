"""Lines of JSON in and out, as the commands for programs have them, and clean endings when they fail."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EBADF
from pathlib import Path
from typing import Any, BinaryIO

import orjson
import typer
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

STANDARD_INPUT = Path("-")


@contextmanager
def clean_endings() -> Iterator[None]:
    """Ends the command with 2 and one line on standard error if something cannot be read or written.

    A reader of the output who goes away early ends it with 1, without a word.
    """
    try:
        yield
    except BrokenPipeError as error:
        _forget_output()
        raise typer.Exit(code=1) from error
    except OSError as error:
        _forget_output()
        typer.echo(f"Error: {error.filename or 'input or output'}: {error.strerror}", err=True)
        raise typer.Exit(code=2) from error


def _forget_output() -> None:
    """Sends output that cannot be written to nowhere, so that the interpreter's own flush at the end does not fail."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@contextmanager
def open_lines(file: Path = STANDARD_INPUT) -> Iterator[BinaryIO]:
    """Opens a file, or standard input for a hyphen.

    Raises:
        OSError: it cannot be opened.
    """
    if file != STANDARD_INPUT:
        with file.open("rb") as lines:
            yield lines
    elif sys.stdin is None:
        raise input_closed()
    else:
        yield sys.stdin.buffer


def input_closed() -> OSError:
    """Returns the error of a command that was started without standard input."""
    return OSError(EBADF, "is closed", "standard input")


def write_line(answer: dict[str, Any]) -> None:
    """Writes one JSON object as a line on standard output, at once.

    Raises:
        OSError: it cannot be written.
    """
    if sys.stdout is None:
        raise OSError(EBADF, "is closed", "standard output")
    sys.stdout.buffer.write(orjson.dumps(answer, option=orjson.OPT_APPEND_NEWLINE))
    sys.stdout.buffer.flush()


def tell(message: Message) -> None:
    """Writes a message as one line of JSON, every field of it; ends the command if it cannot be written."""
    with clean_endings():
        write_line(MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True))
