import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Docker from 'dockerode'
import { leftovers } from '../../scripts/engine-leftovers.ts'
import { removeEverything } from './remove-everything.ts'

/** Set by the global setup: the folder of the run, which the next run finds if this one is killed. */
export const RUN_FOLDER = 'BERTH_TEST_RUN_FOLDER'
const FILE_NAME = 'installations'

const recorded = new Set<string>()

/**
 * Records that a test uses the machine's engine under this installation id, so that what a killed run leaves there can
 * be told from what belongs to a Berth of the same machine. Without a run, as in `npm run prove`, it does nothing.
 */
export function recordInstallation(installationId: string): void {
  const folder = process.env[RUN_FOLDER]
  if (!folder || recorded.has(installationId)) return
  recorded.add(installationId)
  appendFileSync(join(folder, FILE_NAME), `${installationId}\n`)
}

/** Removes what the installations of a run have left on the engine. Returns what that was, in words. */
export async function removeRecorded(folder: string): Promise<string[]> {
  const ours = new Set(read(join(folder, FILE_NAME)).split('\n').filter(Boolean))
  if (ours.size === 0) return []
  const docker = new Docker()
  const left = (await leftovers(docker, { label: ['berth.installation'] })).filter(({ installationId }) =>
    ours.has(installationId),
  )
  for (const installationId of new Set(left.map((one) => one.installationId))) {
    await removeEverything(docker, installationId)
  }
  return left.map(({ kind, name, installationId }) => `${kind} ${name} of ${installationId}`)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
