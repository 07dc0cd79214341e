# The newcomer's door: make demo, make test. Behind it stands CMake: see CMakePresets.json.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
# For CI: more arguments for cmake, such as -DTACHO_WERROR=ON.
CMAKE_FLAGS ?=

.PHONY: demo test build install uninstall package format check clean
# One after the other: each line stands on what the one before has made.
.NOTPARALLEL:

# Counts both examples as this machine can, then compares them on a simulated Raspberry Pi, which shows
# why naive is slower. The simulator is built on x86-64 only: elsewhere the script says so.
demo: build
	build/release/bin/tacho stat -- build/release/examples/naive 400
	build/release/bin/tacho stat -- build/release/examples/interchange 400
	examples/compare-products

build:
	packaging/setup build
	cmake --preset release $(CMAKE_FLAGS)
	cmake --build --preset release --parallel $(JOBS)

test:
	packaging/setup build test lab
	cmake --preset test $(CMAKE_FLAGS)
	cmake --build --preset test --parallel $(JOBS)
	lab/prepare
	@status=0; for lanes in -LE -L; do \
	  tests/run build/test --parallel $(JOBS) $$lanes '^lab$$' || status=1; \
	done; exit $$status

# make build first, so that no file is built as root: make build && sudo make install
install:
	@test -x build/release/bin/tacho || { echo "make install: run make build first" >&2; exit 1; }
	cmake --install build/release --prefix $(PREFIX)

# What the last make install has put there, by the list that it left; then what folders of tacho are empty.
INSTALLED = build/release/install_manifest.txt
uninstall:
	@test -f $(INSTALLED) || { echo "make uninstall: no $(INSTALLED), which make install leaves: install it again, then uninstall it" >&2; exit 1; }
	sed 's,^,$(DESTDIR),' $(INSTALLED) | tr '\n' '\0' | xargs -0 rm -f --
	sed -n 's,^\(.*/tacho\)/.*,$(DESTDIR)\1,p' $(INSTALLED) | sort -u | while read -r folder; do \
	  test ! -d "$$folder" || find "$$folder" -depth -type d -empty -delete; done

# Debian packages: of tacho, and of the kernel module's sources for DKMS.
package: build
	cd build/release && cpack
	@ls build/release/packages/*.deb

format:
	git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 -i

check:
	git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run -Werror
	tools/check-arrows
	tools/check-scripts

clean:
	rm -rf build
