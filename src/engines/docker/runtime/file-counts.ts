import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { inParallel } from '../../runtime/in-parallel.ts'
import type { DockerEngine } from '../connection.ts'
import { findContainer, listReplicas } from './find-containers.ts'

const run = promisify(execFile)
const AT_ONCE = 2

/**
 * Counts what is in the writable layers of containers, where engine and worker are on one machine and the worker is root. The
 * engine itself counts bytes alone.
 */
export async function readFileCounts(engine: DockerEngine, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const listed = await listReplicas(engine, {}, signal)
  const counting = listed.map(({ Id }) => async () => {
    const found = await findContainer(engine, Id, signal)
    const layer = found?.State.Pid ? await writableLayer(found.State.Pid) : null
    if (layer) counts.set(Id, await countFiles(layer, signal))
  })
  await inParallel(counting, AT_ONCE, (work) => work())
  return counts
}

/** As the kernel has it mounted, whichever store the engine has. */
async function writableLayer(pid: number): Promise<string | null> {
  const mounts = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')
  const root = mounts.split('\n').find((line) => line.split(' ')[4] === '/' && line.includes(' - overlay '))
  return /[ ,]upperdir=([^, ]+)/.exec(root ?? '')?.[1] ?? null
}

async function countFiles(folder: string, signal: AbortSignal): Promise<number> {
  const { stdout } = await run('nice', ['du', '--inodes', '-sx', folder], { signal })
  return Number.parseInt(stdout, 10) || 0
}
