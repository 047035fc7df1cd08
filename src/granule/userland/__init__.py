# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs in the guest: the userland image, and the initramfs of each run."""

from granule.userland.initramfs import Request, build_initramfs, write_initramfs
from granule.userland.modules import module_files
from granule.userland.programs import GuestPrograms, build_programs
from granule.userland.provide import Userland, provide
from granule.userland.recipe import Recipe, load_recipe

__all__ = [
    "GuestPrograms",
    "Recipe",
    "Request",
    "Userland",
    "build_initramfs",
    "build_programs",
    "load_recipe",
    "module_files",
    "provide",
    "write_initramfs",
]
