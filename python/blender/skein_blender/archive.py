"""Alembic archives (Ogawa) as numpy arrays; frames are read from the disk when they are asked for."""
import mmap
import struct

import numpy

TYPES = ["?", "u1", "i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f2", "<f4", "<f8", None, None]
DATA = 1 << 63


class ArchiveError(Exception):
    pass


class Property:
    """Samples of a property: p[k] is an array with one row per element."""

    def __init__(self, archive, places, info, samples, first, last, sampling, name):
        self.archive, self.places, self.samples, self.first, self.last, self.name = archive, places, samples, first, last, name
        self.array, self.type, self.extent, self.sampling = info & 3 >= 2, TYPES[info >> 4 & 15], info >> 12 & 255, sampling

    def stored(self, k):
        k = max(0, min(k, self.samples - 1))
        return 0 if k < self.first or self.last == 0 else min(k, self.last) - self.first + 1

    def changes(self):
        return self.last > 0

    def __getitem__(self, k):
        place = self.places[self.stored(k) * (2 if self.array else 1)]
        raw = self.archive.data(place)[16:]
        if self.type is None:
            return bytes(raw).decode(errors="replace").split("\0")[:-1]
        values = numpy.frombuffer(raw, self.type)
        return values.reshape(-1, self.extent) if self.extent > 1 else values


class Node:
    def __init__(self, name, path, schema, properties, children):
        self.name, self.path, self.schema, self.properties, self.children = name, path, schema, properties, children

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


class Archive:
    def __init__(self, path):
        try:
            with open(path, "rb") as file:
                self.bytes = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:
            raise ArchiveError(f"{path}: {error}") from error
        try:
            self.open()
        except (struct.error, IndexError, UnicodeDecodeError, RecursionError) as error:
            raise ArchiveError(f"{path}: is damaged ({error})") from error

    def open(self):
        if bytes(self.bytes[:5]) != b"Ogawa" or self.bytes[5] != 255:
            raise ArchiveError("is no whole Alembic archive")
        root = self.group(struct.unpack_from("<Q", self.bytes, 8)[0])
        self.about = dict(part.split("=", 1) for part in bytes(self.data(root[3])).decode().split(";") if "=" in part)
        self.samplings, raw, at = [], self.data(root[4]), 0
        while at < len(raw):
            _, step, count = struct.unpack_from("<IdI", raw, at)
            self.samplings.append((step, struct.unpack_from(f"<{count}d", raw, at + 16)))
            at += 16 + 8 * count
        self.metas, raw, at = [""], self.data(root[5]), 0
        while at < len(raw):
            self.metas.append(bytes(raw[at + 1 : at + 1 + raw[at]]).decode())
            at += 1 + raw[at]
        self.top = Node("", "/", "", {}, self.nodes(self.group(root[2]), ""))

    def group(self, place):
        if place == 0:
            return ()
        (count,) = struct.unpack_from("<Q", self.bytes, place)
        return struct.unpack_from(f"<{count}Q", self.bytes, place + 8)

    def data(self, place):
        place &= ~DATA
        if place == 0:
            return self.bytes[:0]
        (size,) = struct.unpack_from("<Q", self.bytes, place)
        return self.bytes[place + 8 : place + 8 + size]

    def nodes(self, group, path):
        if len(group) < 2:
            return []
        headers, at, found = self.data(group[-1])[:-32], 0, []
        for place in group[1:-1]:
            (size,) = struct.unpack_from("<I", headers, at)
            name = bytes(headers[at + 4 : at + 4 + size]).decode()
            which, at = headers[at + 4 + size], at + 5 + size
            if which == 255:
                (size,) = struct.unpack_from("<I", headers, at)
                meta, at = bytes(headers[at + 4 : at + 4 + size]).decode(), at + 4 + size
            else:
                meta = self.metas[which]
            schema = dict(part.split("=", 1) for part in meta.split(";") if "=" in part).get("schema", "")
            child = self.group(place)
            properties = self.properties(self.group(child[0])) if child else {}
            found.append(Node(name, f"{path}/{name}", schema, properties, self.nodes(child, f"{path}/{name}")))
        return found

    def properties(self, group):
        found, headers, at = {}, self.data(group[-1]) if group else b"", 0
        for place in group[:-1]:
            (info,) = struct.unpack_from("<I", headers, at)
            at += 4
            form = "<" + "BHI"[info >> 2 & 3]
            size = struct.calcsize(form)

            def take():
                nonlocal at
                at += size
                return struct.unpack_from(form, headers, at - size)[0]

            samples = first = last = sampling = 0
            if info & 3:
                samples = take()
                if info & 0x200:
                    first, last = take(), take()
                elif not info & 0x800:
                    first, last = 1, samples - 1
                if info & 0x100:
                    sampling = take()
            length = take()
            name = bytes(headers[at : at + length]).decode()
            at += length
            if info >> 20 & 255 == 255:
                length = take()
                at += length
            places = self.group(place)
            if info & 3:
                found[name] = Property(self, places, info, samples, first, last, sampling, name)
            else:
                found[name] = self.properties(places)
        return found
