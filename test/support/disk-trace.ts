import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Why system calls cannot be traced here; null where they can. */
export function tracingProblem(): string | null {
  const { error, status, stderr } = spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true'])
  if (error) return `strace cannot be run: ${error.message}`
  return status === 0 ? null : `strace does not work: ${String(stderr).trim().split('\n')[0]}`
}

/** Whatever changes a file, its name, or what of both is on the disk. */
const CALLS = [
  'open',
  'openat',
  'creat',
  'write',
  'writev',
  'pwrite64',
  'pwritev',
  'pwritev2',
  'ftruncate',
  'truncate',
  'fallocate',
  'sendfile',
  'copy_file_range',
  'mkdir',
  'mkdirat',
  'rename',
  'renameat',
  'renameat2',
  'link',
  'linkat',
  'unlink',
  'unlinkat',
  'rmdir',
  'fsync',
  'fdatasync',
  'sync',
  'syncfs',
]

/** The program and all that it starts, traced into the file. Of what is written the trace has the length alone. */
export function spawnTraced(
  log: string,
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): { child: ChildProcess; ended: Promise<number | null>; said(): string } {
  const strace = ['-f', '--seccomp-bpf', '-y', '-s', '0', '-e', `trace=${CALLS}`, '-e', 'signal=none', '-o', log]
  // A group of its own, so that it can be killed with all that it traces.
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const child = spawn('strace', [...strace, program, ...args], { env, stdio: [...stdio], detached: true })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      text += chunk
    })
  return { child, said: () => text, ended: once(child, 'close').then(([code]) => code as number | null) }
}

interface Call {
  name: string
  args: string
  result: string
  /** Its number in the order of beginnings: a sync covers what was written before it began. */
  begunAt: number
}

/** What of a folder is in memory only, by the calls of all processes that changed something in it. */
export class DiskTrace {
  readonly #root: string
  #clock = 0
  /** When content was last changed, and a name last given, without a sync since. */
  #contents = new Map<string, number>()
  #names = new Map<string, number>()
  /** Files that got their name before their content was on the disk. */
  #early = new Set<string>()

  constructor(root: string) {
    this.#root = root
  }

  /** Adds what a traced program did after those before it. */
  read(log: string): void {
    for (const call of callsIn(readFileSync(log, 'utf8'), () => ++this.#clock)) this.#apply(call)
  }

  /** What is wrong with each path that is there and must last; paths are relative to the root, `.` is the root itself. */
  unsynced(isMadeAgain: (path: string) => boolean): { lasting: string[]; unsynced: string[] } {
    const lasting = pathsIn(this.#root).filter((path) => !isMadeAgain(path))
    const unsynced = lasting.flatMap((path) => {
      const full = join(this.#root, path)
      const faults = [
        ...(this.#contents.has(full) ? ['its content is not synced'] : []),
        ...(this.#names.has(full) ? ['its folder is not synced since it got its name'] : []),
        ...(this.#early.has(full) ? ['it got its name before its content was synced'] : []),
      ]
      return faults.length > 0 ? [`${path}: ${faults.join(', ')}`] : []
    })
    return { lasting, unsynced }
  }

  #apply({ name, args, result, begunAt }: Call): void {
    if (result.startsWith('-1') || result.startsWith('?')) return
    const [path = '', to = ''] = quotedIn(args)
    const descriptor = /^\d+<([^>]*)>/.exec(args)?.[1] ?? ''
    if (/^(open|openat|creat)$/.test(name)) {
      const opened = /<([^>]*)>/.exec(result)?.[1] ?? path
      if (!/O_CREAT/.test(args) && name !== 'creat') return
      if (!this.#isOurs(opened)) return
      // A file that was there is emptied, or left as it is; a new one has a name that nothing has synced.
      this.#contents.set(opened, this.#clock)
      if (!this.#names.has(opened) && !this.#known.has(opened)) this.#names.set(opened, this.#clock)
      this.#known.add(opened)
    } else if (/^(write|writev|pwrite|ftruncate|fallocate|sendfile|copy_file)/.test(name)) {
      const written = name === 'copy_file_range' ? ([...args.matchAll(/\d+<([^>]*)>/g)][1]?.[1] ?? '') : descriptor
      if (this.#isOurs(written)) this.#contents.set(written, this.#clock)
    } else if (/^mkdir/.test(name)) {
      if (this.#isOurs(path)) this.#names.set(path, this.#clock)
      this.#known.add(path)
    } else if (/^rename/.test(name)) this.#rename(path, to)
    else if (/^link/.test(name)) this.#link(path, to)
    else if (/^(unlink|rmdir)/.test(name)) this.#remove(path)
    else if (/^f(data)?sync$/.test(name)) this.#sync(descriptor, begunAt)
    else if (/^sync/.test(name)) for (const kept of [this.#contents, this.#names]) kept.clear()
  }

  readonly #known = new Set<string>()

  #isOurs(path: string): boolean {
    return path === this.#root || path.startsWith(`${this.#root}/`)
  }

  #rename(from: string, to: string): void {
    if (!this.#isOurs(to)) return
    this.#remove(to)
    this.#nameNow(from, to)
    // A folder takes along what is in it.
    for (const kept of [this.#contents, this.#names])
      for (const [path, at] of [...kept]) {
        if (path !== from && !path.startsWith(`${from}/`)) continue
        kept.delete(path)
        if (path !== from || kept === this.#contents) kept.set(to + path.slice(from.length), at)
      }
    for (const path of [...this.#known]) if (path.startsWith(`${from}/`)) this.#known.add(to + path.slice(from.length))
  }

  #link(from: string, to: string): void {
    if (!this.#isOurs(to)) return
    this.#nameNow(from, to)
    // One file with two names: it is synced by either.
    const at = this.#contents.get(from)
    if (at !== undefined) this.#contents.set(to, at)
  }

  #nameNow(from: string, to: string): void {
    this.#known.add(to)
    this.#names.set(to, this.#clock)
    for (const path of this.#contents.keys())
      if (path === from || path.startsWith(`${from}/`)) this.#early.add(to + path.slice(from.length))
  }

  #remove(path: string): void {
    for (const kept of [this.#contents, this.#names, this.#early, this.#known])
      for (const each of kept.keys()) if (each === path || each.startsWith(`${path}/`)) kept.delete(each)
  }

  #sync(path: string, begunAt: number): void {
    if ((this.#contents.get(path) ?? Number.POSITIVE_INFINITY) <= begunAt) this.#contents.delete(path)
    for (const [name, at] of this.#names) if (dirname(name) === path && at <= begunAt) this.#names.delete(name)
  }
}

/** In the order of their ends; a call that another thread’s interrupted in the log is put together again. */
function* callsIn(text: string, tick: () => number): Generator<Call> {
  const begun = new Map<string, { name: string; args: string; begunAt: number }>()
  for (const line of text.split('\n')) {
    const [, pid = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const at = tick()
    const resumed = /^<\.\.\. (\w+) resumed>(.*?)\)?\s+= (.*)$/.exec(rest)
    if (resumed) {
      const start = begun.get(pid)
      if (start) yield { ...start, args: start.args + (resumed[2] ?? ''), result: resumed[3] ?? '' }
      continue
    }
    const [, name = '', after = ''] = /^(\w+)\((.*)$/.exec(rest) ?? []
    if (name === '') continue
    if (after.endsWith('<unfinished ...>'))
      begun.set(pid, { name, args: after.slice(0, -'<unfinished ...>'.length), begunAt: at })
    else {
      const [, args = '', result = ''] = /^(.*)\)\s+= (.*)$/.exec(after) ?? []
      yield { name, args, result, begunAt: at }
    }
  }
}

const quotedIn = (args: string): string[] => [...args.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text)

/** Everything in the folder and the folder itself, without what cannot be written: sockets. */
function pathsIn(root: string): string[] {
  if (!existsSync(root)) return []
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => {
    const stat = lstatSync(join(root, path))
    return stat.isFile() || stat.isDirectory()
  })
  return ['.', ...found.map((path) => relative(root, join(root, path)))].toSorted()
}
