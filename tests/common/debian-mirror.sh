# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors

# Prints the address of the Debian mirror from which this machine's apt takes its own suite,
# without security and other vendors; nothing if there is none.
find_debian_mirror() {
  # shellcheck disable=SC1091
  . /etc/os-release
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' \
    | awk -v release="$VERSION_CODENAME" '$1 == release && $2 == "main" { print $3; exit }'
}
