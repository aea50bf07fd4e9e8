#!/usr/bin/python3
"""The live server: protocol, bad requests, loopback, disconnects, floods, slow clients, fuzz.

test_live.py SKEIN [TEST...]     SKEIN_LIVE_FUZZ: seconds of fuzzing (default 4); SKEIN_LIVE_OPTIONS: more of the server
"""
import http.client
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

SKEIN = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="skein-live-")
ROPE = {
    "title": "A rope <hangs> & swings",
    "time": {"dt": 0.002},
    "materials": {"soft": {"E": 1e6, "density": 1000, "radius": 0.002, "damping": 0.01, "drag": 0.1}},
    "rods": [
        {"model": "der", "elements": 20, "length": 0.2, "material": "soft"},
        {"model": "super-helix", "elements": 6, "length": 0.2, "material": "soft", "root": {"position": [0.05, 0, 0]}},
    ],
    "bodies": [{"shape": {"type": "plane"}, "position": [0, 0, -0.5]}],
}
# A step that no shorter one can save: the explicit model refuses it.
BROKEN = {
    "time": {"dt": 0.01, "dt_min": 0.01},
    "rods": [{"model": "corde-explicit", "elements": 20, "length": 0.1}],
}


def scene_file(scene, name="rope.json"):
    path = os.path.join(FOLDER, name)
    with open(path, "w") as out:
        json.dump(scene, out)
    return path


class Server:
    def __init__(self, scene=ROPE, *options):
        what = ["view", "--live", scene_file(scene)] if scene else ["knot"]
        more = os.environ.get("SKEIN_LIVE_OPTIONS", "").split()
        command = [SKEIN, *what, "--port", "0", "--no-open", *options, *more]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise AssertionError(f"no address: {line!r} {self.process.stderr.read()!r}")
        self.address = line.split("http://")[1].split("/")[0]
        self.host, port = self.address.rsplit(":", 1)
        self.port = int(port)
        self.warnings = ""

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        begun = time.time()
        try:
            out, err = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the server did not end")
        self.warnings = err
        if kind is None:
            same(self.process.returncode, 0, f"exit code ({err[-2000:]})")
            at_most(time.time() - begun, 10, "seconds to end")
            if "Sanitizer" in err:
                raise AssertionError(err)

    def connect(self, timeout=20):
        return socket.create_connection((self.host, self.port), timeout=timeout)

    def ask(self, method, path, body=None, headers=None, timeout=20):
        """Status, headers, body."""
        c = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        try:
            c.request(method, path, body, headers or {})
            answer = c.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            c.close()

    def get(self, path):
        status, _, body = self.ask("GET", path)
        same(status, 200, path)
        return body

    def json(self, path):
        return json.loads(self.get(path))

    def command(self, **fields):
        status, _, body = self.ask("POST", "/api/command", json.dumps(fields), {"Content-Type": "application/json"})
        same(status, 200, f"{fields}: {body!r}")
        return json.loads(body)

    def frame(self, after=0, wait=5000):
        status, _, body = self.ask("GET", f"/api/frame?after={after}&wait={wait}")
        return Frame(body) if status == 200 else None


class Frame:
    def __init__(self, data):
        head = struct.unpack_from("<4sIIidIIIffffIIIIII", data)
        (magic, size, flags, self.index, self.time, self.sequence, self.state, self.generation) = head[:8]
        origin, cell = head[8:11], head[11]
        self.rods, points, bodies, self.contacts, self.steps, self.columns = head[12:18]
        same(magic, b"SKF1", "magic")
        same(size, len(data), "size")
        same(flags, 1, "flags")
        at = 96
        self.start = struct.unpack_from(f"<{self.rods + 1}I", data, at)
        at += 4 * (self.rods + 1) + 4 * 4 * self.rods
        q = struct.unpack_from(f"<{3 * points}H", data, at)
        self.point = [tuple(origin[c] + cell * q[c * points + k] for c in range(3)) for k in range(points)]
        tail = 4 * self.steps * self.columns
        self.step = [struct.unpack_from(f"<{self.columns}f", data, size - tail + 4 * k * self.columns)
                     for k in range(self.steps)]

    def tip(self, rod):
        return self.point[self.start[rod + 1] - 1]


def same(a, b, what):
    if a != b:
        raise AssertionError(f"{what}: {a!r}, expected {b!r}")


def at_most(a, b, what):
    if not a <= b:
        raise AssertionError(f"{what}: {a!r}, expected at most {b!r}")


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5


def wait_for(condition, what, seconds=15):
    end = time.time() + seconds
    while not condition():
        if time.time() > end:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.01)


# ---- Protocol ----


def test_protocol():
    with Server() as s:
        status, headers, body = s.ask("GET", "/")
        same((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"), "page")
        assert b"skein-live" in body and b"</html>" in body
        assert not any(h.lower().startswith("access-control") for h in headers), "no CORS"
        same(headers["X-Content-Type-Options"], "nosniff", "nosniff")
        head = s.json("/api/scene")
        same((head["format"], head["kind"], head["title"], head["file"]), (1, "live", ROPE["title"], "rope.json"), "head")
        same(head["controls"], {"mu": 0.3, "gravity": [0, 0, -9.81], "wind": [0, 0, 0]}, "controls")
        same(len(head["bodies"]), 1, "bodies")
        frame = s.frame()
        same((frame.rods, frame.columns), (2, len(head["columns"])), "rods, columns")
        begun, first, last = time.time(), frame, frame
        while time.time() - begun < 1:
            frame = s.frame(last.sequence)
            assert frame.sequence > last.sequence and frame.time >= last.time
            last = frame
        at_most(last.time - first.time, 1.3 * (time.time() - begun), "simulated time: not faster than real")
        at_most(0.05, last.time - first.time, "simulated time: it goes on")
        assert last.steps > 0 and abs(last.step[-1][0] - last.time) < 1e-3 * max(1, last.time), "steps end at the frame"
        assert len(s.frame(0).step) > last.steps, "a new page sees the steps before"
        same(s.ask("GET", "/api/frame?after=4294967295&wait=50")[0], 204, "nothing new")
        same(s.ask("HEAD", "/")[0::2], (200, b""), "HEAD")


def test_pause_step_reset():
    with Server() as s:
        assert s.command(type="pause")["paused"]
        wait_for(lambda: s.frame().state & 1, "pause")
        a = s.frame()
        same(s.ask("GET", f"/api/frame?after={a.sequence}&wait=200")[0], 204, "no frames while paused")
        s.command(type="step")
        b = s.frame(a.sequence)
        while b.time == a.time:
            b = s.frame(b.sequence)
        wait_for(lambda: s.frame().time >= a.time + 0.999 / 30, "one frame's time")
        time.sleep(0.2)
        b = s.frame()
        at_most(abs(b.time - a.time - 1 / 30), 1e-6, "step of one frame")
        s.command(type="set", gravity=[0, 0, 5], wind=[1, 0, 0], mu=0.7)
        assert s.command(type="reset")["paused"]
        wait_for(lambda: s.frame().generation == 1, "reset")
        c = s.frame()
        same((c.time, c.index, c.state & 1), (0, 0, 1), "after the reset")
        same(s.json("/api/scene")["controls"], {"mu": 0.7, "gravity": [0, 0, 5], "wind": [1, 0, 0]}, "controls are kept")
        s.command(type="play")
        wait_for(lambda: s.frame().time > 0.1, "it goes on")
        assert s.frame().tip(0)[0] > c.tip(0)[0] + 1e-4, "the wind blows"


# Eight strands on a ball, and one sweep for their contacts: tolerances are missed.
SLOPPY = {
    "time": {"dt": 0.002},
    "rods": [{"name": "hair", "length": 0.2, "elements": 6, "material": "hair-asian", "bundle": {"count": 8, "spacing": 0.002},
              "root": {"position": [-0.05, 0, 0.03], "direction": [1, 0, 0]}}],
    "bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": 0.02}}],
    "friction": 0.5,
    "solver": {"method": "gs", "max_sweeps": 1, "tol": 1e-12},
}


def test_verdict():
    with Server() as s:
        wait_for(lambda: s.json("/api/state")["verdict"]["steps"] > 0, "steps are judged")
        verdict = s.json("/api/state")["verdict"]
        same((verdict["flawed"], verdict["crossings"], verdict["last"]), (0, 0, None), "nothing is flawed")
    with Server(SLOPPY) as s:
        head = s.json("/api/scene")
        column = head["columns"].index("flaws")
        same(head["flaws"][3], "missed", "names of flaws")
        after = [s.frame().sequence]

        def missed():
            frame = s.frame(after[0])
            after[0] = frame.sequence
            return any(int(row[column]) & 8 for row in frame.step)

        wait_for(missed, "steps come with their flaws", 30)
        verdict = s.json("/api/state")["verdict"]
        assert 0 < verdict["flawed"] <= verdict["steps"], verdict
        assert 0 <= verdict["last"]["flaw"] < 8 and verdict["last"]["time"] > 0, verdict
        s.command(type="pause")
        s.command(type="reset")
        wait_for(lambda: s.frame().generation == 1, "reset")
        same(s.json("/api/state")["verdict"], {"steps": 0, "flawed": 0, "crossings": 0, "last": None}, "after the reset")


def test_drag():
    with Server() as s:
        for rod, s_at in ((0, 0.2), (1, 0.21)):  # pages measure a rod that is stretched
            target = (0.12, 0.05, -0.08)
            s.command(type="drag", rod=rod, s=s_at, target=target)
            wait_for(lambda: distance(s.frame().tip(rod), target) < 0.01, f"tip of rod {rod} at the target")
            assert s.frame().state & 4
            s.command(type="drag", rod=rod, s=s_at, target=[0.1, 1e4, 0])  # out of reach
            wait_for(lambda: s.frame().tip(rod)[1] > 0.15, f"rod {rod} is straight")
            s.command(type="drop")
            wait_for(lambda: s.frame().tip(rod)[2] < -0.15, f"rod {rod} hangs again")
            wait_for(lambda: not s.frame().state & 4, "nothing is held")
        s.command(type="drag", rod=0, s=0.2, target=[0.1, 0, -0.1], hand=0)
        s.command(type="drag", rod=1, s=0.2, target=[-0.1, 0, -0.1], hand=1)
        wait_for(lambda: s.frame().tip(0)[0] > 0.09 and s.frame().tip(1)[0] < -0.08, "two hands")
        same(s.json("/api/state")["failed"], False, "failed")


def test_knot():
    with Server(None) as s:
        wait_for(lambda: s.frame().contacts > 0, "the rope touches itself")
        before = s.frame().tip(0)
        s.command(type="drag", rod=0, s=1.3, target=[0, 0, -1.2])
        wait_for(lambda: s.frame().tip(0)[2] < before[2] - 0.03, "the free end is pulled down")
        same(s.json("/api/state")["failed"], False, "failed")


def test_failure():
    with Server(BROKEN) as s:
        wait_for(lambda: s.json("/api/state")["failed"], "failure")
        state = s.json("/api/state")
        assert "dt" in state["error"], state
        wait_for(lambda: s.frame().state & 2, "frame says so")
        status, _, body = s.ask("POST", "/api/command", '{"type": "play"}', {"Content-Type": "application/json"})
        same(status, 400, "play")
        assert b"reset" in body
        s.command(type="reset")
        wait_for(lambda: s.frame().generation == 1 and s.json("/api/state")["failed"], "again")


# ---- Bad requests ----


def test_bad_requests():
    kind = {"Content-Type": "application/json"}
    bodies = {
        "": "not JSON", "{": "not JSON", "[]": "object", "3": "", '"x"': "", "\0\1\2": "not JSON",
        '{"type": "fly"}': "type", '{"type": 3}': "type", "{}": "type", '{"type": "pause", "x": 1}': "x",
        '{"type": "pause", "type": "play"}': "not JSON",
        '{"type": "drag"}': "rod", '{"type": "drag", "rod": 0}': "s:", '{"type": "drag", "rod": 0, "s": 0.1}': "target",
        '{"type": "drag", "rod": 2, "s": 0.1, "target": [0, 0, 0]}': "rod",
        '{"type": "drag", "rod": -1, "s": 0.1, "target": [0, 0, 0]}': "rod",
        '{"type": "drag", "rod": 0.5, "s": 0.1, "target": [0, 0, 0]}': "rod",
        '{"type": "drag", "rod": 99999999999999, "s": 0.1, "target": [0, 0, 0]}': "rod",
        '{"type": "drag", "rod": 0, "s": 1, "target": [0, 0, 0]}': "s:",
        '{"type": "drag", "rod": 0, "s": -0.1, "target": [0, 0, 0]}': "s:",
        '{"type": "drag", "rod": 0, "s": "a", "target": [0, 0, 0]}': "s:",
        '{"type": "drag", "rod": 0, "s": 0.1, "target": [0, 0]}': "target",
        '{"type": "drag", "rod": 0, "s": 0.1, "target": [0, 0, null]}': "target[2]",
        '{"type": "drag", "rod": 0, "s": 0.1, "target": [0, 1e9, 0]}': "target[1]",
        '{"type": "drag", "rod": 0, "s": 0.1, "target": [0, 1e999, 0]}': "not JSON",
        '{"type": "drag", "rod": 0, "s": 0.1, "target": [0, NaN, 0]}': "not JSON",
        '{"type": "drag", "rod": 0, "s": 0.1, "target": [0, 0, 0], "hand": 99}': "hand",
        '{"type": "drop", "rod": 0}': "rod", '{"type": "set"}': "mu", '{"type": "set", "mu": -1}': "mu",
        '{"type": "set", "mu": "0.3"}': "mu", '{"type": "set", "gravity": 9.81}': "gravity",
        '{"type": "set", "wind": [1, 2, 1e30]}': "wind[2]", '{"type": "set", "mu": 0.1, "colour": 1}': "colour",
        "[" * 8000: "not JSON",
    }
    with Server() as s:
        for body, part in bodies.items():
            status, _, answer = s.ask("POST", "/api/command", body, kind)
            same(status, 400, body[:80])
            assert part in json.loads(answer)["error"], (body[:80], answer)
        for size in (16385, 200000, 1 << 20):
            same(s.ask("POST", "/api/command", " " * size, kind)[0], 413, f"body of {size}")
        ours = f"127.0.0.1:{s.port}"
        table = [
            ("POST", "/api/command", {"Content-Type": "text/plain"}, 415), ("POST", "/api/command", {}, 415),
            ("POST", "/api/command", {**kind, "Origin": "http://evil.example"}, 403),
            ("POST", "/api/command", {**kind, "Origin": "null"}, 403),
            ("POST", "/api/command", {**kind, "Origin": f"http://{ours}"}, 200),
            ("GET", "/api/command", {}, 405), ("POST", "/", kind, 405), ("PUT", "/api/state", kind, 405),
            ("DELETE", "/", {}, 405), ("OPTIONS", "/api/command", {}, 405), ("PATCH", "/api/frame", {}, 405),
            ("GET", "/nothing", {}, 404), ("GET", "/api", {}, 404), ("GET", "/api/frame/", {}, 404),
            ("GET", "/../../etc/passwd", {}, 404), ("GET", "//", {}, 404), ("POST", "/x", kind, 404),
            ("GET", "/api/frame?after=-1", {}, 400), ("GET", "/api/frame?after=x", {}, 400),
            ("GET", "/api/frame?after=4294967296", {}, 400), ("GET", "/api/frame?wait=30001", {}, 400),
            ("GET", "/api/frame?after=", {}, 400), ("GET", "/api/frame?wait=1e3", {}, 400),
            ("GET", "/", {"Host": "evil.example"}, 403), ("GET", "/", {"Host": f"evil.example:{s.port}"}, 403),
            ("GET", "/api/state", {"Host": "127.0.0.1.evil.example"}, 403), ("GET", "/", {"Host": ""}, 403),
            ("GET", "/", {"Host": "localhost.evil.example"}, 403), ("GET", "/", {"Host": "[::1].evil"}, 403),
            ("GET", "/", {"Host": "10.0.0.1"}, 403), ("GET", "/", {"Host": "localhost:80x"}, 403),
            ("GET", "/api/state", {"Host": f"localhost:{s.port}"}, 200), ("GET", "/api/state", {"Host": "LocalHost"}, 200),
            ("GET", "/api/state", {"Host": f"[::1]:{s.port}"}, 200), ("GET", "/api/state", {"Host": ours}, 200),
        ]
        for method, path, headers, expected in table:
            body = '{"type": "drop"}' if headers.get("Content-Type") else None
            same(s.ask(method, path, body, headers)[0], expected, f"{method} {path} {headers}")
        same(s.ask("GET", "/api/command")[1]["Allow"], "POST", "Allow")
        raw = s.connect()
        raw.sendall(b"GET / HTTP/1.0\r\n\r\n")  # no host at all
        assert b" 403 " in raw.recv(100)
        raw.close()
        same(s.json("/api/state")["failed"], False, "failed")


# ---- Where it listens, how it ends ----


def listening(pid):
    """Local addresses, as in /proc/net/tcp, of the listening sockets of a process."""
    inodes = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            link = os.readlink(f"/proc/{pid}/fd/{fd}")
        except OSError:
            continue
        if link.startswith("socket:["):
            inodes.add(link[8:-1])
    found = []
    for table in ("tcp", "tcp6"):
        if os.path.exists(f"/proc/{pid}/net/{table}"):
            for line in open(f"/proc/{pid}/net/{table}").readlines()[1:]:
                words = line.split()
                if words[3] == "0A" and words[9] in inodes:
                    found.append(words[1])
    return found


def test_loopback_only():
    with Server() as s:
        same(listening(s.process.pid), [f"0100007F:{s.port:04X}"], "listening sockets")
    same(s.warnings, "", "warnings")
    with Server(ROPE, "--host", "0.0.0.0") as s:
        same(listening(s.process.pid), [f"00000000:{s.port:04X}"], "listening sockets with --host")
        same(s.ask("GET", "/api/state", headers={"Host": "10.1.2.3"})[0], 200, "an address")
        same(s.ask("GET", "/api/state", headers={"Host": "evil.example"})[0], 403, "another name")
    assert "--host" in s.warnings, "a warning"


def run_tool(*words):
    done = subprocess.run([SKEIN, "view", "--live", *words], capture_output=True, text=True, timeout=30)
    return done.returncode, done.stderr


def test_start_and_end():
    code, err = run_tool(scene_file({"rods": [{"length": -1}]}, "bad.json"), "--port", "0")
    same(code, 2, "bad scene")
    assert "rods[0].length" in err, err
    code, err = run_tool(os.path.join(FOLDER, "missing.json"))
    assert code in (2, 3) and "missing.json" in err, (code, err)
    same(run_tool(scene_file(ROPE), "--port", "70000")[0], 2, "port")
    same(run_tool(scene_file(ROPE), "--host", "no.such.host.invalid")[0], 3, "host")
    with Server() as s:
        code, err = run_tool(scene_file(ROPE), "--port", str(s.port))
        same(code, 3, "port that is taken")
        assert str(s.port) in err, err
        s.command(type="pause")
        polls = [s.connect() for _ in range(10)]
        for p in polls:
            p.sendall(b"GET /api/frame?after=4294967295&wait=30000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(0.2)
    for p in polls:  # the server has ended in spite of them
        p.close()
    with Server() as s:
        s.process.send_signal(signal.SIGTERM)
        s.process.wait(10)


# ---- Bad manners ----


def answers_soon(s, what, seconds=3):
    begun = time.time()
    s.json("/api/state")
    same(s.frame() is not None, True, what)
    at_most(time.time() - begun, seconds, f"{what}: seconds to answer")


def test_disconnects():
    with Server() as s:
        for k in range(200):
            c = s.connect()
            c.sendall([b"", b"G", b"GET /api/frame?after=4294967295&wait=30000 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                       b"POST /api/command HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                       b"Content-Length: 100\r\n\r\n{",
                       b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"][k % 5])
            if k % 3 == 0:  # a reset, not an end
                c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            c.close()
            if k % 50 == 49:
                time.sleep(0.5)
        answers_soon(s, "after disconnects")
        time.sleep(1)
        threads = len(os.listdir(f"/proc/{s.process.pid}/task"))
        at_most(threads, 40, "threads: waits of those that left have ended")


def test_flood():
    with Server() as s:
        errors, answered = [], [0]

        def client(seed):
            r = random.Random(seed)
            try:
                c = http.client.HTTPConnection(s.host, s.port, timeout=30)
                for _ in range(20):
                    if r.random() < 0.5:
                        c.request("GET", f"/api/frame?after={r.randrange(50)}&wait=100")
                    else:
                        command = {"type": "drag", "rod": r.randrange(2), "s": 0.2, "target": [r.uniform(-1, 1)] * 3}
                        c.request("POST", "/api/command", json.dumps(command), {"Content-Type": "application/json"})
                    answer = c.getresponse()
                    answer.read()
                    assert answer.status in (200, 204), answer.status
                    answered[0] += 1
                c.close()
            except Exception as e:  # told below
                errors.append(repr(e))

        threads = [threading.Thread(target=client, args=(k,)) for k in range(50)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        same(errors, [], "errors of 50 clients")
        answers_soon(s, "after the flood")
        idle = []
        for _ in range(150):  # more than the server takes at a time
            try:
                idle.append(s.connect(2))
            except OSError:
                break
        for c in idle:
            c.close()
        wait_for(lambda: quietly(lambda: s.json("/api/state")), "an answer after 150 connections", 10)
        same(s.json("/api/state")["failed"], False, "failed")


def quietly(call):
    try:
        call()
        return True
    except (OSError, http.client.HTTPException):
        return False


def test_slow_clients():
    with Server() as s:
        slow = [s.connect() for _ in range(40)]
        text = b"POST /api/command HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n"
        for k in range(10):
            for c in slow:
                c.sendall(text[k:k + 1])
            answers_soon(s, "with slow senders")
        for c in slow:
            c.close()
        reader = s.connect()  # asks for much and reads nothing
        try:
            reader.settimeout(0.5)
            for _ in range(300):
                reader.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        except OSError:
            pass
        answers_soon(s, "with a client that does not read")
        reader.close()


def mutate(r, text):
    data = bytearray(text)
    for _ in range(r.randrange(1, 8)):
        at = r.randrange(len(data) + 1)
        choice = r.randrange(5)
        if choice == 0 and data:
            data[at % len(data)] = r.randrange(256)
        elif choice == 1:
            data[at:at] = bytes(r.randrange(256) for _ in range(r.randrange(1, 20)))
        elif choice == 2:
            del data[at:at + r.randrange(1, 30)]
        elif choice == 3:
            data[at:at] = r.choice([b"\r\n", b"\r\n\r\n", b"\0", b"%00", b"A" * 5000, b"1e999", b"-1", b"[" * 100,
                                    b"Content-Length: 99999999999999999999\r\n", b"Transfer-Encoding: chunked\r\n"])
        else:
            data[at:at] = data[:r.randrange(1, 40)]
    return bytes(data)


def test_fuzz():
    seconds = float(os.environ.get("SKEIN_LIVE_FUZZ", "4"))
    seeds = [b"GET /api/frame?after=1&wait=5 HTTP/1.1\r\nHost: localhost\r\n\r\n",
             b"GET /api/scene HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
             b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n"]
    for body in (b'{"type": "drag", "rod": 1, "s": 0.1, "target": [0.1, 0.2, -0.1]}', b'{"type": "set", "mu": 0.5}',
                 b'{"type": "set", "gravity": [1, 2, 3], "wind": [3, 2, 1]}', b'{"type": "reset"}', b'{"type": "step"}',
                 b'{"type": "play"}', b'{"type": "drop", "hand": 3}'):
        head = b"POST /api/command HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        seeds.append(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        seeds.append(head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n")
    with Server() as s:
        end, count, wrong = time.time() + seconds, [0], []

        def attack(seed):
            r = random.Random(seed)
            while time.time() < end:
                try:
                    c = s.connect(2)
                    c.settimeout(0.05)
                    data = r.choice(seeds)
                    if r.random() < 0.3:  # only the body: it gets further
                        at = data.find(b"\r\n\r\n") + 4
                        body = mutate(r, data[at:]) if b"Length" in data[:at] else data[at:]
                        data = data[:at].replace(b"Length: %d" % (len(data) - at), b"Length: %d" % len(body)) + body
                    else:
                        data = mutate(r, data)
                    c.sendall(data)
                    c.recv(65536)
                    c.close()
                except OSError:
                    pass
                count[0] += 1
                if s.process.poll() is not None:
                    wrong.append(f"the server has ended: {data!r}")
                    return

        threads = [threading.Thread(target=attack, args=(seed,)) for seed in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        same(wrong, [], "fuzz")
        s.command(type="reset")
        s.command(type="play")
        answers_soon(s, f"after {count[0]} requests", 5)
        same(s.json("/api/state")["failed"], False, "failed")
        print(f"  {count[0]} requests in {seconds:g} s")


def main():
    tests = {name[5:]: f for name, f in globals().items() if name.startswith("test_")}
    for name in sys.argv[2:] or tests:
        begun = time.time()
        tests[name]()
        print(f"{name}: {time.time() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
