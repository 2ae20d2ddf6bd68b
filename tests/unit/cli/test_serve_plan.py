"""What `mahjong serve` would run, without running it."""

from pathlib import Path

from mahjong_cli.serve.plan import SERVICES, WITH_DATABASE, fixed_ports, services


def children(tmp_path: Path):
    return {
        child.name: child for child in services(fixed_ports(8080, 8081, 7001), tmp_path, "unix:///v.sock", "key", None)
    }


def test_fixed_ports_of_one_stack_are_all_different():
    ports = list(fixed_ports(8080, 8081, 7001).named().values())
    assert len(ports) == len(set(ports)) == 2 + 2 * len(SERVICES) + 1


def test_each_service_with_a_database_owns_a_file_of_its_own(tmp_path):
    dsns = {
        name: child.environment[f"{name.upper()}_DATABASE_DSN"]
        for name, child in children(tmp_path).items()
        if name in WITH_DATABASE
    }
    assert set(dsns) == WITH_DATABASE
    assert len(set(dsns.values())) == len(WITH_DATABASE)


def test_a_service_is_told_where_every_other_one_is_and_not_itself(tmp_path):
    environment = children(tmp_path)["table"].environment
    others = {name.upper() for name in SERVICES} - {"TABLE"}
    assert {name for name in others if f"TABLE_{name}_ADDRESS" in environment} == others
    assert "TABLE_TABLE_ADDRESS" not in environment


def test_every_variable_of_a_child_carries_its_own_prefix(tmp_path):
    for name, child in children(tmp_path).items():
        assert all(key.startswith(f"{name.upper()}_") for key in child.environment), name
