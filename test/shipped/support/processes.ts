import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

/** A process of this machine whose working folder, program or arguments lie in a folder. Reads /proc. */
export interface FoundProcess {
  pid: number
  command: string
}

/** A database of its own in a copy, which is not Berth's. */
export const EXTERNAL_DATABASE = '.external-database'

/** Everything that runs in or from a folder. */
export const processesOf = (folder: string): FoundProcess[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), command: commandOf(name) }))
    .filter(({ pid, command }) => command !== '' && (command.includes(folder) || isWithin(folderOf(pid), folder)))

/** npm, the processes of Berth, and the PostgreSQL that it brought. */
export function processesOfBerth(folder: string): FoundProcess[] {
  const external = processesOf(join(folder, EXTERNAL_DATABASE)).map(({ pid }) => pid)
  return processesOf(folder).filter(({ pid }) => !external.includes(pid))
}

/** SIGKILL to all of them, until none is left. */
export async function endProcessesOf(folder: string): Promise<void> {
  await eventually(`no process of ${folder}`, () => {
    const found = processesOf(folder)
    for (const { pid } of found) kill(pid)
    return found.length === 0
  })
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

/** Empty for a process that has ended, also while its parent has not asked for its end. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}
