"""A real OpenID Connect issuer for tests, in a process of its own: discovery, keys, authorization and token endpoints.

Run as a module it prints its address and serves until standard input ends. Everybody who comes to the authorization
endpoint is signed in at once, as the subject that the test has set. `POST /test` sets how it behaves: `subject`,
`claims` (put over those of the ID token; null leaves one out), `sign` (`own`, `other`, `none`, `secret`), `rotate`,
`issuer` (what discovery names), `broken`.
"""

import base64
import hashlib
import json
import secrets
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from jwt.algorithms import RSAAlgorithm

CLIENT_ID = "mahjong-tests"
CLIENT_SECRET = "what only the client and the issuer know"
_TIMEOUT_S = 30
_ROOT = Path(__file__).parents[2]


class Provider:
    """What the issuer knows."""

    def __init__(self) -> None:
        self.issuer = ""
        self.key_number = 0
        self.key = _new_key()
        self.other_key = _new_key()
        self.codes: dict[str, dict[str, str]] = {}
        self.behaviour: dict[str, Any] = {}
        self.served: list[str] = []

    @property
    def key_id(self) -> str:
        return f"key-{self.key_number}"

    def rotate(self) -> None:
        self.key_number += 1
        self.key = _new_key()

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.behaviour.get("issuer", self.issuer),
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def key_set(self) -> dict[str, Any]:
        public = RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [public | {"kid": self.key_id, "use": "sig", "alg": "RS256"}]}

    def authorize(self, query: dict[str, str]) -> str:
        """Returns where the browser goes back to."""
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT_ID
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        code = secrets.token_urlsafe()
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Returns status and body of the exchange of a code, which counts once."""
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET.replace(' ', '%20')}".encode()).decode()
        if authorization != f"Basic {basic}":
            return 401, {"error": "invalid_client"}
        query = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if query is None or query["code_challenge"] != challenge or query["redirect_uri"] != form.get("redirect_uri"):
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self.id_token(query["nonce"])}

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "sub": self.behaviour.get("subject", "somebody"),
            "nonce": nonce,
            "iat": now,
            "exp": now + 300,
        } | self.behaviour.get("claims", {})
        claims = {name: value for name, value in claims.items() if value is not None}
        headers = {"kid": self.key_id}
        match self.behaviour.get("sign", "own"):
            case "none":
                return jwt.encode(claims, "", "none", headers)
            case "secret":
                return jwt.encode(claims, CLIENT_SECRET, "HS256", headers)
            case "other":
                return jwt.encode(claims, self.other_key, "RS256", headers)
            case _:
                return jwt.encode(claims, self.key, "RS256", headers)


def _new_key() -> RSAPrivateKey:
    return generate_private_key(65537, 2048)


class _Handler(BaseHTTPRequestHandler):
    provider: Provider
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = urlsplit(self.path)
        self.provider.served.append(path.path)
        if self.provider.behaviour.get("broken"):
            self._answer(503, {"error": "broken"})
        elif path.path == "/authorize":
            self._answer(302, {}, self.provider.authorize(_flat(path.query)))
        else:
            answers = {
                "/.well-known/openid-configuration": self.provider.discovery,
                "/keys": self.provider.key_set,
                "/test": lambda: {"served": self.provider.served},
            }
            self._answer(200, answers[path.path]()) if path.path in answers else self._answer(404, {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if self.path == "/test":
            self.provider.behaviour = json.loads(body)
            if self.provider.behaviour.pop("rotate", False):
                self.provider.rotate()
            self._answer(200, {})
        elif self.provider.behaviour.get("broken"):
            self._answer(503, {"error": "broken"})
        else:
            self._answer(*self.provider.token(_flat(body), self.headers.get("authorization", "")))

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, status: int, body: Any, location: str = "") -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        if location:
            self.send_header("location", location)
        self.end_headers()
        self.wfile.write(content)


def _flat(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}


class RunningIssuer:
    """The process, as a test sees it."""

    def __init__(self, address: str) -> None:
        self.address = address

    def behave(self, **behaviour: Any) -> None:
        """Sets how it behaves from now on."""
        content = json.dumps(behaviour).encode()
        with urllib.request.urlopen(f"{self.address}/test", content, timeout=_TIMEOUT_S):
            pass

    def served(self) -> list[str]:
        """Returns the paths that it was asked for so far."""
        with urllib.request.urlopen(f"{self.address}/test", timeout=_TIMEOUT_S) as response:
            return list(json.load(response)["served"])

    def visit(self, authorization_url: str) -> dict[str, str]:
        """Does what a browser does; returns what it brings back to our page."""
        opener = urllib.request.build_opener(_NoRedirects)
        try:
            opener.open(authorization_url, timeout=_TIMEOUT_S)
        except urllib.request.HTTPError as error:
            with error:
                return _flat(urlsplit(error.headers["location"]).query)
        raise AssertionError("the issuer sent the browser nowhere")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


@contextmanager
def openid_issuer() -> Iterator[RunningIssuer]:
    """Runs an issuer in a process of its own."""
    command = (sys.executable, "-m", "tests.kit.openid_issuer")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=_ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield RunningIssuer(process.stdout.readline().strip())
        finally:
            process.stdin.close()
            process.wait(_TIMEOUT_S)


def main() -> None:
    """Serves until standard input ends."""
    _Handler.provider = Provider()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    _Handler.provider.issuer = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"{_Handler.provider.issuer}\n")
    sys.stdout.flush()
    sys.stdin.read()
    server.shutdown()


if __name__ == "__main__":
    main()
