import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { connectable, urlHost } from '../../domain/listen-address.ts'
import { PART_STATES, type PartFault } from '../../domain/part-states.ts'
import type { ReportedPart } from '../../server/health.ts'
import { listProcesses } from '../process-registry/list-processes.ts'
import { type ProcessInfo, readProcessInfo } from '../process-registry/process-info.ts'
import { openRegistryDirectory } from '../process-registry/registry-directory.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const ANSWER_MS = 4_000

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

/** The processes on the data directory. This command is none of them, and leaves no folder where there was none. */
export async function livingProcesses(dataDir: string): Promise<ProcessInfo[]> {
  if (!existsSync(join(dataDir, 'processes'))) return []
  return (await listProcesses(openRegistryDirectory(dataDir), '')).living
}

export function processFindings(living: readonly ProcessInfo[]): Finding[] {
  if (living.length === 0) return [warn('berth', 'does not run on this data directory', 'Start it: npm start')]
  return [ok('berth', living.map(readProcessInfo).join('; '))]
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
export const readyzFinding = (living: readonly ProcessInfo[], parts: Record<string, ReportedPart>): Finding[] => {
  if (living.length === 0 || Object.keys(parts).length > 0) return []
  const isServed = living.some(({ apiUrl }) => apiUrl !== null)
  return isServed
    ? [fail('readyz', 'no process answers it', 'Read the log of Berth, and see whether the machine is overloaded')]
    : [warn('readyz', 'these processes have no port for it', 'Set BERTH_HEALTH_PORT')]
}
