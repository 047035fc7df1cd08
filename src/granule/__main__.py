# SPDX-License-Identifier: GPL-2.0-or-later
"""``python -m granule`` is the program ``granule``."""

from granule.cli import main

if __name__ == "__main__":
    main()
