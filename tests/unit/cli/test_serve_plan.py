"""What `mahjong serve` would run, without running it."""

from mahjong_cli.serve.plan import SERVICES, WITH_DATABASE, fixed_ports, services

DATABASE = "sqlite:////data/{service}.db"


def children():
    return {
        child.name: child for child in services(fixed_ports(8080, 8081, 7001), DATABASE, "unix:///v.sock", "key", None)
    }


def test_fixed_ports_of_one_stack_are_all_different():
    ports = list(fixed_ports(8080, 8081, 7001).named().values())
    assert len(ports) == len(set(ports)) == 2 + 2 * len(SERVICES) + 1


def test_each_service_with_a_database_owns_a_file_of_its_own():
    dsns = {
        name: child.environment[f"{name.upper()}_DATABASE_DSN"]
        for name, child in children().items()
        if name in WITH_DATABASE
    }
    assert set(dsns) == WITH_DATABASE
    assert dsns == {name: f"sqlite:////data/{name}.db" for name in WITH_DATABASE}


def test_a_service_is_told_where_every_other_one_is_and_not_itself():
    environment = children()["table"].environment
    others = {name.upper() for name in SERVICES} - {"TABLE"}
    assert {name for name in others if f"TABLE_{name}_ADDRESS" in environment} == others
    assert "TABLE_TABLE_ADDRESS" not in environment


def test_every_variable_of_a_child_carries_its_own_prefix():
    for name, child in children().items():
        assert all(key.startswith(f"{name.upper()}_") for key in child.environment), name


def test_several_table_workers_share_a_database_and_the_others_know_all_of_them():
    ports = fixed_ports(8080, 8081, 7001, workers=3)
    children = {child.name: child for child in services(ports, DATABASE, "unix:///v.sock", "key", None)}
    workers = [children[name] for name in ("table", "table-2", "table-3")]
    assert [worker.grpc_port for worker in workers] == [7003, 7006, 7007]
    assert {worker.command[-1] for worker in workers} == {"mahjong_table"}
    assert len({worker.environment["TABLE_DATABASE_DSN"] for worker in workers}) == 1
    assert len({worker.environment["TABLE_METRICS_PORT"] for worker in workers}) == 3
    address = "ipv4:127.0.0.1:7003,127.0.0.1:7006,127.0.0.1:7007"
    assert children["gateway"].environment["GATEWAY_TABLE_ADDRESS"] == address
    assert children["matchmaker"].environment["MATCHMAKER_TABLE_ADDRESS"] == address
