# A thin front: everything is in CMakeLists.txt and scripts/.
.PHONY: deb wheel docs demo test test-quick test-slow test-interop blender bench install clean setup configure build

configure: setup
	@cmake --preset release >/dev/null

build: configure
	@cmake --build --preset release

setup:
	@scripts/setup

# The same head of hair shaken with friction and without; a hair-like problem solved with three methods: demo/index.html.
demo: configure
	@cmake --build --preset release --target skein_tool
	@scripts/demo

# The quick tests, then all of them, under sanitizers too.
test: setup
	@scripts/test

# Less than a minute after the build: what to run while one works.
test-quick: setup
	@scripts/test quick

# Sixteen grooms that nobody tuned for, for three seeds and one that is drawn: what Skein says of them, what an independent
# judge says, in one table.
test-slow: build
	@tests/grooms/run.py --skein build/release/skein

# ParaView, Blender, a USD parser and h5py open what skein writes; installs them.
test-interop: build
	@scripts/test-interop

# The add-on for Blender as a zip file: build/skein_blender.zip.
blender:
	@scripts/make-blender

bench: setup
	@scripts/bench

install: build
	@cmake --install build/release

# Debian packages in build/package, for any machine of the architecture.
deb: setup
	@scripts/package deb

# A wheel of the Python module in build/wheel, with the library inside; no network.
wheel: setup
	@scripts/package wheel

# The manual as a site, with the C reference from the headers: build/docs/index.html.
docs: build
	@scripts/docs

clean:
	rm -rf build demo
