# SPDX-License-Identifier: Apache-2.0
"""TLS and passwords: servers of their own with a certificate made here (openssl), psql where it is installed."""
import base64
import contextlib
import hashlib
import hmac
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import time
import urllib.request

import kit
from kit import Missing, Pg, check, expect, message, startup_packet, text

PASSWORD = "correct horse \u00fc"
SSL = struct.pack(">II", 8, 80877103)


def make_certificate(folder, name="localhost", serial=1):
    if shutil.which("openssl") is None:
        raise Missing("the program openssl is not installed")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-set_serial", str(serial),
                    "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name},IP:127.0.0.1", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"],
                   check=True, capture_output=True)


class Secured:
    """A folder with a certificate and users with passwords, and how servers on it are started."""

    def __init__(self):
        self.folder, self.has_passwords = tempfile.mkdtemp(prefix="basalt-pg-secure-"), False
        make_certificate(self.folder)

    def make_passwords(self):
        if self.has_passwords:
            return
        with self.server("--pg-auth", "trust"), Pg() as wire:
            for sql in (f"alter user postgres password '{PASSWORD}'", "create user ann password 'ann''s'", "create user bob", "create role nologin_role password 'x'",
                        "create user late password 'x' valid until '2020-01-01'", "create user early password 'x' valid until 'infinity'"):
                fields = [m.fields() for m in wire.query(sql) if m.kind == "E"]
                if fields:
                    raise Missing(f"{sql}: {fields[0]['M']}")
        self.has_passwords = True

    @contextlib.contextmanager
    def server(self, *options):
        mine, kit.server = kit.server, kit.Server(kit.server.program, *options, folder=self.folder)
        try:
            yield kit.server
        finally:
            other, kit.server = kit.server, mine
            code, log = other.stop()
            expect((code, log if code else ""), (0, ""))

    def tls(self, *options):
        return self.server("--tls-cert", f"{self.folder}/cert.pem", "--tls-key", f"{self.folder}/key.pem", *options)


secured = None


def certified():
    """There is a certificate."""
    global secured
    if secured is None:
        secured = Secured()
    return secured


def ready():
    """There are passwords too."""
    certified().make_passwords()
    return secured


def context(check_certificate=True):
    made = ssl.create_default_context(cafile=f"{secured.folder}/cert.pem" if check_certificate else None)
    if not check_certificate:
        made.check_hostname, made.verify_mode = False, ssl.CERT_NONE
    return made


def encrypt(wire, direct=False, protocols=("postgresql",), check_certificate=True):
    """The connection goes on encrypted."""
    if not direct:
        expect(wire.send(SSL).bytes(1), b"S")
    made = context(check_certificate)
    if protocols:
        made.set_alpn_protocols(list(protocols))
    wire.sock = made.wrap_socket(wire.sock, server_hostname="localhost")
    return wire


def binding_of(wire):
    """tls-server-end-point of an ECDSA-with-SHA256 certificate."""
    return hashlib.sha256(wire.sock.getpeercert(binary_form=True)).digest()


def fields_of(server_first):
    return dict(part.split("=", 1) for part in server_first.decode().split(","))


def scram(wire, user, password, mechanism="SCRAM-SHA-256", flag="n,,", bind=b"", spoil=None):
    """The client's half; returns the last message, which is R 12 or E. spoil changes the last message."""
    nonce = "abcdefghijklmnop"
    first = f"n=,r={nonce}"
    data = (flag + first).encode()
    got = wire.send(message("p", text(mechanism) + struct.pack(">i", len(data)) + data)).read()
    if got.kind == "E":
        return got
    expect(got.body[:4], struct.pack(">I", 11))
    server_first = got.body[4:]
    parts = fields_of(server_first)
    assert parts["r"].startswith(nonce) and len(parts["r"]) > len(nonce) + 16, parts
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), base64.b64decode(parts["s"]), int(parts["i"]))
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    without = f"c={base64.b64encode(flag.encode() + bind).decode()},r={parts['r']}"
    auth = f"{first},{server_first.decode()},{without}".encode()
    signature = hmac.digest(hashlib.sha256(client_key).digest(), auth, "sha256")
    proof = bytes(a ^ b for a, b in zip(client_key, signature))
    last = f"{without},p={base64.b64encode(proof).decode()}"
    got = wire.send(message("p", (spoil(last) if spoil else last).encode())).read()
    if got.kind == "R":
        want = base64.b64encode(hmac.digest(hmac.digest(salted, b"Server Key", "sha256"), auth, "sha256"))
        expect(got.body, struct.pack(">I", 12) + b"v=" + want)
    return got


def start(wire, user="postgres", **parameters):
    """The start packet; the offered mechanisms."""
    got = wire.send(startup_packet(user=user, database="basalt", **parameters)).read()
    if got.kind == "E":
        raise AssertionError(got.fields())
    expect((got.kind, got.body[:4]), ("R", struct.pack(">I", 10)))
    return [m.decode() for m in got.body[4:].split(b"\0") if m]


def log_in(wire, user="postgres", password=PASSWORD, **options):
    start(wire, user)
    return scram(wire, user, password, **options)


@check
def passwords_without_tls():
    with ready().server("--pg-auth", "password"):
        with Pg(start=False) as wire:
            expect(start(wire), ["SCRAM-SHA-256"])
            expect(scram(wire, "postgres", PASSWORD).kind, "R")
            expect(wire.until("Z")[-1].kind, "Z")
            expect(wire.rows("select 1"), [["1"]])
        with Pg(start=False) as wire:
            expect(log_in(wire, "ann", "ann's").kind, "R")


@check
def who_is_kept_out_cannot_tell_why():
    """A wrong password, a user that does not exist, one without a password, one whose password has expired: same messages, same words, same time."""
    with ready().server("--pg-auth", "password"):
        answers, times = [], []
        for user, password in (("postgres", "wrong"), ("nobody", "x"), ("bob", ""), ("nologin_role", "wrong"), ("late", "x"), ("admin", PASSWORD)):
            begin = time.time()
            with Pg(start=False) as wire:
                got = log_in(wire, user, password)
                times.append(time.time() - begin)
                expect(got.kind, "E")
                fields = got.fields()
                answers.append((fields["S"], fields["C"], fields["M"].replace(user, "X"), fields.get("D"), fields.get("H")))
                assert wire.ended()
        expect(set(answers), {("FATAL", "28P01", 'password authentication failed for user "X"', None, None)})
        assert min(times) > 0.3, "no delay"
        assert max(times) - min(times) < 0.5, times
        salts = set()
        for _ in range(3):          # a made-up salt stays the same
            with Pg(start=False) as wire:
                start(wire, "nobody")
                data = b"n,,n=,r=abc"
                salts.add(fields_of(wire.send(message("p", text("SCRAM-SHA-256") + struct.pack(">i", len(data)) + data)).read().body[4:])["s"])
        expect(len(salts), 1)


@check
def messages_that_are_not_an_exchange():
    with ready().server("--pg-auth", "password"):
        for data in (message("p", text("SCRAM-SHA-256") + struct.pack(">i", -1)), message("p", text("SCRAM-SHA-256") + struct.pack(">i", 400) + b"n,,"),
                     message("p", text("PLAIN") + struct.pack(">i", 3) + b"n,,"), message("p", b""), message("Q", text("select 1")), b"p\0\2\0\0", b"p\xff\xff\xff\xff",
                     message("p", text("SCRAM-SHA-256-PLUS") + struct.pack(">i", 3) + b"n,,")):
            with Pg(start=False) as wire:
                start(wire)
                got = wire.send(data).read()
                if got.kind == "R":      # -1: no first message; an empty challenge asks for it
                    expect(got.body, struct.pack(">I", 11))
                    continue
                expect((data[:24], got.kind, got.fields()["C"]), (data[:24], "E", "08P01"))
                assert wire.ended()
        for spoil in (lambda last: last[:-4], lambda last: last.replace("c=", "c=A"), lambda last: last.replace(",p=", ",x=y,q="), lambda last: last + ",x=y",
                      lambda last: "", lambda last: last.replace(",r=", ",r=x")):
            with Pg(start=False) as wire:
                got = log_in(wire, spoil=spoil)
                assert got.kind == "E" and got.fields()["C"] in ("08P01", "28P01"), got


@check
def a_role_that_may_not_log_in_hears_so_behind_its_password():
    with ready().server("--pg-auth", "password"):
        with Pg(start=False) as wire:
            expect(log_in(wire, "nologin_role", "x").kind, "R")
            fields = wire.read().fields()
            expect((fields["S"], fields["C"], fields["M"]), ("FATAL", "28000", 'role "nologin_role" is not permitted to log in'))
            assert wire.ended()
        with Pg(start=False) as wire:
            expect(log_in(wire, "early", "x").kind, "R")
            expect(wire.until("Z")[-1].kind, "Z")


@check
def a_session_is_not_there_before_the_password():
    with ready().server("--pg-auth", "password"):
        with Pg(start=False) as wire:
            start(wire)
            wire.send(message("Q", text("create table early (a int)")) + message("Q", text("select 1")))
            got = wire.read()
            expect((got.kind, got.fields()["C"]), ("E", "08P01"))
        with Pg(start=False) as wire:
            log_in(wire)
            wire.until("Z")
            expect(wire.error("select * from early")["C"], "42P01")


@check
def tls_under_trust():
    with certified().tls("--pg-auth", "trust"):
        for direct in (False, True):
            with encrypt(Pg(start=False), direct=direct) as wire:
                wire.send(startup_packet(user="postgres", database="basalt")).until("Z")
                expect(wire.rows("select 1"), [["1"]])
                big = "x" * 300000
                expect(wire.rows(f"select length('{big}')"), [["300000"]])
                expect(len(wire.rows("select repeat('y', 1000) from generate_series(1, 20000) g")), 20000)
                wire.send(message("Q", text("select g, repeat('z', 1000) from generate_series(1, 200000) g")))  # more than fits: back-pressure
                time.sleep(0.5)
                expect(wire.until("Z")[-2].body, b"SELECT 200000\0")
        if shutil.which("psql"):
            expect(psql(f"user=postgres sslmode=verify-full sslrootcert={secured.folder}/cert.pem"), "in")
            expect(psql("user=postgres sslmode=prefer"), "in")
            expect(psql("user=postgres sslmode=disable"), "in")


@check
def tls_and_channel_binding():
    with ready().tls("--pg-auth", "password"):
        with encrypt(Pg(start=False)) as wire:
            expect(wire.sock.selected_alpn_protocol(), "postgresql")
            expect(start(wire), ["SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"])
            got = scram(wire, "postgres", PASSWORD, "SCRAM-SHA-256-PLUS", "p=tls-server-end-point,,", binding_of(wire))
            expect(got.kind, "R")
            wire.until("Z")
            expect(wire.rows("select 1"), [["1"]])
            big = "x" * 300000
            expect(wire.rows(f"select length('{big}')"), [["300000"]])
            expect(len(wire.rows("select repeat('y', 1000) from generate_series(1, 2000) g")), 2000)
        for options, codes in ((dict(mechanism="SCRAM-SHA-256-PLUS", flag="p=tls-server-end-point,,", bind=b"x" * 32), ("28000",)),
                               (dict(flag="y,,"), ("28000",)),       # a man in the middle took PLUS off the list
                               (dict(mechanism="SCRAM-SHA-256-PLUS", flag="n,,"), ("08P01",)),
                               (dict(mechanism="SCRAM-SHA-256-PLUS", flag="p=tls-unique,,", bind=b"x"), ("08P01",))):
            with encrypt(Pg(start=False)) as wire:
                got = log_in(wire, **options)
                assert got.kind == "E" and got.fields()["C"] in codes, (options, got)
        with encrypt(Pg(start=False)) as wire:     # a client that knows no channel binding
            expect(log_in(wire).kind, "R")


@check
def direct_tls():
    with ready().tls("--pg-auth", "password"):
        with encrypt(Pg(start=False), direct=True) as wire:
            expect(log_in(wire).kind, "R")
        for protocols in ((), ("h2",)):
            wire = Pg(start=False)
            try:
                encrypt(wire, direct=True, protocols=protocols)
                wire.send(startup_packet(user="postgres", database="basalt"))
                assert wire.ended(), protocols
            except (ssl.SSLError, ConnectionError, EOFError):
                pass
            wire.sock.close()
        with encrypt(Pg(start=False)) as wire:     # TLS inside of TLS
            got = wire.send(SSL).read()
            expect(got.fields()["C"], "08P01")


@check
def bytes_before_the_handshake_end_the_connection():
    with certified().tls("--pg-auth", "trust"):
        with Pg(start=False) as wire:
            wire.send(SSL + startup_packet(user="postgres", database="basalt") + message("Q", text("create table stuffed (a int)")))
            got = b""
            try:
                while part := wire.sock.recv(4096):
                    got += part
            except ConnectionResetError:
                pass
            assert b"T\0" not in got and b"Z\0\0\0\5" not in got, got
        with Pg() as wire:
            expect(wire.error("select * from stuffed")["C"], "42P01")


@check
def handshakes_that_fail_or_stop():
    with certified().tls("--pg-auth", "trust", "--pg-start-timeout", "1s"):
        for data in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\3\1\0\5hello", b"\x16\3\1\x40\0" + b"x" * 100, b""):
            with Pg(start=False) as wire:
                wire.send(SSL + b"").bytes(1)
                wire.send(data)
                begin = time.time()
                while not wire.ended(5):
                    assert time.time() - begin < 5, data
        with Pg() as wire:
            expect(wire.rows("select 1"), [["1"]])


@check
def tls_can_be_required():
    with ready().tls("--pg-auth", "password", "--pg-require-tls", "on"):
        with Pg(start=False) as wire:
            got = wire.send(startup_packet(user="postgres", database="basalt")).read()
            expect((got.kind, got.fields()["C"]), ("E", "28000"))
        with encrypt(Pg(start=False)) as wire:
            expect(log_in(wire).kind, "R")


@check
def a_new_certificate_is_taken_without_a_restart():
    with certified().tls("--pg-auth", "trust") as server:
        with encrypt(Pg(start=False)) as old:
            old.send(startup_packet(user="postgres", database="basalt")).until("Z")
            before = old.sock.getpeercert(binary_form=True)
            make_certificate(secured.folder, serial=77)
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.5)
            with encrypt(Pg(start=False)) as new:
                assert new.sock.getpeercert(binary_form=True) != before
            expect(old.rows("select 1"), [["1"]])
            key = open(f"{secured.folder}/key.pem").read()
            open(f"{secured.folder}/key.pem", "w").write("nonsense")
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.5)
            assert "stays as it was" in server.said(), server.said()
            with encrypt(Pg(start=False)) as new:
                expect(new.send(startup_packet(user="postgres", database="basalt")).until("Z")[-1].kind, "Z")
            open(f"{secured.folder}/key.pem", "w").write(key)


def served_certificate():
    with encrypt(Pg(start=False), check_certificate=False) as wire:
        wire.send(startup_packet(user="postgres", database="basalt")).until("Z")
        return wire.sock.getpeercert(binary_form=True)


def eventually(what, within=10):
    end = time.time() + within
    while not what():
        assert time.time() < end, "it does not come"
        time.sleep(0.3)


@check
def a_certificate_that_changes_on_disk_is_taken_by_itself():
    with certified().tls("--pg-auth", "trust", "--http", "127.0.0.1:0") as server:
        eventually(lambda: "http://127.0.0.1:" in server.said())
        http = int(server.said().split("http://127.0.0.1:")[1].split()[0].rstrip("/"))
        ask = lambda path: urllib.request.urlopen(f"http://127.0.0.1:{http}{path}", timeout=10).read().decode()
        before = served_certificate()
        make_certificate(secured.folder, serial=78)
        eventually(lambda: served_certificate() != before)
        now = served_certificate()
        assert "read its certificate again" in server.said(), server.said()
        certificate = open(f"{secured.folder}/cert.pem").read()
        open(f"{secured.folder}/cert.pem", "w").write(certificate[:200])
        eventually(lambda: served_certificate() == now and "stays as it was" in server.said())
        time.sleep(1.2)
        served_certificate()
        expect(server.said().count("stays as it was"), 1)
        assert "basalt_tls_certificate_stale 1" in ask("/metrics")
        assert "TLS CERTIFICATE" in ask("/warnings")
        os.unlink(f"{secured.folder}/cert.pem")
        eventually(lambda: served_certificate() == now and server.said().count("stays as it was") == 2)
        open(f"{secured.folder}/cert.pem", "w").write(certificate)
        eventually(lambda: served_certificate() == now and "basalt_tls_certificate_stale 0" in ask("/metrics"))


def start_fails(folder, *options):
    """What a server says that does not start."""
    run = subprocess.run([kit.server.program, "serve", f"{folder}/data", "--http", "off", *options], capture_output=True, text=True, timeout=20)
    assert run.returncode != 0, options
    return run.stderr


@check
def other_addresses_need_a_password_and_tls():
    fresh = tempfile.mkdtemp(prefix="basalt-pg-fresh-")
    try:
        assert "ALTER USER postgres PASSWORD" in start_fails(fresh, "--pg", "0.0.0.0:0")
        assert "trust" in start_fails(fresh, "--pg", "0.0.0.0:0", "--pg-auth", "trust")
        assert "auto, trust or password" in start_fails(fresh, "--pg", "127.0.0.1:0", "--pg-auth", "md5")
        assert "both" in start_fails(fresh, "--pg", "127.0.0.1:0", "--tls-cert", "x")
        assert start_fails(fresh, "--pg", "127.0.0.1:0", "--tls-cert", "/nowhere", "--tls-key", "/nowhere")
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    ready()
    assert "--tls-cert" in start_fails(secured.folder, "--pg", "0.0.0.0:0")
    with secured.tls("--pg-require-tls", "on"):
        pass


def psql(options, password=PASSWORD, sql="select 'in'"):
    run = subprocess.run(["psql", "-XAtq", "-c", sql, f"host=localhost hostaddr=127.0.0.1 port={kit.server.port} dbname=basalt connect_timeout=10 {options}"],
                         capture_output=True, text=True, timeout=30, env={**os.environ, "PGPASSWORD": password, "HOME": secured.folder})
    return run.stdout.strip() if run.returncode == 0 else run.stderr


@check
def psql_with_verify_full_and_channel_binding():
    if shutil.which("psql") is None:
        raise Missing("psql is not installed")
    full = f"sslmode=verify-full sslrootcert={ready().folder}/cert.pem channel_binding=require"
    with ready().tls("--pg-auth", "password", "--pg-require-tls", "on"):
        expect(psql(f"user=postgres {full}"), "in")
        expect(psql(f"user=ann {full}", "ann's"), "in")
        assert "password authentication failed" in psql(f"user=postgres {full}", "wrong")
        assert "TLS only" in psql("user=postgres sslmode=disable")
        assert "certificate" in psql("user=postgres sslmode=verify-full sslrootcert=/dev/null")
        expect(psql(f"user=postgres sslmode=require"), "in")
    with ready().server("--pg-auth", "password"):
        out = psql(f"user=postgres {full}")
        assert "in" != out and "SSL" in out, out
        assert "channel binding" in psql("user=postgres sslmode=disable channel_binding=require")


@check
def the_secured_folder_goes():
    if secured is not None:
        shutil.rmtree(secured.folder, ignore_errors=True)
