# SPDX-License-Identifier: GPL-2.0-or-later
"""SPEC to a kernel that can be booted."""
