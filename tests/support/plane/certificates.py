"""A certificate authority for one test run, made with the openssl command."""
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class KeyPair:
    """Paths of a PEM certificate and its key."""

    certificate: Path
    key: Path


class Authority:
    """Signs the server's certificate and those of clients; all files lie in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.ca = KeyPair(folder / "ca.crt", folder / "ca.key")
        _openssl("req", "-x509", *_NEW_KEY, "-keyout", self.ca.key, "-out", self.ca.certificate,
                 "-days", "2", "-subj", "/CN=gang-scheduler-tests",
                 "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def server(self, name: str) -> KeyPair:
        """For a server on the loopback address."""
        return self._sign(name, f"/CN={name}", "subjectAltName=IP:127.0.0.1,DNS:localhost\n"
                          "extendedKeyUsage=serverAuth")

    def client(self, user: str, group: str) -> KeyPair:
        """For a user that the API server sees as (user, group)."""
        return self._sign(user, f"/O={group}/CN={user}", "extendedKeyUsage=clientAuth")

    def service_account_key(self) -> Path:
        """A key that signs service-account tokens (RSA: what the API server takes for RS256)."""
        path = self._folder / "service-account.key"
        _openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", path)
        return path

    def _sign(self, name: str, subject: str, extensions: str) -> KeyPair:
        pair = KeyPair(self._folder / f"{name}.crt", self._folder / f"{name}.key")
        request = self._folder / f"{name}.csr"
        extension_file = self._folder / f"{name}.ext"
        extension_file.write_text(extensions + "\n")
        _openssl("req", *_NEW_KEY, "-keyout", pair.key, "-out", request, "-subj", subject)
        _openssl("x509", "-req", "-in", request, "-CA", self.ca.certificate, "-CAkey", self.ca.key,
                 "-CAcreateserial", "-days", "2", "-extfile", extension_file,
                 "-out", pair.certificate)
        return pair


_NEW_KEY = ("-newkey", "rsa:2048", "-nodes")  # Spark's client reads no elliptic-curve keys


def _openssl(*arguments: object) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
