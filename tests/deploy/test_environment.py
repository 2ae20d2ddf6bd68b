"""The services take the environment that the chart gives them, and certificates name what callers ask for."""

import os

import helm_python
import pytest

from deploy.chart.rendering import objects_of, overlaid, render
from mahjong_kit.settings import load_settings
from tests.deploy.conftest import INSTALLS, SETTINGS, Install, component, environment_of, install, pod_of
from tests.kit.processes import clean_environment

SECRETS = {
    "MAHJONG_SERVICE_KEY": "k" * 48,
    "POSTGRESQL_PASSWORD": "aB3" * 16,
    "REDIS_PASSWORD": "cD4" * 16,
    "POD_NAME": "mahjong-planet-table-0",
    **{f"{name.upper()}_DATABASE_DSN": f"postgresql://u:p@h:5432/{name}?ssl=require" for name in SETTINGS},
    "MATCHMAKER_REDIS_URL": "rediss+cluster://:p@h:6379",
    "TABLE_REDIS_URL": "rediss://:p@h:6379/0",
}


@pytest.fixture
def settings_of(monkeypatch, issuer):
    """Returns the settings that a workload's container would start with."""
    secrets = SECRETS | {"ACCOUNT_SIGNING_KEY": issuer.signing_key_pem}

    def read(name, workload):
        for variable in set(os.environ) - set(clean_environment()):
            monkeypatch.delenv(variable)
        environment = environment_of(workload, secrets)
        for variable, value in environment.items():
            monkeypatch.setenv(variable, value)
        settings = load_settings(SETTINGS[name])
        for variable in environment:
            monkeypatch.delenv(variable)
        return settings

    return read


def test_every_service_starts_with_the_environment_of_its_container(rendered, settings_of):
    for name, workload in rendered.services().items():
        settings = settings_of(name, workload)
        assert settings.host == "0.0.0.0"
        assert settings.port in [port["containerPort"] for port in pod_of(workload)["containers"][0]["ports"]]


def test_every_variable_of_a_container_is_read_by_its_service(rendered):
    for name, workload in rendered.services().items():
        known = {
            f"{prefix}{field.upper()}"
            for prefix in ("MAHJONG_", f"{name.upper()}_")
            for field in SETTINGS[name].model_fields
        }
        references = {"POD_NAME", "POSTGRESQL_PASSWORD", "REDIS_PASSWORD"}  # Other variables are made from them.
        references |= {"SSL_CERT_FILE"}  # Python reads it.
        unread = environment_of(workload).keys() - known - references
        # A shared setting may be one that this service does not have.
        assert {variable for variable in unread if not _is_shared(variable)} == set()


def test_settings_are_given_as_they_are_written():
    written = {
        "settings": {"MESSAGE_BYTES_MAX": 2_097_152},
        "account": {"settings": {"KEY_ROTATION_S": 2_592_000}},
        "replay": {"settings": {"KEEP_RATED_DAYS": "10000000"}},
        "rating": {"settings": {"RECHECK_PERIOD_S": 0.25}},
        "connectionAgeSeconds": 2_592_000,
    }
    given = {
        component(item): environment_of(item)
        for item in objects_of(render(overlaid(INSTALLS["production"], written)))
        if component(item) in SETTINGS and item["kind"] in ("Deployment", "StatefulSet")
    }
    assert given["gateway"]["MAHJONG_MESSAGE_BYTES_MAX"] == "2097152"
    assert given["account"]["ACCOUNT_KEY_ROTATION_S"] == given["account"]["ACCOUNT_CONNECTION_AGE_MAX_S"] == "2592000"
    assert given["replay"]["REPLAY_KEEP_RATED_DAYS"] == "10000000"
    assert given["rating"]["RATING_RECHECK_PERIOD_S"] == "0.25"


def test_setting_that_the_chart_makes_from_other_values_is_refused():
    rendered = install("production")
    for name, workload in rendered.services().items():
        fields = SETTINGS[name].model_fields
        made = {variable.partition("_")[2] for variable in environment_of(workload)}
        made = {setting for setting in made if setting.lower() in fields} | {"PORT", "METRICS_PORT"}
        assert made >= {"HOST", "DRAIN_GRACE_S", "SERVICE_KEY"}
        for setting in sorted(made - {"LOG_LEVEL", "TRACE_SHARE"}):
            with pytest.raises(helm_python.HelmError, match=rf"{name}\.settings\.{setting}: "):
                render(overlaid(INSTALLS["production"], {name: {"settings": {setting: "1"}}}))
    for setting in ("HOST", "LOG_LEVEL", "REDIS_URL"):
        with pytest.raises(helm_python.HelmError, match=rf"settings\.{setting}: "):
            render(overlaid(INSTALLS["production"], {"settings": {setting: "1"}}))


def test_outside_issuer_may_send_browsers_back_where_the_values_say(settings_of):
    rendered = install("own certificates, nodes and labels")
    settings = settings_of("account", rendered.services()["account"])
    assert settings.openid_issuer == "https://accounts.example"
    assert settings.openid_redirect_uris == ("https://mahjong.example/signed-in", "https://mahjong.example/app")


def test_one_service_may_log_more_than_the_others():
    values = overlaid(INSTALLS["production"], {"table": {"settings": {"LOG_LEVEL": "debug"}}})
    (table,) = (item for item in objects_of(render(values)) if item["kind"] == "StatefulSet")
    assert environment_of(table)["TABLE_LOG_LEVEL"] == "debug"


def _is_shared(variable: str) -> bool:
    field = variable.removeprefix("MAHJONG_").lower()
    return variable.startswith("MAHJONG_") and any(field in settings.model_fields for settings in SETTINGS.values())


def test_inner_services_speak_tls_and_the_public_edge_does_not(rendered, settings_of):
    certificates = {item["spec"]["secretName"]: item["spec"] for item in rendered.all("Certificate")}
    for name, workload in rendered.services().items():
        settings = settings_of(name, workload)
        volumes = {volume["name"]: volume for volume in pod_of(workload)["volumes"]}
        assert (settings.tls_authority_file is not None) == ("tls" in volumes)
        if "tls" not in volumes:
            assert settings.tls == "off"
            continue
        assert (settings.tls == "off") == (name == "gateway")
        mounts = {mount["name"]: mount for mount in pod_of(workload)["containers"][0]["volumeMounts"]}
        assert {
            str(path.parent)
            for path in (settings.tls_certificate_file, settings.tls_key_file, settings.tls_authority_file)
        } == {mounts["tls"]["mountPath"]}
        assert volumes["tls"]["secret"]["defaultMode"] == 0o440  # By fsGroup the process reads it, others do not.
        if certificates:
            assert _names_what_is_called(certificates[volumes["tls"]["secret"]["secretName"]]["dnsNames"], name)


def _names_what_is_called(dns_names: list[str], service: str) -> bool:
    called = {f"mahjong-planet-{service}.games.svc"}
    if service == "table":
        called.add("*.mahjong-planet-table-workers.games.svc")
    return set(dns_names) == called


def test_authorities_of_the_stores_are_where_whoever_opens_a_store_looks_for_them():
    rendered = install("own certificates, nodes and labels")
    for workload in rendered.workloads():
        fields = SETTINGS[component(workload)].model_fields if component(workload) in SETTINGS else {"database_dsn"}
        has_store = not {"database_dsn", "redis_url"}.isdisjoint(fields)
        (container,) = pod_of(workload)["containers"]
        mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
        volumes = {volume["name"]: volume for volume in pod_of(workload)["volumes"]}
        assert environment_of(workload).get("SSL_CERT_FILE") == (
            "/etc/mahjong/authorities/all.pem" if has_store else None
        )
        assert mounts.get("/etc/mahjong/authorities") == ("authorities" if has_store else None)
        if has_store:
            assert volumes["authorities"]["configMap"] == {"name": "store-authorities"}
    assert "SSL_CERT_FILE" not in environment_of(install("production").services()["table"])


def test_certificates_are_made_only_where_cert_manager_is_asked_and_by_an_issuer_of_ones_own_if_there_is_one():
    def certificates(cert_manager):
        values = overlaid(INSTALLS["production"], {"tls": {"certManager": cert_manager}})
        return [item for item in objects_of(render(values)) if item["apiVersion"].startswith("cert-manager.io/")]

    assert certificates({"enabled": False}) == []
    issuer = {"kind": "ClusterIssuer", "name": "inner"}
    made = certificates({"issuerRef": issuer})
    assert [item["kind"] for item in made] == ["Certificate"] * len(SETTINGS)
    assert [item["spec"]["issuerRef"] for item in made] == [issuer] * len(SETTINGS)


def test_connections_between_services_end_so_that_new_replicas_are_found(settings_of):
    for name, workload in install("production").services().items():
        assert settings_of(name, workload).connection_age_max_s == (None if name == "gateway" else 300)
    for name, workload in install("own certificates, nodes and labels").services().items():
        assert settings_of(name, workload).connection_age_max_s is None


def test_certificates_are_signed_by_the_releases_own_authority():
    production = Install("production")
    issuers = {item["metadata"]["name"]: item["spec"] for item in production.all("Issuer")}
    authority = next(item for item in production.all("Certificate") if item["spec"].get("isCA"))
    assert issuers[authority["spec"]["issuerRef"]["name"]] == {"selfSigned": {}}
    for item in production.all("Certificate"):
        if item is not authority:
            assert issuers[item["spec"]["issuerRef"]["name"]] == {"ca": {"secretName": authority["spec"]["secretName"]}}
            assert {"server auth", "client auth"} <= set(item["spec"]["usages"])
