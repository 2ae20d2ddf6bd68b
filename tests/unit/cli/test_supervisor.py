"""The supervisor over real child processes."""

import asyncio
import os
import signal
import socket
import sys

import pytest

from mahjong_cli.serve.plan import Child, fixed_ports
from mahjong_cli.serve.supervisor import Supervisor, SupervisorError, check_ports, claimed, free_ports
from tests.kit.waiting import until

SLEEPER = (
    "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(0)); print('up', flush=True); signal.pause()"
)


def child(name: str, program: str) -> Child:
    return Child(name, (sys.executable, "-c", program))


def test_a_taken_port_is_named_with_what_to_do(tmp_path):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        taken = holder.getsockname()[1]
        (grpc, inner) = free_ports(2)
        with pytest.raises(SupervisorError, match=rf"{taken} \(gateway http\)[\s\S]*--port"):
            check_ports(fixed_ports(taken, grpc, inner))


def test_a_port_that_two_processes_would_share_is_named():
    (port, inner) = free_ports(2)
    with pytest.raises(SupervisorError, match=rf"{port} \(gateway http\)[\s\S]*{port} \(gateway grpc\)"):
        check_ports(fixed_ports(port, port, inner))


def test_a_data_directory_belongs_to_one_stack_at_a_time(tmp_path):
    data = tmp_path / "new" / "var"
    with claimed(data), pytest.raises(SupervisorError, match=r"var belongs to .*[\s\S]*--data"), claimed(data):
        pass
    with claimed(data):
        assert data.is_dir()


async def test_a_killed_child_is_started_again_and_announced(tmp_path):
    said: list[str] = []
    supervisor = Supervisor(tmp_path, said.append)
    try:
        await supervisor.start([child("table", f"import os; print(os.getpid(), flush=True)\n{SLEEPER}")])
        log = tmp_path / "table.log"
        await until(lambda: "up" in log.read_text())
        os.kill(int(log.read_text().split()[0]), signal.SIGKILL)
        await until(lambda: log.read_text().count("up") == 2)
        await until(lambda: any("serves again" in text for text in said))
        assert "table was killed by SIGKILL; starting it again" in said[0]
    finally:
        await supervisor.stop()


async def test_a_child_that_keeps_dying_ends_the_stack_with_its_log(tmp_path):
    supervisor = Supervisor(tmp_path, lambda _: None)
    try:
        await supervisor.start([child("rating", "import sys; sys.exit('no such store')")])
        with pytest.raises(SupervisorError, match=r"rating keeps dying[\s\S]*no such store"):
            async with asyncio.timeout(60):
                await supervisor.run_until(asyncio.Event())
    finally:
        await supervisor.stop()


async def test_stopping_ends_every_child(tmp_path):
    supervisor = Supervisor(tmp_path, lambda _: None)
    names = ("account", "table", "gateway")
    await supervisor.start([child(name, f"import os; print(os.getpid(), flush=True)\n{SLEEPER}") for name in names])
    logs = [tmp_path / f"{name}.log" for name in names]
    await until(lambda: all("up" in log.read_text() for log in logs))
    await supervisor.stop()
    for log in logs:
        with pytest.raises(ProcessLookupError):
            os.kill(int(log.read_text().split()[0]), 0)
