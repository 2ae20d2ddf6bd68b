"""The chart as a whole: it renders, lints, refuses wrong values, and every object fits Kubernetes' schemas."""

import copy
import itertools
import os
import re
import shutil
import subprocess
import sys

import helm_python
import pytest
import yaml

from deploy.chart.rendering import CHART, lint, objects_of, overlaid, parse_set, read_values, render
from deploy.chart.settings import unknown_settings
from deploy.chart.validation import KUBERNETES, problems
from tests.deploy.conftest import INSTALLS, LAPTOP, PRODUCTION, install

TIMEOUT_S = 120
RULES = "groups:\n  - name: tables\n    rules: [{alert: TableHalted, expr: mahjong_table_tables_halted > 0}]\n"


@pytest.mark.parametrize("name", INSTALLS)
def test_linter_finds_nothing(name):
    assert lint(INSTALLS[name]) == []


@pytest.mark.parametrize("version", KUBERNETES)
def test_every_object_fits_the_schemas_of_kubernetes(rendered, version):
    assert [line for item in rendered.objects for line in problems(item, version)] == []


def test_no_two_objects_have_one_name(rendered):
    names = [(item["kind"], item["metadata"]["name"]) for item in rendered.objects]
    assert len(names) == len(set(names))


def test_objects_belong_to_the_release_namespace_and_name_none(rendered):
    assert [item["metadata"]["name"] for item in rendered.objects if "namespace" in item["metadata"]] == []


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("Deployment", ("spec", "replicas"), "two"),
        ("Deployment", ("spec", "template", "spec", "conteiners"), []),
        ("NetworkPolicy", ("spec", "policyTypes"), "Ingress"),
        ("Certificate", ("spec", "usages"), ["everything"]),
        ("ServiceMonitor", ("spec", "endpoints"), []),
        ("Issuer", ("spec", "selfsigned"), {}),
    ],
)
def test_object_with_a_wrong_field_is_found(kind, path, value):
    item = copy.deepcopy(install("production").all(kind)[0])
    assert problems(item, KUBERNETES[-1]) == []
    *above, last = path
    place = item
    for key in above:
        place = place[key]
    place[last] = value
    assert problems(item, KUBERNETES[-1])


@pytest.mark.parametrize("name", ["production", "production by gateway api"])
def test_field_that_a_kind_does_not_have_is_found_whatever_the_kind(name):
    kinds = {item["kind"]: item for item in install(name).objects}
    for kind, item in kinds.items():
        for path in ([], ["spec"]):
            if path and "spec" not in item:
                continue
            changed = copy.deepcopy(item)
            (changed["spec"] if path else changed)["unknown"] = 1
            assert problems(changed, KUBERNETES[-1]), (kind, path)


def test_objects_are_held_to_three_versions_of_kubernetes_and_the_chart_takes_them():
    assert len(set(KUBERNETES)) == 3
    least = yaml.safe_load((CHART / "Chart.yaml").read_text())["kubeVersion"]
    (lowest,) = re.fullmatch(r">=1\.(\d+)\.0-0", least).groups()
    assert all(int(version.partition(".")[2]) >= int(lowest) for version in KUBERNETES)


def test_kind_that_kubernetes_does_not_have_is_found():
    item = {"apiVersion": "extensions/v1beta1", "kind": "Ingress", "metadata": {"name": "old"}, "spec": {}}
    assert problems(item, "1.37") == ["Ingress/old (1.37): extensions/v1beta1 has no such kind"]


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("gateway.replica=2", "replica"),
        ("table.replicas=0", "replicas"),
        ("image.digest=sha256:abc", "digest"),
        ("logLevel=verbose", "logLevel"),
        ("tls.mode=sometimes", "mode"),
        ("table.settings.tables_max=3", "tables_max"),
        ("secrets.generate=true", "secrets.generate is for bundled stores"),
        ("redis.bundled=true", "bundled stores need secrets.generate"),
        ("secrets.serviceKey.name=", "secrets.serviceKey.name is empty"),
        ("image.repository=", "repository"),
        ("gatewayApi.enabled=true", "gatewayApi.parentRefs is empty"),
        ("tls.certManager.issuerRef.kind=ClusterIssuer", "name"),
        ("matchmaker.replicas=null", "matchmaker.replicas is not set"),
        ("tolerations[0].keys=games", "keys"),
        ("account.openid.issuer=https://accounts.example", "account.openid.redirectUris is empty"),
        ("gatwey.replicas=2", "gatwey"),
        ("tls.enabled=yes", "enabled"),
    ],
)
def test_wrong_value_is_refused_and_named(assignment, told):
    with pytest.raises(helm_python.HelmError) as caught:
        render(parse_set([assignment]))
    assert told in str(caught.value)


def test_autoscaler_whose_fewest_are_more_than_its_most_is_refused():
    with pytest.raises(helm_python.HelmError, match=r"table\.autoscaling\.min is above max"):
        render(parse_set(["table.autoscaling.enabled=true", "table.autoscaling.min=21"]))


def test_every_value_is_explained_in_the_line_above_it():
    lines = (CHART / "values.yaml").read_text().splitlines()
    silent = [
        line
        for above, line in itertools.pairwise(lines)
        if re.match(r" *[A-Za-z]+:", line) and not above.lstrip().startswith("#")
    ]
    # Maps that are one value: their own line explains them.
    assert [line for line in silent if not re.match(r" +(requests|limits|podSelector): ", line)] == []


def test_schema_knows_every_value_of_every_file():
    for path in (CHART / "values.yaml", LAPTOP, PRODUCTION):
        with helm_python.Chart.load(CHART) as chart:
            chart.validate_schema(yaml.safe_load(path.read_text()))


def test_settings_in_value_files_are_settings_of_the_service():
    assert [line for values in INSTALLS.values() for line in unknown_settings(values)] == []


def test_command_names_settings_that_no_service_reads():
    wrong = ("settings.COMPUTER_FIL_S=20", "table.settings.TABLE_MAX=9", "rating.settings.TABLES_MAX=9")
    done = _command("--values", str(PRODUCTION), *(word for each in wrong for word in ("--set", each)))
    assert done.returncode == 1
    assert "3 problems" in done.stdout
    assert "settings.COMPUTER_FIL_S: no service has such a setting" in done.stdout
    assert "table.settings.TABLE_MAX: the table service has no such setting" in done.stdout
    assert "rating.settings.TABLES_MAX: the rating service has no such setting" in done.stdout


def test_release_name_is_part_of_every_name():
    objects = list(objects_of(render(INSTALLS["laptop"], release="second")))
    assert {item["metadata"]["name"].startswith("second-mahjong-planet-") for item in objects} == {True}


def test_names_of_a_long_release_are_names_still_and_have_the_chart_in_them():
    objects = list(objects_of(render(INSTALLS["laptop"], release="l" * 53)))
    names = {item["metadata"]["name"] for item in objects}
    assert len(names) >= len({item["kind"] for item in objects})
    assert all(len(name) <= 63 and "-mahjong-planet-" in name for name in names), names


def test_image_is_named_by_its_digest_where_there_is_one():
    images = {container["image"] for container in _containers("own certificates, nodes and labels")}
    assert images == {f"mahjong-planet/services@sha256:{'0' * 64}"}
    assert {container["image"].rpartition(":")[2] for container in _containers("defaults")} == {_app_version()}


def test_image_of_every_store_is_pinned_by_version():
    tags = {container["image"].rpartition(":")[2] for container in _containers("laptop")}
    assert all(re.match(r"\d+\.\d+", tag) for tag in tags), tags


def test_rules_and_dashboards_of_the_observability_folder_are_in_the_release(tmp_path):
    chart = tmp_path / CHART.name
    shutil.copytree(CHART, chart)  # Follows the links to deploy/observability.
    (chart / "files" / "rules" / "planted.yaml").write_text(RULES)
    (chart / "files" / "dashboards" / "planted.json").write_text('{"title": "{{ not a template }}"}')
    objects = list(objects_of(render(read_values(PRODUCTION), chart=chart)))
    named = {item["metadata"]["name"]: item for item in objects}
    rule, dashboard = named["mahjong-planet-planted"], named["mahjong-planet-dashboard-planted"]
    assert rule["spec"] == yaml.safe_load(RULES)
    assert rule["metadata"]["labels"]["release"] == "prometheus"
    assert dashboard["data"] == {"planted.json": '{"title": "{{ not a template }}"}'}
    assert dashboard["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert [line for item in (rule, dashboard) for line in problems(item, "1.37")] == []


def test_alerts_link_to_where_the_runbooks_can_be_read():
    values = overlaid(INSTALLS["production"], {"monitoring": {"rules": {"pagesAt": "https://git.example/planet/"}}})
    groups = [
        group
        for item in objects_of(render(values))
        if item["kind"] == "PrometheusRule"
        for group in item["spec"]["groups"]
    ]
    links = [rule["annotations"]["runbook_url"] for group in groups for rule in group["rules"] if "alert" in rule]
    assert len(links) > 15
    assert all(re.fullmatch(r"https://git\.example/planet/docs/runbooks/[a-z-]+\.md", link) for link in links)


def test_links_of_the_chart_lead_to_the_observability_folder():
    for name in ("rules", "dashboards"):
        link = CHART / "files" / name
        assert link.is_symlink()
        assert link.resolve() == CHART.parents[1] / "observability" / name


def test_command_checks_an_install_and_writes_what_it_rendered(tmp_path):
    done = _command("--values", str(PRODUCTION), "--set", "image.tag=9.9.9", "--output", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "0 problems" in done.stdout
    assert "9.9.9" in (tmp_path / "values-production" / "gateway.yaml").read_text()


def test_command_ends_with_status_1_and_names_the_value_that_is_wrong():
    done = _command("--values", str(LAPTOP), "--set", "table.replicas=none")
    assert done.returncode == 1
    assert "replicas" in done.stderr


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("production", "https://mahjong.example"),
        ("production by gateway api", "https://mahjong.example"),
        ("laptop", "port-forward"),
    ],
)
def test_notes_say_where_the_page_is(name, told):
    with helm_python.Chart.load(CHART) as chart:
        texts = chart.render(INSTALLS[name], name="mahjong-planet", namespace="games")
    (notes,) = (text for path, text in texts.items() if path.endswith("NOTES.txt"))
    assert told in notes
    assert "statefulset/mahjong-planet-table" in notes


def test_packaged_chart_renders_as_the_folder_does(tmp_path):
    archive = helm_python.package(CHART, destination=tmp_path)
    production = INSTALLS["production"]
    with helm_python.Chart.load(archive) as packaged, helm_python.Chart.load(CHART) as folder:
        assert packaged.render(production, name="a", namespace="b") == folder.render(
            production, name="a", namespace="b"
        )


def test_overlay_keeps_what_the_upper_values_do_not_name():
    assert overlaid({"a": {"b": 1, "c": 2}, "d": [1]}, {"a": {"c": 3}, "d": [2]}) == {"a": {"b": 1, "c": 3}, "d": [2]}


def _command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "deploy.chart", *arguments],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        cwd=CHART.parents[2],
        env=os.environ,
    )


def _containers(name: str):
    for workload in install(name).workloads():
        yield from workload["spec"]["template"]["spec"]["containers"]


def _app_version() -> str:
    return str(yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"])
