# SPDX-License-Identifier: GPL-2.0-or-later
"""Private apt roots: packages of any Debian release and architecture.

Nothing here touches the system's own apt or dpkg, and nothing needs root.
The archive is the one the machine already uses; apt checks every signature
and hash.
"""

from granule.debian.apt import StaleListsError
from granule.debian.mirror import Mirror
from granule.debian.packages import Package, unpack
from granule.debian.root import AptRoot, apt_root, host_release

__all__ = ["AptRoot", "Mirror", "Package", "StaleListsError", "apt_root", "host_release", "unpack"]
