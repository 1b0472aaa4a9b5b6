// What runs in a builder for one build: POSIX shell, with the programs of Busybox.

/**
 * Unpacks the context that comes in. `$1`: the build's folder, `$2`: the Dockerfile in the archive, which is not for the
 * image, `$3`: the folder of bases, then the names of those that are wanted: it says which of them are there already. An ignore
 * file beside the Dockerfile goes before that of the context, which was applied when the context was packed.
 * `-m`: contexts are compared by size and time, and all files of a packed one have the same time. Without a mask: modes are
 * those of the source.
 */
export const PREPARE = `
folder=$1 dockerfile=$2 bases=$3; shift 3
rm -rf "$folder" && mkdir -p "$folder/context" "$folder/dockerfile" &&
(umask 0; tar x -m -C "$folder/context") && mv "$folder/context/$dockerfile" "$folder/dockerfile/Dockerfile" &&
echo '# What is ignored is not in the context.' > "$folder/dockerfile/Dockerfile.dockerignore" || exit 1
for base; do echo "$base $(cat "$bases/$base/digest" 2>/dev/null)"; done`

/**
 * After a build: `$1`: its folder, `$2`: its secrets, `$3`: its export, `$4`: how many exports are kept, then the blobs of
 * its image, if there is one. Its own export is being sent and stays, however old it looks: Busybox compares seconds, in
 * which failed builds begin several exports. Prints how large the cache is.
 */
export const CLEAN_UP = `
rm -rf "$1" "$2"; export=$3 kept=$4; shift 4
[ $# != 0 ] || rmdir "$export/blobs/sha256" "$export/blobs" "$export" 2>/dev/null
[ $# != 0 ] && [ -d "$export" ] || exit 0
blobs=" $* "
for blob in "$export"/blobs/sha256/*; do case "$blobs" in *" \${blob##*/} "*) ;; *) rm -f "$blob" ;; esac; done
(cd "\${export%/*}" && ls -t | grep -vxF "\${export##*/}" | tail -n "+$kept" | xargs -r rm -rf)
buildctl du | tail -n 1`

/** Bytes in what `buildctl du` sums up: `Total: 1.25GB`. */
export function cacheBytesIn(printed: string): number {
  const [, number = '0', unit = ''] = /([\d.]{1,20})\s?([kMGT]?)B\s*$/.exec(printed) ?? []
  return Math.round(Number(number) * 1000 ** ['', 'k', 'M', 'G', 'T'].indexOf(unit))
}

/** Begins a line of `BUILD` that no step can print: what those print comes in messages of JSON. */
export const REPORT = 'berth:'

/**
 * Runs `buildctl` with the arguments after the first four, and reports what came of it. Closing a command's connection ends
 * nothing in a container but its input, so the program ends with that: of a build that is cancelled, too late, or whose
 * worker died. It also ends when the layers that are new have more than `$1` KB. `$2`: the build's folder, `$3`: where the
 * image is exported, `$4`: its name, `$5`: folders of its bases.
 *
 * The daemon's own exporter would copy each layer once more, through its client. So the image is only put together, and its
 * blobs are linked where the daemon and the bases have them; where one is missing, the exporter writes them all.
 */
export const BUILD = `
limit=$1 folder=$2 export=$3 name=$4 bases=$5; shift 5
mkdir -p "$export/blobs/sha256" && touch "$export"
report() { printf '\\n${REPORT}%s %s\\n' "$1" "$2"; }
snapshots() { ls -d "$HOME"/.local/share/buildkit/runc-*/snapshots/snapshots/* 2>/dev/null; }
before=" $(snapshots | tr '\\n' ' ') "
written() {
  fresh=
  for one in $(snapshots); do case "$before" in *" $one "*) ;; *) fresh="$fresh $one" ;; esac; done
  if [ "$fresh" ]; then du -skc $fresh 2>/dev/null | tail -n 1 | cut -f 1; else echo 0; fi
}
# As both versions of control groups count them.
kills() { cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null | sed -n 's/^oom_kill //p'; }
kills_before=$(kills)
# How often no process could begin.
refused() { cat /sys/fs/cgroup/pids.events /sys/fs/cgroup/pids/pids.events 2>/dev/null | sed -n 's/^max //p'; }
refused_before=$(refused)
cpu() { cat /sys/fs/cgroup/cpu.stat /sys/fs/cgroup/cpuacct/cpuacct.usage 2>/dev/null | tr '\\n' ' '; }
memory() {
  cat /sys/fs/cgroup/memory.current /sys/fs/cgroup/memory/memory.usage_in_bytes 2>/dev/null
  cat /sys/fs/cgroup/memory.stat /sys/fs/cgroup/memory/memory.stat 2>/dev/null
}
report cpuBefore "$(cpu)"
content=$(ls -d "$HOME"/.local/share/buildkit/runc-*/content 2>/dev/null)
linked() {
  [ -e "$export/blobs/sha256/$1" ] && return
  for store in "$content" $bases; do ln "$store/blobs/sha256/$1" "$export/blobs/sha256" 2>/dev/null && return; done
  return 1
}
link_image() {
  manifest=$(digest containerimage.digest)
  linked "$manifest" || return
  for blob in $(grep -o 'sha256:[0-9a-f]*' "$export/blobs/sha256/$manifest"); do linked "\${blob#sha256:}" || return; done
}
digest() { sed -n "s/.*\\"$1\\": *\\"sha256:\\([0-9a-f]*\\)\\".*/\\1/p" "$folder/metadata.json" | head -n 1; }
encoded() { base64 < "$export/$1" | tr -d '\\n'; }
exec 3<&0
buildctl "$@" --metadata-file "$folder/metadata.json" --output "type=image,compression=uncompressed,name=$name" </dev/null 3<&- 2>&1 & build=$!
{ cat >/dev/null; kill $build; } <&3 >/dev/null 2>&1 & watch=$!
exec 3<&-
while sleep 0.5; do
  if [ "$(written)" -gt "$limit" ]; then : > "$folder/too-large"; kill $build; break; fi
done </dev/null >/dev/null 2>&1 & disk=$!
wait $build; code=$?
kill $watch $disk 2>/dev/null
report writtenKb "$(written)"
report kills "$(($(kills) - kills_before))"
refused=$(refused)
report refused "$((\${refused:-0} - \${refused_before:-0}))"
report cpu "$(cpu)"
report memory "$(memory | tr '\\n' ' ')"
if [ -e "$folder/too-large" ]; then report tooLarge true; fi
if [ $code = 0 ] && ! link_image; then
  buildctl "$@" --metadata-file "$folder/metadata.json" --output "type=docker,tar=false,compression=uncompressed,dest=$export,name=$name" >/dev/null 2>&1 </dev/null
  code=$?
fi
if [ $code = 0 ]; then
  report manifest "$(encoded "blobs/sha256/$(digest containerimage.digest)")"
  report config "$(encoded "blobs/sha256/$(digest containerimage.config.digest)")"
fi
exit $code`

/** What `BUILD` has reported, by name. */
export class BuildReport {
  readonly #values = new Map<string, string>()

  /** False for a line that is none. */
  read(line: string): boolean {
    if (!line.startsWith(REPORT)) return false
    const [name = '', ...value] = line.slice(REPORT.length).split(' ')
    this.#values.set(name, value.join(' ').trim())
    return true
  }

  get isTooLarge(): boolean {
    return this.#values.has('tooLarge')
  }

  /** Whether a step was killed for memory. Not known of steps with a group of their own, as a builder that is root makes. */
  get hasKilled(): boolean {
    return this.#number('kills') > 0
  }

  /** Whether a process could not begin, because there were as many as a build may have. */
  get wasRefusedProcesses(): boolean {
    return this.#number('refused') > 0
  }

  get writtenBytes(): number {
    return this.#number('writtenKb') * 1024
  }

  get cpuSeconds(): number {
    return cpuSecondsIn(this.#text('cpu')) - cpuSecondsIn(this.#text('cpuBefore'))
  }

  /** Memory in use when it ended, without what the kernel can drop. */
  get memoryBytes(): number {
    const [usage = '0', ...pairs] = this.#text('memory').split(' ')
    const stats = Object.fromEntries(
      pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, Number(pairs[at + 1])] as const] : [])),
    )
    return heldBytes(Number(usage), stats)
  }

  /** A file of the exported image, as it was written. */
  file(name: 'manifest' | 'config'): Buffer {
    const encoded = this.#values.get(name)
    if (!encoded) throw new Error(`The builder has exported no image: its ${name} is missing`)
    return Buffer.from(encoded, 'base64')
  }

  #text(name: string): string {
    return this.#values.get(name) ?? ''
  }

  #number(name: string): number {
    return Number(this.#values.get(name)) || 0
  }
}

/** `usage_usec 43541 …` of version 2 of control groups, nanoseconds alone of version 1. */
function cpuSecondsIn(text: string): number {
  const microseconds = /^usage_usec (\d+)/.exec(text)?.[1]
  return microseconds === undefined ? (Number(text) || 0) / 1e9 : Number(microseconds) / 1e6
}

/** What the kernel cannot get back by dropping files of its cache. Both versions of control groups know these words. */
export function heldBytes(usage: number, stats: Readonly<Record<string, number>>): number {
  const files = (list: 'active_file' | 'inactive_file') => stats[`total_${list}`] ?? stats[list] ?? 0
  return Math.max(0, usage - files('active_file') - files('inactive_file') - (stats.slab_reclaimable ?? 0))
}
