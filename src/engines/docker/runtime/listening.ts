import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { ImageInspectInfo } from 'dockerode'
import type { Listening } from '../../runtime/container-runtime.ts'
import { readTcpTable } from '../../runtime/tcp-table.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { statusOf } from '../engine-answers.ts'
import { getReplica } from './find-containers.ts'

/** The engine itself answers DNS queries inside of each container. */
const ENGINE_DNS = '127.0.0.11'

const PROGRAM_MS = 2_000

/**
 * Of a table: more than a thousand sockets, and the kernel lists first those that listen. A tenant may open a hundred
 * thousand, and reading them all would keep this process busy for seconds.
 */
const MAX_CHARACTERS = 256 * 1024

/**
 * The kernel's table of sockets in the container's network namespace: read on this machine if the container runs here,
 * and otherwise printed by the container's own `cat`. Null where neither can be had, as in an image without programs
 * on another machine.
 */
export async function readListening(
  engine: DockerEngine,
  name: string,
  signal: AbortSignal,
  processes = '/proc',
): Promise<Listening | null> {
  const { Id, Image, State } = await getReplica(engine, name, signal)
  const table = (await tableOnThisMachine(processes, Id, State.Pid)) ?? (await printedTable(engine, Id, signal))
  if (table === null) return null
  return {
    sockets: readTcpTable(table).filter(({ address }) => address !== ENGINE_DNS),
    declaredPorts: await declaredPorts(engine, Image, signal),
  }
}

/** The process id means another process where the engine runs on another machine, or Berth in a container. */
async function tableOnThisMachine(processes: string, containerId: string, pid: number): Promise<string | null> {
  if (!pid) return null
  try {
    const table = await beginningOf(createReadStream(`${processes}/${pid}/net/tcp`))
    const ofIpv6 = await beginningOf(createReadStream(`${processes}/${pid}/net/tcp6`)).catch(() => '')
    // Read last: an id that was given to another process meanwhile is noticed.
    const groups = await readFile(`${processes}/${pid}/cgroup`, 'utf8')
    return groups.includes(containerId) ? table + ofIpv6 : null
  } catch {
    return null
  }
}

/** A tenant's program, which may never end: that is no silence of the engine. */
async function printedTable(engine: DockerEngine, containerId: string, signal: AbortSignal): Promise<string | null> {
  const programTime = AbortSignal.timeout(PROGRAM_MS)
  const abortSignal = AbortSignal.any([signal, programTime])
  try {
    const container = engine.docker.getContainer(containerId)
    const cat = { Cmd: ['cat', '/proc/net/tcp', '/proc/net/tcp6'], AttachStdout: true, abortSignal }
    // With a terminal, the output comes as it is, and not in frames.
    const command = await container.exec({ ...cat, Tty: true })
    const output = (await command.start({ Tty: true, abortSignal })) as Readable
    const text = await beginningOf(output)
    const { ExitCode } = await command.inspect({ abortSignal })
    // 1: a kernel without IPv6 has one of the two tables only.
    return ExitCode === 0 || ExitCode === 1 ? text : null
  } catch (error) {
    // Without the program, or with a container that has ended, the engine refuses.
    if (statusOf(error) !== null || (programTime.aborted && !signal.aborted)) return null
    throw error
  }
}

async function beginningOf(output: Readable): Promise<string> {
  let text = ''
  for await (const chunk of output) {
    text += chunk
    if (text.length > MAX_CHARACTERS) break
  }
  output.destroy()
  return text
}

async function declaredPorts(engine: DockerEngine, image: string, signal: AbortSignal): Promise<number[]> {
  try {
    const found = await ask(engine, { path: `/images/${encodeURIComponent(image)}/json`, signal })
    return Object.keys((found as ImageInspectInfo).Config.ExposedPorts ?? {})
      .filter((port) => port.endsWith('/tcp'))
      .map((port) => Number.parseInt(port, 10))
  } catch (error) {
    // A container may outlive its image.
    if (statusOf(error) !== null) return []
    throw error
  }
}
