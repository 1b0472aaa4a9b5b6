import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { PartState } from '../../domain/part-states.ts'
import { type FreeSpace, readFreeSpace } from '../../storage/files/free-space.ts'
import { readSecretFile } from '../../storage/files/secret-file.ts'
import { diskReadiness, diskState } from '../disk-readiness.ts'
import { isFirewallInstalled, whyNoFirewall } from '../host-firewall/host-firewall.ts'
import type { MachineMemory } from '../machine-memory.mjs'
import { machineMemory } from '../machine-memory.mjs'
import { firewallPart } from '../roles/start-host-firewall.ts'
import { type Finding, fail, ofPart, ok, warn } from './finding.ts'

/** Below it a disk works, and the next image or backup may fill it. */
const LITTLE_DISK_MB = 2_048
const LITTLE_INODES = 50_000
/** What Berth with its database takes on an idle machine, and a container engine besides (docs/operating.md#memory). */
const MIN_MEMORY_MB = 900
/** What is left for apps and builds beside the cache of files. */
const LITTLE_MEMORY_MB = 128
const SYSTEMCTL_MS = 3_000

export const checkMemory = (): Finding => memoryFinding(machineMemory())

export function memoryFinding({ totalMb, availableMb, freeSwapMb }: MachineMemory): Finding {
  const found = `${totalMb} MB, of which ${availableMb} MB are available; ${freeSwapMb} MB of free swap`
  if (totalMb + freeSwapMb < MIN_MEMORY_MB)
    return warn('memory', found, `Add memory or swap: Berth, its database and an engine take ${MIN_MEMORY_MB} MB`)
  if (availableMb + freeSwapMb < LITTLE_MEMORY_MB)
    return warn('memory', found, 'Stop what else runs here, or add memory or swap')
  return ok('memory', found)
}

/** Of the data directory, or of the folder in which it will be made. */
export async function checkDataDisk(dataDir: string): Promise<Finding> {
  const folder = existsSync(dataDir) ? dataDir : join(dataDir, '..')
  const part = await diskReadiness(folder)
  return part.ready ? diskFinding('dataDisk', part, await readFreeSpace(folder)) : ofPart('dataDisk', part, '')
}

export async function checkEngineDisk(dataRoot: string): Promise<Finding> {
  try {
    const free = await readFreeSpace(dataRoot)
    const nextStep = 'Make room on the disk of the container engine: docker system df says what takes it.'
    return diskFinding('engineDisk', { ...diskState(free, 'the container engine'), nextStep }, free)
  } catch {
    return ok('engineDisk', `${dataRoot} cannot be seen from here`)
  }
}

export function diskFinding(name: string, part: PartState, free: FreeSpace): Finding {
  const { bytes, inodes } = free
  const found = `${(bytes / 1024 ** 3).toFixed(1)} GB free${inodes === null ? '' : `, ${inodes} inodes`}`
  const finding = ofPart(name, part, found)
  const isLittle = bytes < LITTLE_DISK_MB * 1024 ** 2 || (inodes ?? Number.POSITIVE_INFINITY) < LITTLE_INODES
  return finding.level === 'ok' && isLittle ? warn(name, found, 'Make room before images and backups fill it') : finding
}

/** Files that hold secrets, and the folder that has them. */
const SECRET_FILES = ['master-key', 'admin-token', 'postgres/password']

export function checkDataDirModes(dataDir: string): Finding {
  const name = 'dataDir'
  if (!existsSync(dataDir)) return ok(name, `${dataDir} is made at the first start`)
  const mode = statSync(dataDir).mode & 0o777
  if (mode & 0o022)
    return fail(name, `other users may write to ${dataDir} (mode ${inOctal(mode)})`, `Run: chmod 700 ${dataDir}`)
  for (const file of SECRET_FILES) {
    try {
      readSecretFile(join(dataDir, file))
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'EACCES')
        return warn(name, `this user may not read ${join(dataDir, file)}`, 'Run it as the user of Berth')
      const [problem = message, command = ''] = message.split(/ Berth does not start\. /)
      return fail(name, problem, `${command || 'Correct the file'}; until then Berth does not start`)
    }
  }
  if (mode & 0o055)
    return warn(name, `other users may list ${dataDir} (mode ${inOctal(mode)})`, `Run: chmod 700 ${dataDir}`)
  return ok(name, `${dataDir}, mode ${inOctal(mode)}, files with secrets 0600`)
}

const inOctal = (mode: number) => mode.toString(8).padStart(4, '0')

/** What the kernel has; the part of `/readyz` says what the worker last installed. */
export async function checkHostFirewall(config: Config, isRunning: boolean): Promise<Finding> {
  const name = 'hostFirewall'
  if (config.BERTH_HOST_FIREWALL === 'off') return ok(name, 'off (BERTH_HOST_FIREWALL)')
  const reason = whyNoFirewall(config, 'this command')
  const part = await firewallState(reason)
  // The worker installs them before it starts anything, and removes none when it ends: so Berth has not run here yet.
  if (!part.ready && reason === null && !isRunning) return ok(name, 'no rules yet; Berth installs them when it starts')
  const finding = ofPart(name, part, 'containers are kept away from services of this machine')
  return finding.level === 'fail' ? { ...finding, level: 'warn' } : finding
}

async function firewallState(reason: string | null): Promise<PartState> {
  if (reason !== null) return firewallPart(`The rules cannot be seen: ${reason}`)
  try {
    return firewallPart(
      (await isFirewallInstalled()) ? null : 'No rules keep containers away from services of this machine',
    )
  } catch (error) {
    return firewallPart((error as Error).message)
  }
}

export type ServiceState = 'no systemd' | 'enabled' | 'disabled' | 'not-found'

/** Whether Berth is started after a reboot. */
export async function readService(): Promise<ServiceState> {
  if (!existsSync('/run/systemd/system')) return 'no systemd'
  const state = await new Promise<string>((resolve) => {
    execFile('systemctl', ['is-enabled', 'berth'], { timeout: SYSTEMCTL_MS }, (_error, output) =>
      resolve(output.trim()),
    )
  })
  return state === 'enabled' || state === 'disabled' ? state : 'not-found'
}

export function serviceFinding(state: ServiceState, isRunning: boolean): Finding {
  const name = 'service'
  if (state === 'no systemd') return ok(name, 'this machine has no systemd, which would start Berth after a reboot')
  if (state === 'enabled')
    return isRunning
      ? ok(name, 'berth.service starts Berth after a reboot')
      : fail(
          name,
          'berth.service is enabled, and Berth does not run',
          'Read its log: journalctl -u berth; then run: npm run service -- restart',
        )
  const found = state === 'disabled' ? 'berth.service is not enabled' : 'there is no berth.service'
  return warn(name, `${found}: after a reboot, Berth is not started`, 'Run: npm run service -- install')
}
