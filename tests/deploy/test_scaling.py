"""Autoscalers, the custom metrics they read, monitoring, and the public routes."""

import re
import shutil

import pytest
import yaml
from prometheus_client import generate_latest

from deploy.chart.rendering import CHART, objects_of, overlaid, render
from mahjong_kit.metrics import ServiceMetrics
from mahjong_table.metrics import TableMetrics
from tests.deploy.conftest import INSTALLS, SETTINGS, component, install

ADAPTER = CHART.parent / "prometheus-adapter-values.yaml"


def autoscalers():
    return {component(item): item["spec"] for item in install("production").all("HorizontalPodAutoscaler")}


def adapter_rules():
    return {rule["name"]["as"]: rule for rule in yaml.safe_load(ADAPTER.read_text())["rules"]["custom"]}


def custom_metrics(spec):
    return {
        metric["pods"]["metric"]["name"]: metric["pods"]["target"]["averageValue"]
        for metric in spec["metrics"]
        if metric["type"] == "Pods"
    }


def test_workers_are_scaled_by_tables_a_core_and_lag_and_gateways_by_connections():
    assert custom_metrics(autoscalers()["table"]) == {
        "mahjong_table_tables_live": "400",
        "mahjong_table_loop_lag_seconds": "50m",
    }
    assert custom_metrics(autoscalers()["gateway"]) == {"mahjong_gateway_calls_open": "2000"}


@pytest.mark.parametrize(("cpu", "tables"), [("1", "400"), ("500m", "200"), (2, "800"), ("1500m", "600")])
def test_a_worker_gets_as_many_tables_as_it_requests_cores(cpu, tables):
    over = {"table": {"resources": {"requests": {"cpu": cpu}}}}
    objects = objects_of(render(overlaid(INSTALLS["production"], over)))
    (scaler,) = (item for item in objects if item["kind"] == "HorizontalPodAutoscaler" and component(item) == "table")
    assert custom_metrics(scaler["spec"])["mahjong_table_tables_live"] == tables


def test_other_services_are_scaled_by_a_share_of_the_processor_that_they_request():
    for name, spec in autoscalers().items():
        shares = [
            metric["resource"]["target"]
            for metric in spec["metrics"]
            if metric["type"] == "Resource" and metric["resource"]["name"] == "cpu"
        ]
        assert shares == ([] if name == "table" else [{"type": "Utilization", "averageUtilization": 70}])
        assert spec["minReplicas"] >= 2  # One alone could not be replaced without a pause.


def test_players_are_moved_seldom_and_few_at_a_time_when_load_goes():
    for name, quiet_s in (("table", 1800), ("gateway", 600)):
        behavior = autoscalers()[name]["behavior"]["scaleDown"]
        assert behavior["stabilizationWindowSeconds"] >= quiet_s
        assert [policy["value"] for policy in behavior["policies"]] == [1]


def test_scaled_workloads_have_no_number_of_their_own_and_others_have_one():
    production = install("production")
    scaled = {(spec["scaleTargetRef"]["kind"], spec["scaleTargetRef"]["name"]) for spec in autoscalers().values()}
    for item in production.all("Deployment", "StatefulSet"):
        assert ("replicas" not in item["spec"]) == ((item["kind"], item["metadata"]["name"]) in scaled)
    assert len(scaled) == 5


def test_workload_that_gets_an_autoscaler_keeps_the_pods_that_it_has(tmp_path):
    chart = tmp_path / CHART.name
    shutil.copytree(CHART, chart)
    asks = chart / "templates" / "_service.tpl"
    found = 'lookup "apps/v1" .kind .root.Release.Namespace (include "mahjong.name" .)'
    assert found in asks.read_text()
    asks.write_text(asks.read_text().replace(found, 'dict "spec" (dict "replicas" 7.0)'))
    objects = list(objects_of(render(INSTALLS["production"], chart=chart)))
    numbers = {component(item): item["spec"]["replicas"] for item in objects if "replicas" in item.get("spec", {})}
    assert numbers == dict.fromkeys(SETTINGS, 7) | {"matchmaker": 3}


def test_a_worker_that_requests_next_to_nothing_has_a_target_still():
    over = {"table": {"resources": {"requests": {"cpu": "1m"}}}}
    objects = objects_of(render(overlaid(INSTALLS["production"], over)))
    (scaler,) = (item for item in objects if item["kind"] == "HorizontalPodAutoscaler" and component(item) == "table")
    assert custom_metrics(scaler["spec"])["mahjong_table_tables_live"] == "1"


def test_custom_metrics_are_what_the_adapter_makes_and_nothing_else():
    read = {name for spec in autoscalers().values() for name in custom_metrics(spec)}
    assert read == adapter_rules().keys()


def test_adapter_reads_metrics_that_the_services_have():
    exposed = set()
    for service in SETTINGS:
        metrics = ServiceMetrics(service)
        if service == "table":
            TableMetrics(metrics)
        exposed |= set(re.findall(r"^# TYPE (\S+)", generate_latest(metrics.registry).decode(), re.MULTILINE))
    for rule in adapter_rules().values():
        assert rule["seriesQuery"].partition("{")[0] in exposed


def test_service_monitor_scrapes_every_pod_of_a_service_once():
    production = install("production")
    (monitor,) = production.all("ServiceMonitor")
    selector = monitor["spec"]["selector"]["matchLabels"].items()
    scraped = [
        component(item)
        for item in production.all("Service")
        if selector <= item["metadata"]["labels"].items()
        and monitor["spec"]["endpoints"][0]["port"] in [port["name"] for port in item["spec"]["ports"]]
    ]
    assert sorted(scraped) == sorted(SETTINGS)
    assert monitor["spec"]["namespaceSelector"] == {"matchNames": ["games"]}
    assert monitor["metadata"]["labels"]["release"] == "prometheus"


def test_ingress_leads_to_ports_of_the_gateway_and_shows_certificates():
    production = install("production")
    ports = {port["name"] for port in production.one("Service", "gateway")["spec"]["ports"]}
    found = set()
    for item in production.all("Ingress"):
        (rule,) = item["spec"]["rules"]
        backend = rule["http"]["paths"][0]["backend"]["service"]
        assert backend["name"] == "mahjong-planet-gateway"
        assert backend["port"]["name"] in ports
        assert item["spec"]["tls"][0]["hosts"] == [rule["host"]]
        assert item["spec"]["ingressClassName"] == "nginx"
        found.add((rule["host"], backend["port"]["name"]))
    assert found == {("mahjong.example", "http"), ("grpc.mahjong.example", "grpc")}


def test_ingresses_let_streams_live_by_annotations_that_the_controller_knows():
    for item in install("production").all("Ingress"):
        names = {name.partition("/")[2]: value for name, value in item["metadata"]["annotations"].items()}
        # ingress-nginx takes those of proxies for gRPC too; it has none whose name begins with "grpc".
        assert names.keys() <= {"proxy-read-timeout", "proxy-send-timeout", "proxy-buffering", "backend-protocol"}
        longest_s = SETTINGS["gateway"].model_fields["stream_age_max_s"].default
        assert min(int(names["proxy-read-timeout"]), int(names["proxy-send-timeout"])) > longest_s


def test_route_of_the_gateway_api_has_no_limit_of_time():
    (route,) = install("production by gateway api").all("HTTPRoute")
    assert [rule["timeouts"] for rule in route["spec"]["rules"]] == [{"request": "0s"}]


def test_load_balancer_without_a_proxy_keeps_the_address_that_limits_go_by():
    service = install("own certificates, nodes and labels").one("Service", "gateway")["spec"]
    assert (service["type"], service["externalTrafficPolicy"]) == ("LoadBalancer", "Local")
    assert "externalTrafficPolicy" not in install("production").one("Service", "gateway")["spec"]


def test_gateway_api_routes_lead_to_ports_of_the_gateway():
    rendered = install("production by gateway api")
    ports = {port["port"]: port["name"] for port in rendered.one("Service", "gateway")["spec"]["ports"]}
    routes = {
        item["kind"]: ports[item["spec"]["rules"][0]["backendRefs"][0]["port"]]
        for item in rendered.all("HTTPRoute", "GRPCRoute")
    }
    assert routes == {"HTTPRoute": "http", "GRPCRoute": "grpc"}
    assert rendered.all("Ingress") == []
    for route in rendered.all("HTTPRoute", "GRPCRoute"):
        assert route["spec"]["parentRefs"] == [{"name": "public", "namespace": "edge", "sectionName": "https"}]
    hosts = {route["kind"]: route["spec"]["hostnames"] for route in rendered.all("HTTPRoute", "GRPCRoute")}
    assert hosts == {"HTTPRoute": ["mahjong.example"], "GRPCRoute": ["grpc.mahjong.example"]}


def test_native_grpc_is_http2_without_tls_to_whoever_routes_it():
    """What the Gateway API goes by (GEP-1911): without it a route speaks HTTP/1.1 to the gateway's gRPC port."""
    ports = {port["name"]: port for port in install("production").one("Service", "gateway")["spec"]["ports"]}
    assert ports["grpc"]["appProtocol"] == "kubernetes.io/h2c"
    annotations = {
        item["spec"]["rules"][0]["host"]: item["metadata"]["annotations"]
        for item in install("production").all("Ingress")
    }
    assert annotations["grpc.mahjong.example"]["nginx.ingress.kubernetes.io/backend-protocol"] == "GRPC"
