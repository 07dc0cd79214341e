"""packaging/setup against made-up apt-get, dpkg-query and sudo: what it installs, and what it says."""
import os
import pathlib
import subprocess
import tempfile
import unittest

from tacho_cli import SOURCE

SETUP = str(SOURCE / "packaging" / "setup")
BUILD_PACKAGES = ("g++ cmake ninja-build libpfm4-dev libfmt-dev libcli11-dev nlohmann-json3-dev "
                  "libtomlplusplus-dev libzstd-dev libdw-dev libelf-dev libbz2-dev liblzma-dev libcapstone-dev libiberty-dev "
                  "valgrind pkgconf file dpkg-dev esbuild node-d3").split()


class Setup(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = pathlib.Path(scratch.name)
        for tool in ("sed", "tr", "grep", "cat", "env"):
            (self.path / tool).symlink_to(f"/bin/{tool}" if os.path.exists(f"/bin/{tool}") else f"/usr/bin/{tool}")

    def tool(self, name, script):
        (self.path / name).write_text("#!/bin/sh\n" + script)
        (self.path / name).chmod(0o755)

    def debian(self, installed, candidates=True, uid=0):
        """A Debian where `installed` is there; its package lists are empty if not `candidates`."""
        self.tool("id", f"echo {uid}\n")
        self.tool("dpkg-query", "".join(f"echo 'installed {name}:amd64'\n" for name in installed)
                  + "echo 'not-installed dracut'\n")
        log = self.path / "apt.log"
        log.touch()
        lists = self.path / "lists"
        if candidates:
            lists.touch()
        self.tool("apt-get", f"""
case "$*" in
  *update*) echo update >>{log}; : >{lists} ;;
  *--simulate*) [ -e {lists} ] ;;
  *) echo "install $DEBIAN_FRONTEND ${{*#*--no-install-recommends}}" >>{log}; [ -e {lists} ] ;;
esac
""")
        return log

    def setup_run(self, *groups, **variables):
        return subprocess.run(["/bin/sh", SETUP, *groups], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={"PATH": str(self.path), **variables})

    def test_nothing_missing_nothing_done(self):
        log = self.debian(BUILD_PACKAGES, uid=1000)
        result = self.setup_run("build")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(log.read_text(), "")

    def test_installs_what_is_missing_and_says_so(self):
        log = self.debian(set(BUILD_PACKAGES) - {"cmake", "libfmt-dev"})
        result = self.setup_run("build")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout,
                         "packaging/setup: installing cmake libfmt-dev (this may take a minute or two)\n")
        self.assertEqual(log.read_text().split(), "install noninteractive cmake libfmt-dev".split())

    def test_fetches_the_lists_once_when_there_is_no_candidate(self):
        log = self.debian(set(BUILD_PACKAGES) - {"cmake"}, candidates=False)
        result = self.setup_run("build")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(log.read_text().split(), "update install noninteractive cmake".split())

    def test_without_root_it_goes_through_sudo(self):
        log = self.debian(set(BUILD_PACKAGES) - {"cmake"}, uid=1000)
        self.tool("sudo", f'echo sudo >>{log}\nexec "$@"\n')
        self.assertEqual(self.setup_run("build").returncode, 0)
        self.assertEqual(log.read_text().split(), "sudo sudo install noninteractive cmake".split())

    def test_without_root_and_sudo_it_says_what_to_run(self):
        log = self.debian(set(BUILD_PACKAGES) - {"cmake"}, uid=1000)
        result = self.setup_run("build")
        self.assertEqual(result.returncode, 1)
        self.assertIn("Run as root: apt-get install cmake", result.stderr)
        self.assertEqual(log.read_text(), "")

    def test_daemons_are_neither_started_nor_enabled(self):
        policy = self.path / "policy-rc.d"
        for tool in ("sh", "chmod", "rm"):
            (self.path / tool).symlink_to(f"/bin/{tool}")
        log = self.debian(["libgtest-dev"])
        script = (self.path / "apt-get").read_text()
        self.tool("apt-get", script + f'{policy}; echo "policy $?" >>{log}\n')
        self.tool("systemctl", f'echo "systemctl $*" >>{log}\n')
        result = self.setup_run("test", POLICY_RC_D=str(policy))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("prometheus prometheus-node-exporter", log.read_text())
        self.assertIn("policy 101\n", log.read_text(), "while apt-get runs")
        self.assertFalse(policy.exists(), "and not longer")
        self.assertIn("systemctl --quiet disable prometheus prometheus-node-exporter\n", log.read_text())
        policy.write_text("#!/bin/sh\nexit 0\n")
        self.assertEqual(self.setup_run("test", POLICY_RC_D=str(policy)).returncode, 0)
        self.assertEqual(policy.read_text(), "#!/bin/sh\nexit 0\n", "somebody else's stays")

    def test_elsewhere_it_names_what_is_missing_with_versions(self):
        self.tool("c++", "exec /usr/bin/c++ -nostdinc -nostdinc++ \"$@\"\n")  # a compiler without headers
        self.tool("cmake", "")
        result = self.setup_run("build")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no apt-get", result.stderr)
        self.assertIn("  Ninja 1.10 or later  (command ninja)\n", result.stderr)
        self.assertIn("  fmt (libfmt) 9 or later  (header fmt/format.h)\n", result.stderr)
        self.assertNotIn("CMake", result.stderr)

    def test_elsewhere_it_goes_on_when_all_is_there(self):
        for name in ("c++", "cmake", "ninja", "valgrind", "pkg-config", "esbuild"):
            self.tool(name, "cat >/dev/null\n" if name == "c++" else "")
        result = self.setup_run("build")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_unknown_group_is_named(self):
        result = self.setup_run("everything")
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown group 'everything'", result.stderr)


if __name__ == "__main__":
    unittest.main()
