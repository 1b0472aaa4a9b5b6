#!/bin/bash
# Writes the file system of an image to standard output, as a tar archive: Debian packages with all that they depend on,
# and the files of a folder on top. Usage: debian-root.sh <folder> <package>...
# Nothing is installed on this machine: packages are downloaded by apt, from the sources it has, and unpacked. SUITE names
# another suite of the same archive, such as sid, which has newer servers.
set -euo pipefail
overlay=$1; shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"/usr/{bin,sbin,lib,lib64} "$root"/{tmp,proc,sys,dev,root,run,etc} "$root"/var/{tmp,log,lib,cache} "$work"/debs/partial
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
ln -s ../run "$root/var/run"
chmod 1777 "$root"/tmp "$root"/var/tmp

# With an empty status apt lists every package, also those that this machine has.
touch "$work/status"
own=()
if [ -n "${SUITE:-}" ]; then
  archive=$({ grep -hm1 '^URIs:' /etc/apt/sources.list.d/*.sources ||
    grep -hm1 '^deb ' /etc/apt/sources.list | sed 's/\[[^]]*\]//'; } 2>/dev/null | awk '{print $2; exit}')
  mkdir -p "$work"/apt/{lists/partial,cache}
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $SUITE main" >"$work/apt/sources.list"
  own=(-o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::State::lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" -o Dir::State::status="$work/status"
    -o APT::Sandbox::User=root)
  apt-get update --quiet=2 "${own[@]}" >&2
fi
download() {
  apt-get install --yes --quiet=2 --no-install-recommends --download-only -o Debug::NoLocking=1 \
    "${own[@]}" -o Dir::State::status="$work/status" -o Dir::Cache::archives="$work/debs" -o APT::Sandbox::User=root "$@" >&2
}
# What every Debian has; apt leaves it out, because no package depends on it.
set -- bash coreutils dash findutils grep gzip hostname libc-bin mawk sed tar "$@"
download "$@" || { apt-get update --quiet=2 "${own[@]}" >&2; download "$@"; }

for package in "$work"/debs/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar --extract --directory="$root" --keep-directory-symlink \
    --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' \
    --exclude='./var/lib/*/*' --exclude='./usr/share/info/*' --exclude='./usr/share/lintian/*' --exclude='./usr/share/zoneinfo/*/*'
done
rm -rf "$work/debs"
ldconfig -r "$root"
# The packages' scripts, which do not run, would make these.
ln -sf mawk "$root/usr/bin/awk"
[ -e "$root/usr/bin/sh" ] || ln -s dash "$root/usr/bin/sh"
cp -a "$overlay/." "$root/"
tar --create --directory="$root" --numeric-owner .
