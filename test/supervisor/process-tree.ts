import { readdirSync, readFileSync } from 'node:fs'

interface ListedProcess {
  pid: number
  parent: number
  command: string
}

/** Resident memory in MB: rss counts what processes share once for each of them, pss once for all. */
export interface Memory {
  rss: number
  pss: number
}

/** The processes with these ids and everything that descends from them. Reads /proc, so on Linux only. */
export function descendantsOf(...roots: number[]): ListedProcess[] {
  const all = listAll()
  const found = all.filter(({ pid }) => roots.includes(pid))
  // Grows while it is walked.
  for (const { pid } of found) found.push(...all.filter((one) => one.parent === pid && !found.includes(one)))
  return found
}

export function memoryOf(processes: readonly ListedProcess[]): Memory {
  let memory = { rss: 0, pss: 0 }
  for (const { pid } of processes) {
    const text = textOf(`/proc/${pid}/smaps_rollup`)
    const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024
    memory = { rss: memory.rss + megabytes('Rss'), pss: memory.pss + megabytes('Pss') }
  }
  return memory
}

function listAll(): ListedProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const status = textOf(`/proc/${name}/stat`)
      // The second field is a name in parentheses that may hold anything.
      const parent = Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1])
      const command = textOf(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim()
      return status ? [{ pid: Number(name), parent, command }] : []
    })
}

/** Empty when the process has ended meanwhile. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
