"""What holds for every pod: rights, probes, limits, disruption, spread, and time to go down in order."""

import base64
from importlib import import_module

import pytest

from tests.deploy.conftest import SETTINGS, component, container_of, environment_of, install, pod_of

HEALTH_SERVICES = {
    "account": "mahjongplanet.account.v1.AccountService",
    "matchmaker": "mahjongplanet.matchmaker.v1.MatchmakerService",
    "rating": "mahjongplanet.rating.v1.RatingService",
    "replay": "mahjongplanet.replay.v1.ReplayService",
    "table": "mahjongplanet.table.v1.TableService",
}


def test_every_container_runs_without_rights(rendered):
    for workload in rendered.workloads():
        pod = pod_of(workload)
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False  # They would make variables such as TABLE_PORT=tcp://….
        security = pod["securityContext"]
        assert security["runAsNonRoot"] is True
        assert security["runAsUser"] >= 999
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
        assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & pod.keys()
        assert not [volume for volume in pod["volumes"] if "hostPath" in volume]


def test_every_pod_is_taken_where_the_restricted_pod_security_standard_is_enforced(rendered):
    allowed = {
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "persistentVolumeClaim",
        "projected",
        "secret",
    }
    for workload in rendered.workloads():
        pod = pod_of(workload)
        assert {kind for volume in pod["volumes"] for kind in volume.keys() - {"name"}} <= allowed
        assert "sysctls" not in pod["securityContext"]
        for container in pod["containers"]:
            assert not [port for port in container.get("ports", []) if "hostPort" in port]


def test_every_container_has_requests_and_a_limit_of_memory(rendered):
    for workload in rendered.workloads():
        resources = container_of(workload)["resources"]
        assert {"cpu", "memory"} <= resources["requests"].keys()
        assert "memory" in resources["limits"]


def test_every_workload_that_stays_has_three_probes_and_a_disruption_budget(rendered):
    budgets = {str(item["spec"]["selector"]["matchLabels"]): item for item in rendered.all("PodDisruptionBudget")}
    for workload in rendered.all("Deployment", "StatefulSet"):
        assert {"startupProbe", "readinessProbe", "livenessProbe"} <= container_of(workload).keys()
        budget = budgets[str(workload["spec"]["selector"]["matchLabels"])]
        assert budget["spec"]["maxUnavailable"] == 1
    assert len(budgets) == len(rendered.all("Deployment", "StatefulSet"))


def test_selectors_select_the_pods_of_their_workload_alone(rendered):
    for selecting in rendered.all("Deployment", "StatefulSet"):
        selector = selecting["spec"]["selector"]["matchLabels"].items()
        selected = [
            component(workload)
            for workload in rendered.workloads()
            if selector <= workload["spec"]["template"]["metadata"]["labels"].items()
        ]
        assert selected == [component(selecting)]


def test_probes_ask_ports_that_answer_without_tls(rendered):
    for name, workload in rendered.services().items():
        container, environment = container_of(workload), environment_of(workload)
        has_tls = environment.get("MAHJONG_TLS", "off") != "off"
        expected = int(environment["MAHJONG_HEALTH_PORT"]) if has_tls else SETTINGS[name].model_fields["port"].default
        probes = [container[f"{kind}Probe"] for kind in ("startup", "readiness", "liveness")]
        assert {probe["grpc"]["port"] for probe in probes if "grpc" in probe} == {expected}
        assert expected in [port["containerPort"] for port in container["ports"]]


def test_readiness_asks_for_the_service_itself(rendered):
    for name, workload in rendered.services().items():
        probe = container_of(workload)["readinessProbe"]
        if name == "gateway":
            assert probe["httpGet"] == {"path": "/healthz", "port": "http"}
        else:
            assert probe["grpc"]["service"] == HEALTH_SERVICES[name]


@pytest.mark.parametrize("name", sorted(HEALTH_SERVICES))
def test_services_that_readiness_asks_for_are_in_the_protos(name):
    module = import_module(f"mahjongplanet.{name}.v1.{name}_service_pb2")
    full_names = {service.full_name for service in module.DESCRIPTOR.services_by_name.values()}
    assert HEALTH_SERVICES[name] in full_names


def test_grace_period_outlasts_the_orderly_end(rendered):
    for name, workload in rendered.services().items():
        environment = environment_of(workload)
        longest_s = float(environment["MAHJONG_PROBE_PERIOD_S"]) + float(environment["MAHJONG_DRAIN_GRACE_S"])
        longest_s += float(environment.get("TABLE_HAND_OVER_S", 0))
        grace_s = pod_of(workload)["terminationGracePeriodSeconds"]
        assert longest_s + 10 <= grace_s <= 120, f"{name}: a rollout moves tables and waits for no match"
        assert "lifecycle" not in container_of(workload)  # SIGTERM is all that a process needs to go in order.


def test_pods_are_spread_over_zones_and_nodes_release_by_release(rendered):
    for workload in rendered.services().values():
        constraints = pod_of(workload)["topologySpreadConstraints"]
        assert {constraint["topologyKey"] for constraint in constraints} == {
            "topology.kubernetes.io/zone",
            "kubernetes.io/hostname",
        }
        labels = workload["spec"]["template"]["metadata"]["labels"].items()
        for constraint in constraints:
            assert constraint["labelSelector"]["matchLabels"].items() <= labels
            assert len(constraint["matchLabelKeys"]) == 1
            assert constraint["nodeTaintsPolicy"] == "Honor"  # Else a zone that is down keeps pods from all others.


def test_deployments_never_have_fewer_pods_during_a_rollout(rendered):
    for workload in rendered.all("Deployment"):
        assert workload["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}


def test_table_workers_have_stable_names_and_start_and_scale_together(rendered):
    table = rendered.one("StatefulSet", "table")
    spec = table["spec"]
    assert spec["podManagementPolicy"] == "Parallel"
    assert spec["updateStrategy"] == {"type": "RollingUpdate"}  # One at a time, each after its hand-over.
    assert spec["minReadySeconds"] >= 5
    workers = rendered.one("Service", spec["serviceName"].removeprefix("mahjong-planet-"))
    assert workers["spec"]["publishNotReadyAddresses"] is True
    address = environment_of(table)["TABLE_ADVERTISED_ADDRESS"]
    assert address.endswith(f".{spec['serviceName']}.games.svc:7003")
    assert '"fieldPath": "metadata.name"' in address


def test_writable_places_are_small_and_in_memory_but_for_data(rendered):
    for workload in rendered.workloads():
        for volume in pod_of(workload)["volumes"]:
            if "emptyDir" in volume:
                assert volume["emptyDir"]["medium"] == "Memory"
                assert "sizeLimit" in volume["emptyDir"]


def test_secrets_are_only_referred_to():
    for name in ("defaults", "production"):
        assert install(name).all("Secret") == []
        for workload in install(name).workloads():
            for variable in container_of(workload)["env"]:
                if any(word in variable["name"] for word in ("KEY", "DSN", "URL", "PASSWORD")) and not variable[
                    "name"
                ].endswith("_FILE"):
                    assert "secretKeyRef" in variable["valueFrom"], variable["name"]


def test_generated_secrets_are_long_random_and_kept():
    (secret,) = install("laptop").all("Secret")
    values = [base64.b64decode(value) for value in secret["data"].values()]
    assert all(len(value) == 48 for value in values)
    assert len(set(values)) == len(values) == 3
    assert secret["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"
    again = [item for item in type(install("laptop"))("laptop").objects if item["kind"] == "Secret"]
    assert again[0]["data"].keys() == secret["data"].keys()
    assert again[0]["data"] != secret["data"]


def test_migrations_run_before_anything_is_replaced():
    for name, hook in (("production", "pre-install,pre-upgrade"), ("laptop", "pre-upgrade")):
        job = install(name).one("Job", "migrations")
        assert job["metadata"]["annotations"]["helm.sh/hook"] == hook
        assert job["spec"]["activeDeadlineSeconds"] == 600
        (policy,) = (item for item in install(name).all("NetworkPolicy") if component(item) == "migrations")
        # That of the release before would keep the job from databases that have moved.
        assert policy["metadata"]["annotations"]["helm.sh/hook"] == hook
        assert int(policy["metadata"]["annotations"]["helm.sh/hook-weight"]) < 0
        assert "helm.sh/hook-weight" not in job["metadata"]["annotations"]
        databases = sorted(name for name, settings in SETTINGS.items() if "database_dsn" in settings.model_fields)
        assert container_of(job)["args"] == ["mahjong_kit.migrate", *databases]
        assert {f"{name.upper()}_DATABASE_DSN" for name in databases} <= environment_of(job).keys()
