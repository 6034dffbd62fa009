#!/usr/bin/env python3
"""Counts the tests of a CTest JUnit report: prints "passed failed skipped" on stdout, and on stderr
one line for each test that failed or was skipped.

usage: count_tests.py REPORT.xml STAGE
"""

import re
import sys
import xml.etree.ElementTree as ElementTree

# CTest calls a test skipped as soon as its output says so, whatever came after.
TROUBLE = re.compile(r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error: |\[  FAILED  \]")


def outcome(case):
    output = case.findtext("system-out") or ""
    status = case.get("status")
    if case.find("skipped") is not None or status in ("notrun", "disabled"):
        skipped = case.find("skipped")
        message = skipped.get("message", "") if skipped is not None else ""
        if TROUBLE.search(output):
            return "failed", "failed after it was skipped"
        if message and "SKIP" not in message and status != "disabled":
            return "failed", message  # CTest's "Unable to find executable" and the like
        reason = re.search(r": Skipped\n(.*?)\n(?:\s*\n|\[)", output, re.DOTALL)
        return "skipped", " ".join((reason.group(1) if reason else message or "disabled").split())
    if case.find("failure") is not None or status == "fail":
        failure = case.find("failure")
        return "failed", (failure.get("message") if failure is not None else "") or why(output)
    return "passed", ""


def why(output):
    """The first failed assertion with the line after it, or the last line there is."""
    failure = re.search(r"^(\S+: Failure\n.*)$", output, re.MULTILINE)
    lines = [line for line in output.splitlines() if line.strip()]
    return " ".join((failure.group(1) if failure else lines[-1] if lines else "no output").split())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        result, reason = outcome(case)
        counts[result] += 1
        if result != "passed":
            print(f"{result.upper()} {sys.argv[2]}: {case.get('name')}: {reason}", file=sys.stderr)
    print(counts["passed"], counts["failed"], counts["skipped"])


if __name__ == "__main__":
    main()
