import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { ReportedPart } from '../../api/server/health.ts'
import type { Config } from '../../config/config.ts'
import { connectable, urlHost } from '../../domain/listen-address.ts'
import { PART_STATES, type PartFault } from '../../domain/part-states.ts'
import { askProcesses } from '../process-registry/list-processes.ts'
import { listeningProcess } from '../process-registry/listening-process.ts'
import { type ProcessInfo, readProcessInfo } from '../process-registry/process-info.ts'
import { openRegistryDirectory } from '../process-registry/registry-directory.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const ANSWER_MS = 4_000
const SECOND_ANSWER_MS = 5_000

const READYZ = z.object({
  parts: z.record(
    z.string(),
    z.object({
      ready: z.boolean(),
      state: z.enum(['READY', ...(Object.keys(PART_STATES) as PartFault[])]),
      reason: z.string().nullable(),
      nextStep: z.string().nullable(),
      isRequired: z.boolean(),
    }),
  ),
})

export interface FoundProcesses {
  living: readonly ProcessInfo[]
  /** Those that do not answer, by their process ids; null where that cannot be seen. They may be busy or paused, and hold what they hold. */
  silent: readonly (number | null)[]
}

/** The processes on the data directory. This command is none of them, and leaves no folder where there was none. */
export async function findProcesses(dataDir: string): Promise<FoundProcesses> {
  if (!existsSync(join(dataDir, 'processes'))) return { living: [], silent: [] }
  const directory = openRegistryDirectory(dataDir)
  const first = await askProcesses(directory)
  if (first.silent.length === 0) return { living: first.living, silent: [] }
  // A busy one answers late.
  const again = await askProcesses(directory, { among: first.silent, answerMs: SECOND_ANSWER_MS })
  return { living: [...first.living, ...again.living], silent: again.silent.map(listeningProcess) }
}

export function processFindings({ living, silent }: FoundProcesses, hasService: boolean): Finding[] {
  if (silent.length > 0)
    return [
      fail(
        'berth',
        `${namesOf(silent)} gave no answer within ${SECOND_ANSWER_MS / 1000} s`,
        helpFor(silent, hasService),
      ),
    ]
  if (living.length === 0)
    return [
      warn(
        'berth',
        'does not run on this data directory',
        hasService ? 'Start it: npm run service -- restart' : 'Start it: npm start',
      ),
    ]
  return [ok('berth', living.map(readProcessInfo).join('; '))]
}

/** Such as `process 712 of Berth`. */
export const namesOf = (silent: FoundProcesses['silent']): string =>
  silent.map((pid) => (pid === null ? 'a process of Berth' : `process ${pid} of Berth`)).join(', ')

/** Never to end it: it may be at work, and a supervisor restarts what has died by itself. */
export function helpFor(silent: FoundProcesses['silent'], hasService: boolean): string {
  const pids = silent.filter((pid) => pid !== null)
  const resume = pids.length > 0 ? `, or resume it if it was paused (kill -CONT ${pids.join(' ')})` : ''
  const restart = hasService
    ? 'if it stays so: npm run service -- restart'
    : 'if it stays so, read its log where npm start runs'
  return `See whether the machine is overloaded${resume}; ${restart}`
}

/** The parts of `/readyz` of all processes that answer it, by name. */
export async function readReadyz(
  config: Config,
  living: readonly ProcessInfo[],
): Promise<Record<string, ReportedPart>> {
  const ports = [...new Set(living.flatMap((process) => process.ports))].filter((port) => port !== config.INGRESS_PORT)
  const answers = await Promise.all(ports.map((port) => partsAt(config, port)))
  return Object.assign({}, ...answers)
}

async function partsAt(config: Config, port: number): Promise<Record<string, ReportedPart>> {
  try {
    const url = `http://${urlHost(connectable(config.HOST))}:${port}/readyz`
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
    return READYZ.parse(await answer.json()).parts
  } catch {
    // A port of the ingress, or a process of another version.
    return {}
  }
}

/** Whether `/readyz` answered at all. */
export function readyzFinding(
  living: readonly ProcessInfo[],
  parts: Record<string, ReportedPart>,
  hasService: boolean,
): Finding[] {
  if (living.length === 0 || Object.keys(parts).length > 0) return []
  const isServed = living.some(({ apiUrl }) => apiUrl !== null)
  return isServed
    ? [fail('readyz', 'no process answers it', helpFor([], hasService))]
    : [warn('readyz', 'these processes have no port for it', 'Set BERTH_HEALTH_PORT')]
}
