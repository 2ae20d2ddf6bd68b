"""An authority and the certificates that it signs, for tests of TLS."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

LIFETIME = timedelta(days=1)


class TestAuthority:
    """Signs certificates for services on this machine; all files are PEM, in a directory of the test's own."""

    __test__ = False

    def __init__(self, directory: Path, name: str = "authority") -> None:
        self._directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = _builder(self._name, self._name, self._key.public_key()).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        self.file = directory / f"{name}.pem"
        self.file.write_bytes(certificate.sign(self._key, SHA256()).public_bytes(Encoding.PEM))

    def settings(self, service: str = "service", host: str = "127.0.0.1") -> dict[str, Any]:
        """Writes a certificate with its key and returns the settings that name the files, for server and client."""
        certificate, key = self.write(service, host)
        return {"tls_certificate_file": certificate, "tls_key_file": key, "tls_authority_file": self.file}

    def write(self, service: str, host: str = "127.0.0.1") -> tuple[Path, Path]:
        """Writes a new certificate of a service, over one that was there, and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, service)])
        builder = _builder(subject, self._name, key.public_key()).add_extension(
            x509.SubjectAlternativeName([_general_name(host)]), critical=False
        )
        files = self._directory / f"{service}.pem", self._directory / f"{service}.key"
        files[0].write_bytes(builder.sign(self._key, SHA256()).public_bytes(Encoding.PEM))
        files[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return files


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - LIFETIME)
        .not_valid_after(now + LIFETIME)
    )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)
