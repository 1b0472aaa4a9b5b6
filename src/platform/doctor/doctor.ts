import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReportedPart } from '../../api/server/health.ts'
import type { Config } from '../../config/config.ts'
import { looksLikeServer, reachableAddresses } from '../reachable-addresses.ts'
import { checkCertificates } from './certificate.ts'
import { checkDatabase } from './database.ts'
import { checkEngine, readEngine } from './engine.ts'
import { type Finding, ofReportedPart, ok, warn } from './finding.ts'
import {
  checkDataDirModes,
  checkDataDisk,
  checkHostFirewall,
  checkMemory,
  readService,
  serviceFinding,
} from './machine.ts'
import { checkNames } from './names.ts'
import { checkPorts } from './ports.ts'
import { findProcesses, processFindings, readReadyz, readyzFinding } from './processes.ts'
import { askRegistry, registryFindings } from './registry.ts'

/** A check may wait for what three calls answer, each of which has less. */
const CHECK_MS = 12_000
/** Where no worker runs here, nothing of Berth calls an engine. */
const OF_WORKERS = new Set(['engine', 'cgroup', 'engineDisk', 'registry', 'registryClock', 'hostFirewall'])

/** Runs every check at once. Changes nothing, and needs neither a running Berth nor an engine. */
export async function examine(config: Config): Promise<Finding[]> {
  const dataDir = resolve(config.BERTH_DATA_DIR)
  const own = reachableAddresses()
  const isServer = looksLikeServer()
  const processes = findProcesses(dataDir).catch(() => ({ living: [], silent: [] }))
  const service = readService()
  const hasService = service.then((state) => state === 'enabled')
  const engine = readEngine(config)
  const mirrors = engine.then((facts) => ('machine' in facts ? facts.machine.mirrors : []))
  const parts = processes.then(({ living }) => readReadyz(config, living))
  const isRunning = processes.then(({ living, silent }) => living.length + silent.length > 0)

  const checks: Record<string, Promise<Finding | Finding[]>> = {
    berth: Promise.all([processes, hasService]).then(([found, withService]) => processFindings(found, withService)),
    readyz: Promise.all([processes, parts, hasService]).then(([{ living }, found, withService]) =>
      readyzFinding(living, found, withService),
    ),
    service: Promise.all([service, isRunning]).then(([state, runs]) => serviceFinding(state, runs)),
    database: checkDatabase(config, dataDir),
    names: Promise.all(checkNames(config, own)),
    ports: Promise.all([processes, hasService]).then(([found, withService]) =>
      Promise.all(checkPorts(config, { own, isServer, found, hasService: withService })),
    ),
    certificates: Promise.all(checkCertificates(config)),
    engine: checkEngine(config, engine),
    registry: mirrors.then(askRegistry).then(registryFindings),
    hostFirewall: isRunning.then((runs) => checkHostFirewall(config, runs)),
    memory: Promise.resolve(checkMemory()),
    dataDisk: checkDataDisk(dataDir),
    dataDir: Promise.resolve(checkDataDirModes(dataDir)),
  }
  const found = await Promise.all(Object.entries(checks).map(([name, check]) => inTime(name, check)))
  const isWorker = config.BERTH_ROLES.includes('worker')
  const ofRoles = found.flat().filter(({ name }) => isWorker || !OF_WORKERS.has(name))
  return withParts(ofRoles, await parts)
}

/** A check that hangs or breaks is a finding like any other. */
async function inTime(name: string, check: Promise<Finding | Finding[]>): Promise<Finding[]> {
  const late = sleep(CHECK_MS, null, { ref: false })
  try {
    const found = await Promise.race([check, late])
    if (found) return [found].flat()
    const nextStep = 'See whether the machine is overloaded, and run this again'
    return [{ ...warn(name, `gave no answer within ${CHECK_MS / 1000} s`, nextStep), state: 'NO_ANSWER' }]
  } catch (error) {
    return [warn(name, `could not be checked: ${(error as Error).message}`, 'Report this with what it says')]
  }
}

/**
 * The processes that run know more of what they use than a look from outside. A part with which something is wrong
 * replaces the finding of the same name; what is well keeps the finding, which has numbers.
 */
export function withParts(found: readonly Finding[], parts: Record<string, ReportedPart>): Finding[] {
  const names = new Set(found.map(({ name }) => name))
  const replaced = found.map((finding) => {
    const part = parts[finding.name]
    if (!part) return finding
    if (part.state !== 'READY') return ofReportedPart(finding.name, part)
    // The connection that counts is theirs: this command may have other settings, or one connection too many.
    return finding.name === 'database' && finding.level !== 'ok'
      ? ok('database', `answers the processes that run; this command could not ask it itself: ${finding.found}`)
      : finding
  })
  const further = Object.entries(parts).filter(([name]) => !names.has(name))
  return [...replaced, ...further.map(([name, part]) => ofReportedPart(name, part))]
}
