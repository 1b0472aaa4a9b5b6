#!/bin/bash
# A container engine of another Debian suite, beside this machine's own: debian-engine.sh up | in <command>... | down
#
# Nothing is installed: apt downloads the packages into a folder of their own, and the engine runs in a mount namespace in
# which their /usr takes the place of this machine's. It also has a network namespace, because two engines in one would
# fight over the same iptables chains. So its containers are reached from inside of that only: `in` runs a command there,
# where 127.0.0.1 is the namespace's own and the engine answers at the usual socket too.
#
# Settings, in the environment (`npm run prove -- engines` sets them, in debian-engine.ts):
#   SUITE    whose packages, such as sid
#   FOLDER   for packages, images and sockets; a short path, as sockets have at most 108 characters
#   NAME     of the network namespace and of the control group, at most 12 characters
#   NETWORK  the first three numbers of its addresses; .1 is the engine's side, .254 this machine's
#   OWNER    the process that uses it; while that lives, no other one gets it
#   OPTIONS  of dockerd; MIN_API: the oldest API version that it accepts
set -euo pipefail
: "$SUITE" "$FOLDER" "$NAME" "$NETWORK"
OWNER=${OWNER:-$PPID}
OPTIONS=${OPTIONS:-} MIN_API=${MIN_API:-}
export -n SUITE FOLDER NAME NETWORK OWNER OPTIONS MIN_API
PACKAGES='docker.io containerd runc tini iptables nftables bash coreutils dash util-linux mount iproute2 kmod procps xz-utils git libc-bin'
# Suites before trixie have them in docker.io.
OPTIONAL_PACKAGES='docker-cli docker-buildx'
START_SECONDS=60 STOP_SECONDS=30
MOUNTS=$FOLDER/namespaces/mount SOCKET=$FOLDER/docker.sock PID_FILE=$FOLDER/docker.pid CABLE=v$NAME

up() {
  take
  [ -e "$FOLDER/root/.unpacked" ] || unpack
  enter_mounts
  connect_network
  start
}

# What a run that was killed has left is ended first.
take() {
  mkdir -p "$FOLDER"
  local owner
  owner=$(cat "$FOLDER/owner" 2>/dev/null) || owner=
  if [ -n "$owner" ] && [ "$owner" != "$OWNER" ] && ! has_ended "$owner"; then
    echo "process $owner uses it" >&2
    return 1
  fi
  echo "$OWNER" >"$FOLDER/owner"
  down
}

# An apt with its own sources, lists, status and cache, which believes that nothing is installed.
own_apt() {
  local tool=$1; shift
  "$tool" -q=2 -o "Dir::Etc::sourcelist=$FOLDER/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o "Dir::State::lists=$FOLDER/apt/lists" -o "Dir::State::status=$FOLDER/apt/status" -o "Dir::Cache=$FOLDER/apt/cache" \
    -o "Dir::Cache::archives=$FOLDER/packages" -o APT::Sandbox::User=root -o Debug::NoLocking=1 "$@"
}

unpack() {
  rm -rf "$FOLDER/root" "$FOLDER/packages"
  mkdir -p "$FOLDER"/{apt/lists/partial,apt/cache,packages/partial,root}
  : >"$FOLDER/apt/status"
  local archive wanted=$PACKAGES package alternative
  archive=$({ grep -hm1 '^URIs:' /etc/apt/sources.list.d/*.sources ||
    grep -hm1 '^deb ' /etc/apt/sources.list | sed 's/\[[^]]*\]//'; } 2>/dev/null | awk '{print $2; exit}')
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $SUITE main" >"$FOLDER/apt/sources.list"
  own_apt apt-get update >&2
  for package in $OPTIONAL_PACKAGES; do
    own_apt apt-cache show "$package" >/dev/null 2>&1 && wanted+=" $package"
  done
  # shellcheck disable=SC2086
  own_apt apt-get install -y --no-install-recommends --download-only $wanted >&2
  for package in "$FOLDER"/packages/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$FOLDER/root" --keep-directory-symlink \
      --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*'
  done
  rm -rf "$FOLDER/packages"
  # Suites before trixie have programs and libraries beside /usr.
  for alternative in bin sbin lib lib64; do
    [ -L "$FOLDER/root/$alternative" ] || [ ! -d "$FOLDER/root/$alternative" ] ||
      { mkdir -p "$FOLDER/root/usr/$alternative" && cp -an "$FOLDER/root/$alternative/." "$FOLDER/root/usr/$alternative/"; }
  done
  # The packages' scripts, which do not run, would make these.
  for package in iptables ip6tables; do
    for alternative in '' -save -restore; do
      ln -sf xtables-nft-multi "$FOLDER/root/usr/sbin/$package$alternative"
    done
  done
  [ -e "$FOLDER/root/usr/bin/sh" ] || ln -s dash "$FOLDER/root/usr/bin/sh"
  touch "$FOLDER/root/.unpacked"
}

# A mount namespace that stays, as a file.
enter_mounts() {
  nsenter --mount="$MOUNTS" true 2>/dev/null && return
  mkdir -p "$FOLDER/namespaces" /run/containerd
  mountpoint -q "$FOLDER/namespaces" || mount --bind "$FOLDER/namespaces" "$FOLDER/namespaces"
  mount --make-private "$FOLDER/namespaces"
  touch "$MOUNTS"
  # The machine's own containerd keeps its sockets.
  unshare --mount="$MOUNTS" --propagation slave sh -c \
    'mount --bind "$1/root/usr" /usr && mount -t tmpfs tmpfs /run/containerd' - "$FOLDER"
  # For tests that start an engine of their own: it is of this suite as well.
  mkdir -p "$FOLDER/bin"
  local program
  for program in dockerd containerd; do
    printf '#!/bin/sh\nexec nsenter --mount=%s -- %s "$@"\n' "$MOUNTS" "$program" >"$FOLDER/bin/$program"
    chmod 755 "$FOLDER/bin/$program"
  done
}

connect_network() {
  ip netns list | grep -qw "$NAME" && return
  ip netns add "$NAME"
  ip link add "$CABLE" type veth peer name eth0 netns "$NAME"
  ip addr add "$NETWORK.254/24" dev "$CABLE"
  ip link set "$CABLE" up
  ip -n "$NAME" addr add "$NETWORK.1/24" dev eth0
  ip -n "$NAME" link set lo up
  ip -n "$NAME" link set eth0 up
  ip -n "$NAME" route add default via "$NETWORK.254"
  echo 1 >/proc/sys/net/ipv4/ip_forward
  way_out -I
}

# For registries and packages. The machine's own engine forwards nothing that no rule allows.
way_out() {
  rule -t nat "$1" POSTROUTING -s "$NETWORK.0/24" ! -o "$CABLE" -j MASQUERADE
  rule "$1" FORWARD -i "$CABLE" -j ACCEPT
  rule "$1" FORWARD -o "$CABLE" -j ACCEPT
}
rule() { nsenter --mount="$MOUNTS" -- iptables "$@" 2>/dev/null; }

start() {
  rm -rf "$FOLDER/exec" "$SOCKET" "$PID_FILE"
  # The driver of control groups is named because --cgroup-parent means a slice to the other one.
  # shellcheck disable=SC2086
  setsid nsenter --net="/run/netns/$NAME" --mount="$MOUNTS" -- ${MIN_API:+env DOCKER_MIN_API_VERSION=$MIN_API} dockerd \
    --data-root "$FOLDER/data" --exec-root "$FOLDER/exec" --pidfile "$PID_FILE" --host "unix://$SOCKET" \
    --exec-opt native.cgroupdriver=cgroupfs --cgroup-parent "/$NAME" $OPTIONS >"$FOLDER/log" 2>&1 </dev/null &
  local daemon=$! deadline=$(($(date +%s) + START_SECONDS))
  until curl --silent --fail --unix-socket "$SOCKET" http://engine/_ping >/dev/null; do
    if has_ended "$daemon" || [ "$(date +%s)" -ge "$deadline" ]; then
      echo "dockerd of $SUITE does not answer:" >&2
      tail -n 5 "$FOLDER/log" >&2
      return 1
    fi
    sleep 0.1
  done
}

is_running() { [ -s "$PID_FILE" ] && grep -aqs "$SOCKET" "/proc/$(cat "$PID_FILE")/cmdline"; }
has_ended() { ! grep -qsE '^State:\s+[^ZX]' "/proc/$1/status"; }

inside() {
  exec nsenter --net="/run/netns/$NAME" unshare --mount --propagation slave sh -c '
    socket=$(readlink -f /var/run)/docker.sock
    [ -e "$socket" ] || touch "$socket"
    mount --bind "$1" "$socket"
    shift
    exec "$@"' - "$SOCKET" env "DOCKER_HOST=unix://$SOCKET" "PATH=$FOLDER/bin:$PATH" "$@"
}

# Ends the engine with its containers. Packages and images stay.
down() {
  if is_running; then
    local daemon deadline=$(($(date +%s) + STOP_SECONDS))
    daemon=$(cat "$PID_FILE")
    kill "$daemon"
    until has_ended "$daemon" || [ "$(date +%s)" -ge "$deadline" ]; do sleep 0.1; done
    has_ended "$daemon" || kill -9 "$daemon"
  fi
  end_left_processes
  if ip netns list | grep -qw "$NAME"; then
    way_out -D || true
    ip link del "$CABLE" 2>/dev/null || true
    ip netns del "$NAME"
  fi
  umount "$MOUNTS" 2>/dev/null || true
  umount "$FOLDER/namespaces" 2>/dev/null || true
  rm -rf "$FOLDER/exec" "$PID_FILE" "$SOCKET"
}

# Containers are in the engine's control group; their shims, and a containerd without its dockerd, name its sockets.
end_left_processes() {
  local group process
  for group in /sys/fs/cgroup/*/"$NAME" /sys/fs/cgroup/"$NAME"; do
    [ -d "$group" ] || continue
    find "$group" -name cgroup.procs -exec cat {} + | while read -r process; do kill -9 "$process" 2>/dev/null || true; done
  done
  for process in $(pgrep -f -- "$FOLDER/exec/containerd/containerd\.(sock|toml)"); do kill -9 "$process" 2>/dev/null || true; done
  sleep 0.3
  for group in /sys/fs/cgroup/*/"$NAME" /sys/fs/cgroup/"$NAME"; do
    [ -d "$group" ] && find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
  done
}

case ${1:-} in
  up) up ;;
  in) shift; inside "$@" ;;
  down) down ;;
  *) echo "Usage: ${0##*/} up | in <command>... | down" >&2; exit 2 ;;
esac
