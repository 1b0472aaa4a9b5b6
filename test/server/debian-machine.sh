#!/bin/bash
# A server of Debian 13 in a virtual machine, with systemd and Docker Engine, to be rebooted and cut off from power:
#   debian-machine.sh up | reboot | cut | down | in <line> | put <folder> (a tar comes in)
#
# Nothing but mmdebstrap is installed here: QEMU comes unpacked, from the suite of the machine, because the one of Debian 12 lets
# Node.js 24 crash where it translates. Without /dev/kvm it translates, which takes 15 to 25 times as long. A cut loses what the
# machine's kernel has not written yet, as a power cut does; what its disk has taken stays.
#
# Settings, in the environment: FOLDER (of image, disk and key), MEMORY, PORT (of its SSH, on loopback)
set -euo pipefail
SUITE=trixie
FOLDER=${FOLDER:-/var/cache/berth-test-server} MEMORY=${MEMORY:-4G} PORT=${PORT:-2222}
BOOT_SECONDS=600
PACKAGES=systemd,systemd-sysv,dbus,udev,apparmor,kmod,openssh-server,iproute2,procps,ca-certificates,curl,git,nodejs,npm,docker.io,iptables
QEMU=$FOLDER/qemu

up() {
  [ -e "$FOLDER/.whole" ] || make_image
  runs && return
  [ -e "$FOLDER/disk" ] || qemu qemu-img create -q -f qcow2 -b "$FOLDER/image" -F raw "$FOLDER/disk"
  local accelerator='tcg,thread=multi,tb-size=1024'
  [ -w /dev/kvm ] && grep -qwE 'vmx|svm' /proc/cpuinfo && accelerator=kvm
  qemu qemu-system-x86_64 -L "$QEMU/usr/share/qemu" -L "$QEMU/usr/share/seabios" -machine q35,usb=off -accel "$accelerator" \
    -cpu max -smp 2 -m "$MEMORY" -nodefaults -display none -kernel "$FOLDER/vmlinuz" -initrd "$FOLDER/initrd" \
    -append 'root=/dev/vda rw console=ttyS0 quiet net.ifnames=1' \
    -drive "if=virtio,file=$FOLDER/disk,format=qcow2,cache=unsafe,discard=unmap" -device virtio-rng-pci \
    -netdev "user,id=n,hostfwd=tcp:127.0.0.1:$PORT-:22" -device virtio-net-pci,netdev=n \
    -serial "file:$FOLDER/console" -daemonize -pidfile "$FOLDER/pid" </dev/null >"$FOLDER/log" 2>&1
  answers
}

runs() {
  local pid
  pid=$(cat "$FOLDER/pid" 2>/dev/null) && grep -aq "$FOLDER/disk" "/proc/$pid/cmdline" 2>/dev/null
}

answers() {
  local until=$((SECONDS + BOOT_SECONDS))
  until inside true 2>/dev/null; do
    [ $SECONDS -lt $until ] || { echo "no answer in $BOOT_SECONDS s: $(tail -n 5 "$FOLDER/console")" >&2; return 1; }
    sleep 0.2
  done
}

qemu() {
  local program=$1; shift
  QEMU_MODULE_DIR=$QEMU/usr/lib/x86_64-linux-gnu/qemu "$QEMU/usr/lib64/ld-linux-x86-64.so.2" \
    --library-path "$QEMU/usr/lib/x86_64-linux-gnu" "$QEMU/usr/bin/$program" "$@"
}

inside() {
  ssh -F none -qi "$FOLDER/key" -p "$PORT" -o UserKnownHostsFile="$FOLDER/hosts" -o StrictHostKeyChecking=accept-new \
    -o ConnectTimeout=20 -o ServerAliveInterval=20 -o ServerAliveCountMax=6 root@127.0.0.1 "$@"
}

reboot() {
  local before; before=$(inside cat /proc/sys/kernel/random/boot_id)
  inside systemctl reboot || true
  local until=$((SECONDS + BOOT_SECONDS)) now
  until now=$(inside cat /proc/sys/kernel/random/boot_id 2>/dev/null) && [ "$now" != "$before" ]; do
    [ $SECONDS -lt $until ] || { echo "not rebooted in $BOOT_SECONDS s" >&2; return 1; }
    sleep 0.5
  done
}

cut() {
  runs && kill -9 "$(cat "$FOLDER/pid")"
  local until=$((SECONDS + 10))
  while runs && [ $SECONDS -lt $until ]; do sleep 0.1; done
  rm -f "$FOLDER/pid"
}

# Without all that was written since the image was made.
down() {
  cut
  rm -f "$FOLDER/disk"
}

from() { { grep -hm1 '^URIs:' /etc/apt/sources.list.d/*.sources || grep -hm1 '^deb ' /etc/apt/sources.list | sed 's/\[[^]]*\]//'; } 2>/dev/null | awk '{print $2; exit}'; }

make_image() {
  command -v mmdebstrap >/dev/null || { apt-get update -q=2; DEBIAN_FRONTEND=noninteractive apt-get install -q=2 -y --no-install-recommends mmdebstrap >/dev/null; }
  mkdir -p "$FOLDER" && chmod 700 "$FOLDER"
  local seed=$FOLDER/seed tree=$FOLDER/tree settings=$FOLDER/apt.conf; rm -rf "$seed" "$tree" "$QEMU"
  # As this machine reaches its packages.
  apt-config dump | grep -E '^Acquire::(Check|https?:)' >"$settings" || true
  strap() { mmdebstrap --quiet --mode=root --aptopt='Apt::Install-Recommends "false"' --aptopt="$settings" "$@"; }
  strap --variant=extract --include=qemu-system-x86,qemu-utils "$SUITE" "$QEMU" "deb $(from) $SUITE main"
  [ -e "$FOLDER/key" ] || ssh-keygen -qt ed25519 -N '' -C test -f "$FOLDER/key"
  mkdir -p "$seed"/{root/.ssh,etc/systemd/network,etc/apt/apt.conf.d,usr/local/share/ca-certificates}; chmod 700 "$seed"/root{,/.ssh}
  cp "$FOLDER/key.pub" "$seed/root/.ssh/authorized_keys"
  cp /usr/local/share/ca-certificates/*.crt "$seed/usr/local/share/ca-certificates/" 2>/dev/null || true
  [ -e ~/.npmrc ] && grep -v '^nodedir' ~/.npmrc >"$seed/root/.npmrc" || true
  env | grep -iE '^(https?_proxy|no_proxy|npm_config_registry|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)=' >"$seed/etc/environment" || true
  cp "$settings" "$seed/etc/apt/apt.conf.d/99test"
  printf '[Match]\nName=en*\n[Network]\nDHCP=ipv4\n' >"$seed/etc/systemd/network/test.network"
  echo 'nameserver 10.0.2.3' >"$seed/etc/resolv.conf"; echo server >"$seed/etc/hostname"
  printf '127.0.0.1 localhost\n127.0.1.1 server\n::1 localhost\n' >"$seed/etc/hosts"
  echo '/dev/vda / ext4 errors=remount-ro,discard 0 1' >"$seed/etc/fstab"
  strap --variant=apt --include="$PACKAGES,linux-image-amd64,initramfs-tools" \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --essential-hook='mkdir -p "$1/etc/initramfs-tools/conf.d" && echo MODULES=list >"$1/etc/initramfs-tools/conf.d/test" && printf "virtio_pci\nvirtio_blk\next4\ncrc32c\n" >"$1/etc/initramfs-tools/modules"' \
    --customize-hook="cp -rT --preserve=mode '$seed' \"\$1\"; chroot \"\$1\" update-ca-certificates >/dev/null 2>&1; chroot \"\$1\" systemctl -q enable systemd-networkd ssh docker" \
    "$SUITE" "$tree" "deb $(from) $SUITE main"
  cp "$tree"/boot/vmlinuz-* "$FOLDER/vmlinuz"; cp "$tree"/boot/initrd.img-* "$FOLDER/initrd"
  rm -f "$FOLDER"/{image,disk}; truncate -s 24G "$FOLDER/image"
  mkfs.ext4 -qF -E lazy_itable_init=1,lazy_journal_init=1 -d "$tree" "$FOLDER/image"
  rm -rf "$tree" "$seed"; touch "$FOLDER/.whole"
}

case ${1:-} in
  up|reboot|cut|down) "$1" ;;
  in) inside "$2" ;;
  put) inside "mkdir -p '$2' && tar -xf - -C '$2'" ;;
  *) sed -n '2,3s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
