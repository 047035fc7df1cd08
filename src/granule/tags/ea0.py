# SPDX-License-Identifier: GPL-2.0-or-later
"""What the run-length coder that was published before, EA0, stores for a page.

At 4 KiB it has five classes. For larger pages only its later form is known: inline,
or the tags as they are.
"""

from granule.tags.pages import TagPage

_CLASSES = {
    4: ((6, 0), (11, 16), (23, 32), (46, 64)),
    16: ((5, 0),),
    64: ((4, 0),),
}
"""By the size of a page in KiB: up to so many runs take so many bytes."""


def stored_bytes(page: TagPage) -> int:
    """Bytes out of line; 0 if the code is in the XArray slot itself."""
    runs = page.runs
    fitting = (size for most, size in _CLASSES[page.kib] if runs <= most)
    return next(fitting, len(page.digits) // 2)
