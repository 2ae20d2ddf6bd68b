"""Paths of methods, and errors as each protocol carries them."""

import base64
from dataclasses import dataclass
from typing import Any

from google.rpc import error_details_pb2, status_pb2

from tests.kit.http import Reply

SERVER_INFO = "/mahjongplanet.gateway.v1.GatewayService/GetServerInfo"
CREATE_GUEST = "/mahjongplanet.account.v1.AccountService/CreateGuest"
MY_ACCOUNT = "/mahjongplanet.account.v1.AccountService/GetMyAccount"
SIGNING_KEYS = "/mahjongplanet.account.v1.AccountService/ListSigningKeys"
SUBMIT_ACTION = "/mahjongplanet.table.v1.TableService/SubmitAction"
WATCH_TABLE = "/mahjongplanet.table.v1.TableService/WatchTable"
CREATE_TABLE = "/mahjongplanet.table.v1.TableService/CreateTable"
HAND_RECORD = "/mahjongplanet.replay.v1.ReplayService/GetHandRecord"


@dataclass(frozen=True)
class Told:
    """An error as a client reads it."""

    code: str
    reason: str
    metadata: dict[str, str]
    retry_after_s: float | None
    message: str


def told(error: Any) -> Told:
    """Reads an error of Connect: the body of a unary response or the error of a stream's end."""
    infos, retries = [], []
    for detail in error["details"]:
        value = base64.b64decode(detail["value"] + "===")
        if detail["type"] == "google.rpc.ErrorInfo":
            infos.append(error_details_pb2.ErrorInfo.FromString(value))
        if detail["type"] == "google.rpc.RetryInfo":
            retries.append(error_details_pb2.RetryInfo.FromString(value))
    return _told(error["code"], infos, retries, error["message"])


def told_by_reply(reply: Reply) -> Told:
    """Reads the error of a unary Connect response."""
    return told(reply.json())


def told_by_status(code: str, encoded: str) -> Told:
    """Reads `grpc-status-details-bin` of gRPC-Web."""
    return told_by_google_status(code, status_pb2.Status.FromString(base64.b64decode(encoded + "===")))


def told_by_google_status(code: str, status: status_pb2.Status) -> Told:
    """Reads the status of gRPC."""
    infos, retries = [], []
    for detail in status.details:
        info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            infos.append(info)
        if detail.Unpack(retry):
            retries.append(retry)
    return _told(code, infos, retries, status.message)


def _told(code: str, infos: list[Any], retries: list[Any], message: str) -> Told:
    (info,) = infos
    assert info.domain == "mahjongplanet"
    retry_after_s = retries[0].retry_delay.ToMilliseconds() / 1000 if retries else None
    return Told(code, info.reason.removeprefix("ERROR_REASON_"), dict(info.metadata), retry_after_s, message)
