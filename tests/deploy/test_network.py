"""Who may open connections to whom: exactly the edges that the services' settings name, and no other."""

import pytest

from tests.deploy.conftest import SETTINGS, Install, component, container_of, environment_of, install

STORES = {"database_dsn": "postgresql", "redis_url": "redis"}
PUBLIC = ("gateway", "http"), ("gateway", "grpc")
NAMED = {"kubernetes.io/metadata.name": "ingress-nginx"}
MONITORING = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}


def edges_of_the_code() -> set[tuple[str, str]]:
    """Returns caller and called of every connection that the services' settings let them open."""
    edges = {("table", "table")}  # Workers hand shards to each other at their advertised addresses.
    for service, settings in SETTINGS.items():
        fields = settings.model_fields
        named = {field.removesuffix("_address") for field in fields if field.endswith("_address")} - {"advertised"}
        # Every service has the setting account_address; the account service itself has the keys and does not call.
        edges |= {(service, called) for called in named - ({"account"} if service == "account" else set())}
        edges |= {(service, store) for field, store in STORES.items() if field in fields}
    return edges | {("migrations", "postgresql")}


def policies(rendered: Install) -> dict[str, dict]:
    """Returns the policies by the component that they select; the one for all pods is not among them."""
    return {
        item["spec"]["podSelector"]["matchLabels"]["app.kubernetes.io/component"]: item["spec"]
        for item in rendered.all("NetworkPolicy")
        if "app.kubernetes.io/component" in item["spec"]["podSelector"]["matchLabels"]
    }


def peers_of(rule: dict, direction: str) -> list[str]:
    """Returns the components of this release that a rule names."""
    selectors = [peer.get("podSelector", {}).get("matchLabels", {}) for peer in rule.get(direction, [])]
    return [labels["app.kubernetes.io/component"] for labels in selectors if "app.kubernetes.io/component" in labels]


def edges_in(rendered: Install) -> set[tuple[str, str]]:
    """Returns the edges that policies let in."""
    return {
        (caller, called)
        for called, spec in policies(rendered).items()
        for rule in spec.get("ingress", [])
        for caller in peers_of(rule, "from")
    }


def edges_out(rendered: Install) -> set[tuple[str, str]]:
    """Returns the edges that policies let out."""
    return {
        (caller, called)
        for caller, spec in policies(rendered).items()
        for rule in spec.get("egress", [])
        for called in peers_of(rule, "to")
    }


def test_everything_is_denied_first(rendered):
    denials = [
        item["spec"]
        for item in rendered.all("NetworkPolicy")
        if item["metadata"]["name"] == "mahjong-planet-default-deny"
    ]
    assert denials == [
        {
            "podSelector": {
                "matchLabels": {
                    "app.kubernetes.io/name": "mahjong-planet",
                    "app.kubernetes.io/instance": "mahjong-planet",
                }
            },
            "policyTypes": ["Ingress", "Egress"],
        }
    ]
    assert policies(rendered).keys() == {component(workload) for workload in rendered.workloads()}


def test_edges_between_pods_are_those_of_the_code_and_no_other():
    laptop = install("laptop")  # The stores are pods of the release here.
    expected = {(a, "valkey" if b == "redis" else b) for a, b in edges_of_the_code()}
    assert edges_in(laptop) == edges_out(laptop) == expected


def test_edges_between_services_are_those_of_the_code_with_stores_of_ones_own():
    expected = {(a, b) for a, b in edges_of_the_code() if b not in STORES.values()}
    assert edges_in(install("production")) == edges_out(install("production")) == expected


def test_services_are_given_the_addresses_of_those_they_may_call_and_of_no_others(rendered):
    for name, workload in rendered.services().items():
        addresses = {
            variable.removesuffix("_ADDRESS").removeprefix(f"{name.upper()}_").lower(): value
            for variable, value in environment_of(workload).items()
            if variable.endswith("_ADDRESS") and "ADVERTISED" not in variable
        }
        expected = {b for a, b in edges_of_the_code() if a == name and b in SETTINGS and b != name}
        assert addresses.keys() == expected
        for called, address in addresses.items():
            host, _, port = address.partition(":")
            service = rendered.one("Service", called)
            assert host == f"{service['metadata']['name']}.games.svc"
            assert {"name": "grpc", "port": int(port), "targetPort": "grpc"} in service["spec"]["ports"]


def test_external_stores_are_reached_where_the_values_say():
    for name, spec in policies(install("production")).items():
        blocks = {
            (port["port"], peer["ipBlock"]["cidr"])
            for rule in spec["egress"]
            for port in rule["ports"]
            for peer in rule.get("to", [])
            if "ipBlock" in peer
        }
        stores = {store for caller, store in edges_of_the_code() if caller == name}
        expected = {(5432, "10.20.0.0/28")} if "postgresql" in stores else set()
        assert blocks == expected | ({(6379, "10.20.1.0/28")} if "redis" in stores else set())


def test_collector_of_traces_is_reached_by_every_service_where_there_is_one():
    for name, has_collector in (("production", True), ("defaults", False)):
        rendered = install(name)
        for service, workload in rendered.services().items():
            rules = [rule for rule in policies(rendered)[service]["egress"] if {"port": 4317} in rule["ports"]]
            assert len(rules) == has_collector
            assert ("MAHJONG_OTLP_ENDPOINT" in environment_of(workload)) == has_collector
            assert [rule["to"] for rule in rules] == [[MONITORING]] * has_collector


def test_outside_issuer_is_reached_by_the_account_service_alone_and_only_where_there_is_one():
    def reaching(name: str) -> list[str]:
        return [
            service
            for service, spec in policies(install(name)).items()
            if any({"port": 443} in rule["ports"] for rule in spec.get("egress", []))
        ]

    assert reaching("own certificates, nodes and labels") == ["account"]
    assert reaching("production") == []


def test_only_the_gateway_is_reached_from_outside(rendered):
    open_to_others = {
        (name, port["port"])
        for name, spec in policies(rendered).items()
        for rule in spec.get("ingress", [])
        for port in rule["ports"]
        if not peers_of(rule, "from") and port["port"] != "metrics"
    }
    assert open_to_others == set(PUBLIC)


def test_public_ports_are_open_to_the_ingress_controller_alone_where_the_values_name_it():
    for name, callers in (("production", [{"namespaceSelector": {"matchLabels": NAMED}}]), ("laptop", None)):
        (rule,) = (rule for rule in policies(install(name))["gateway"]["ingress"] if {"port": "http"} in rule["ports"])
        assert rule.get("from") == callers


def test_metrics_are_read_by_the_monitoring_namespace_alone(rendered):
    for name, spec in policies(rendered).items():
        if name not in SETTINGS:
            continue
        rules = [rule for rule in spec["ingress"] if {"port": "metrics"} in rule["ports"]]
        assert [rule["from"] for rule in rules] == [
            [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}]
        ]


def test_health_ports_are_reached_by_no_pod(rendered):
    ports = {
        port["port"]
        for spec in policies(rendered).values()
        for rule in spec.get("ingress", [])
        for port in rule["ports"]
    }
    assert ports <= {"grpc", "http", "metrics", "postgresql", "redis"}


def test_every_pod_that_looks_names_up_may_and_reaches_nothing_else_by_that_rule(rendered):
    for name, spec in policies(rendered).items():
        dns = [rule for rule in spec.get("egress", []) if {"port": 53, "protocol": "UDP"} in rule["ports"]]
        assert len(dns) == (0 if name in ("postgresql", "valkey") else 1)
        for rule in dns:
            assert {port["port"] for port in rule["ports"]} == {53}
            assert rule["to"][0]["podSelector"] == {"matchLabels": {"k8s-app": "kube-dns"}}


def test_named_ports_of_policies_are_ports_of_the_pods(rendered):
    ports = {
        component(workload): {port["name"]: port["containerPort"] for port in container_of(workload).get("ports", [])}
        for workload in rendered.workloads()
    }
    for name, spec in policies(rendered).items():
        for rule in spec.get("ingress", []):
            assert {port["port"] for port in rule["ports"]} <= ports[name].keys()
        for rule in spec.get("egress", []):
            for called in set(peers_of(rule, "to")) & ports.keys():
                assert {port["port"] for port in rule["ports"]} <= set(ports[called].values())


@pytest.mark.parametrize("service", sorted(SETTINGS))
def test_ports_of_pods_and_services_are_the_defaults_of_the_settings(service):
    for name in ("laptop", "production"):
        ports = {
            port["name"]: port["containerPort"] for port in container_of(install(name).services()[service])["ports"]
        }
        fields = SETTINGS[service].model_fields
        assert ports["grpc"] == fields["port"].default
        assert ports["metrics"] == fields["metrics_port"].default
        if service == "gateway":
            assert ports["http"] == fields["http_port"].default


def test_inner_services_have_no_address_so_that_callers_see_every_pod(rendered):
    for item in rendered.all("Service"):
        is_public = item["metadata"]["name"] == "mahjong-planet-gateway"
        assert (item["spec"].get("clusterIP") == "None") is not is_public


def test_services_select_pods_that_have_their_ports(rendered):
    for item in rendered.all("Service"):
        (workload,) = (
            workload
            for workload in rendered.workloads()
            if item["spec"]["selector"].items() <= workload["spec"]["template"]["metadata"]["labels"].items()
        )
        names = {port["name"] for port in container_of(workload)["ports"]}
        assert {port["targetPort"] for port in item["spec"]["ports"]} <= names
