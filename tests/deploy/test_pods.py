"""What holds for every pod: rights, probes, limits, disruption, spread, and time to go down in order."""

import base64
import shutil
from importlib import import_module

import pytest

from deploy.chart.rendering import CHART, objects_of, render
from tests.deploy.conftest import INSTALLS, SETTINGS, component, container_of, environment_of, install, pod_of

HEALTH_SERVICES = {
    "account": "mahjongplanet.account.v1.AccountService",
    "matchmaker": "mahjongplanet.matchmaker.v1.MatchmakerService",
    "rating": "mahjongplanet.rating.v1.RatingService",
    "replay": "mahjongplanet.replay.v1.ReplayService",
    "table": "mahjongplanet.table.v1.TableService",
}


def test_workers_are_a_stateful_set_and_all_other_services_deployments_each_from_its_own_template(rendered):
    kinds = {name: workload["kind"] for name, workload in rendered.services().items()}
    assert kinds == dict.fromkeys(SETTINGS, "Deployment") | {"table": "StatefulSet"}
    texts = render(INSTALLS[rendered.name])
    for name, kind in kinds.items():
        assert f"kind: {kind}\nmetadata:\n  name: mahjong-planet-{name}\n" in texts[f"{name}.yaml"]


def test_every_container_runs_without_rights(rendered):
    for workload in rendered.workloads():
        pod = pod_of(workload)
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False  # They would make variables such as TABLE_PORT=tcp://….
        security = pod["securityContext"]
        assert security["runAsNonRoot"] is True
        assert security["runAsUser"] >= 999
        # Volumes and the Secret with the key of TLS belong to that group.
        assert security["fsGroup"] == security["runAsGroup"] == security["runAsUser"]
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
        if component(workload) in SETTINGS:  # A pod that is not ready protects nobody.
            assert budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow"
    assert len(budgets) == len(rendered.all("Deployment", "StatefulSet"))


def test_probes_are_patient_with_a_start_and_a_hiccup_and_quick_to_find_a_pod_that_goes(rendered):
    for workload in rendered.services().values():
        container = container_of(workload)
        patience_s = {
            kind: container[f"{kind}Probe"]["periodSeconds"] * container[f"{kind}Probe"]["failureThreshold"]
            for kind in ("startup", "readiness", "liveness")
        }
        assert patience_s["startup"] >= 300  # A store that is away is waited for.
        assert patience_s["liveness"] >= 30  # Longer than anything that holds an event loop up and passes.
        assert patience_s["readiness"] <= 10
        assert all(container[f"{kind}Probe"]["timeoutSeconds"] >= 3 for kind in ("startup", "readiness", "liveness"))


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
        longest_s += float(environment["TABLE_HAND_OVER_S"]) if name == "table" else 0
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
            revision = "controller-revision-hash" if workload["kind"] == "StatefulSet" else "pod-template-hash"
            assert constraint["matchLabelKeys"] == [revision]
            assert constraint["nodeTaintsPolicy"] == "Honor"  # Else a zone that is down keeps pods from all others.


def test_production_does_not_put_all_pods_into_one_zone():
    for workload in install("production").services().values():
        spread = {each["topologyKey"]: each for each in pod_of(workload)["topologySpreadConstraints"]}
        assert spread["topology.kubernetes.io/zone"]["whenUnsatisfiable"] == "DoNotSchedule"
        assert spread["kubernetes.io/hostname"]["whenUnsatisfiable"] == "ScheduleAnyway"


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
        mounts = {mount["mountPath"]: mount["name"] for mount in container_of(workload)["volumeMounts"]}
        assert mounts["/tmp"] == "tmp"  # Where the image's processes run, and Python's own temporary files go.


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


def test_generated_secrets_are_found_again_by_an_upgrade(tmp_path):
    chart = tmp_path / CHART.name
    shutil.copytree(CHART, chart)
    template = chart / "templates" / "secrets.yaml"
    asked = 'lookup "v1" "Secret" .Release.Namespace $name'
    assert asked in template.read_text()
    there = '(dict "data" (dict "service-key" "b2xk" "postgresql-password" "b2xk"))'
    template.write_text(template.read_text().replace(asked, there))
    (secret,) = (item for item in objects_of(render(INSTALLS["laptop"], chart=chart)) if item["kind"] == "Secret")
    assert secret["data"].pop("redis-password") != "b2xk"  # That one was not there yet.
    assert secret["data"] == {"service-key": "b2xk", "postgresql-password": "b2xk"}


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
