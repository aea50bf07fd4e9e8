"""Reads Alembic archives (Ogawa), for the tests: written from the format alone, without a line of what writes them.

    archive = read("file.abc")        # Object: name, path, meta, children, properties
    curves = archive["/rods/hair"]
    p = curves[".geom"]["P"]          # Property: kind, pod, extent, meta, samples, times
    p[3]                              # sample 3 as a numpy array, one row per element

Whatever does not fit raises ValueError."""
import struct

import numpy as np

PODS = ["?", "u1", "i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f2", "<f4", "<f8", "string", "wstring"]
DATA = 1 << 63


class Bytes:
    """A walk over bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        if self.at + size > len(self.data):
            raise ValueError("ends too early")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, hint=2):
        return int.from_bytes(self.take(1 << hint), "little")

    def more(self):
        return self.at < len(self.data)


def metadata(text):
    return dict(part.split("=", 1) for part in text.decode().split(";") if "=" in part)


class File:
    def __init__(self, data):
        self.data = data
        if len(data) < 16 or data[:5] != b"Ogawa" or data[5] != 255 or data[6:8] != b"\0\1":
            raise ValueError("no whole Ogawa file of version 1")
        root = self.group(struct.unpack("<Q", data[8:16])[0])
        if len(root) < 6 or struct.unpack("<i", self.bytes(root[0]))[0] != 0:
            raise ValueError("no Alembic archive of version 0")
        self.library = struct.unpack("<i", self.bytes(root[1]))[0]
        self.meta = metadata(self.bytes(root[3]))
        self.samplings, samplings = [], Bytes(self.bytes(root[4]))
        while samplings.more():
            most, step = samplings.number(), struct.unpack("<d", samplings.take(8))[0]
            times = [struct.unpack("<d", samplings.take(8))[0] for _ in range(samplings.number())]
            self.samplings.append((most, step, times))
        self.metas, metas = [{}], Bytes(self.bytes(root[5]))
        while metas.more():
            self.metas.append(metadata(metas.take(metas.number(0))))
        self.top = Object(self, self.group(root[2]), "", "/", self.meta)

    def group(self, place):
        if place == 0:
            return []
        if place & DATA or place + 8 > len(self.data):
            raise ValueError("a group is outside the file")
        (count,) = struct.unpack_from("<Q", self.data, place)
        if count > (len(self.data) - place - 8) // 8:
            raise ValueError("a group ends outside the file")
        return list(struct.unpack_from(f"<{count}Q", self.data, place + 8))

    def bytes(self, place):
        if not place & DATA:
            raise ValueError("expected data, found a group")
        place -= DATA
        if place == 0:
            return b""
        if place + 8 > len(self.data):
            raise ValueError("data is outside the file")
        (size,) = struct.unpack_from("<Q", self.data, place)
        if size > len(self.data) - place - 8:
            raise ValueError("data ends outside the file")
        return self.data[place + 8 : place + 8 + size]


class Object:
    def __init__(self, file, group, name, path, meta):
        self.name, self.path, self.meta, self.children, self.properties, self.file = name, path, meta, {}, {}, file
        if not group:
            return
        headers = Bytes(self.file.bytes(group[-1])[:-32])
        self.digests = self.file.bytes(group[-1])[-32:]
        if not group[0] & DATA:
            self.properties = read_properties(file, file.group(group[0]))
        for place in group[1:-1]:
            name = headers.take(headers.number()).decode()
            which = headers.number(0)
            meta = metadata(headers.take(headers.number())) if which == 255 else file.metas[which]
            self.children[name] = Object(file, file.group(place), name, path.rstrip("/") + "/" + name, meta)
        if headers.more():
            raise ValueError(f"{path}: more headers than children")

    def __getitem__(self, key):
        if not key.startswith("/"):
            return self.properties[key]
        found = self
        for name in key.strip("/").split("/"):
            found = found.children[name]
        return found

    def walk(self):
        yield self
        for child in self.children.values():
            yield from child.walk()


class Property:
    def __init__(self, file, group, info, samples, first, last, sampling, name, meta):
        self.file, self.group, self.name, self.meta, self.samples = file, group, name, meta, samples
        self.kind = ["compound", "scalar", "array", "array"][info & 3]
        self.pod, self.extent, self.first, self.last, self.sampling = PODS[info >> 4 & 15], info >> 12 & 255, first, last, sampling

    @property
    def times(self):
        _, step, times = self.file.samplings[self.sampling]
        return [times[0] + k * step for k in range(self.samples)]

    def place(self, k):
        """Where sample k is among those that are stored."""
        if not 0 <= k < self.samples:
            raise ValueError(f"{self.name}: has no sample {k}")
        return 0 if k < self.first or self.last == 0 else min(k, self.last) - self.first + 1

    def stored(self):
        return len(self.group) // (2 if self.kind == "array" else 1)

    def __getitem__(self, k):
        step = 2 if self.kind == "array" else 1
        raw = self.file.bytes(self.group[step * self.place(k)])
        dims = self.file.bytes(self.group[step * self.place(k) + 1]) if step == 2 else b""
        raw = raw[16:]  # the digest
        if self.pod == "string":
            words = raw.decode().split("\0")[:-1]
            if dims and struct.unpack("<Q", dims[:8])[0] != len(words):
                raise ValueError(f"{self.name}: not as many strings as it says")
            return words
        values = np.frombuffer(raw, self.pod)
        return values.reshape(-1, self.extent) if self.extent > 1 or self.kind == "scalar" else values


def read_properties(file, group):
    found = {}
    if not group:
        return found
    headers = Bytes(file.bytes(group[-1]))
    for place in group[:-1]:
        info = headers.number()
        hint, samples, first, last, sampling = info >> 2 & 3, 0, 0, 0, 0
        if info & 3:
            samples = headers.number(hint)
            if info & 0x200:
                first, last = headers.number(hint), headers.number(hint)
            elif not info & 0x800:
                first, last = 1, samples - 1
            if info & 0x100:
                sampling = headers.number(hint)
        name = headers.take(headers.number(hint)).decode()
        which = info >> 20 & 255
        meta = metadata(headers.take(headers.number(hint))) if which == 255 else file.metas[which]
        children = file.group(place)
        if info & 3 == 0:
            found[name] = read_properties(file, children)
        else:
            found[name] = Property(file, children, info, samples, first, last, sampling, name, meta)
    if headers.more():
        raise ValueError("more headers than properties")
    return found


def read(path):
    with open(path, "rb") as file:
        return File(file.read()).top
