"""What the tests of the Python module share: the command, the library, the root of the tree (their three arguments), a
small scene, a folder that goes away."""
import os
import pathlib
import sys
import tempfile
import unittest

tool, library, root = (os.path.abspath(path) for path in sys.argv[1:4])
root = pathlib.Path(root)
os.environ.update(SKEIN_LIBRARY=library, OMP_WAIT_POLICY="passive")
sys.path.insert(0, str(root / "python"))
sys.dont_write_bytecode = True
try:
    __import__("numpy")
except ImportError:
    print("python3-numpy is not installed: skipped")
    sys.exit(77)

CORD = {"rods": [{"name": "cord", "model": "der", "elements": 10, "length": 0.2,
                  "root": {"type": "free", "position": [-0.1, 0, 0.01], "direction": [1, 0, 0.1]}}],
        "bodies": [{"name": "floor", "shape": {"type": "plane"}},
                   {"name": "ball", "shape": {"type": "sphere", "radius": 0.02}, "position": [0.3, 0, 0.1]}],
        "friction": 0.3, "time": {"duration": 0.1}, "output": {"fps": 50}}


class Folder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
