import { type ComponentBuild, type ContainerSettings, IMAGE, readContainerSettings } from '../solution.ts'
import { type ComposeFolder, readBuild } from './compose-build.ts'
import { type ComposeHealthCheck, readHealthCheck } from './compose-health-check.ts'
import { type ComposeMounts, readMounts } from './compose-mounts.ts'
import { type ComposePorts, readPorts } from './compose-ports.ts'
import { booleanOf, type ComposeProblems, type Fields, isObject, textOf, textsOf } from './compose-problems.ts'
import { readBoolean, readMegabytes, readSeconds, readWhole } from './compose-units.ts'
import { checkWords, wordsOf } from './compose-words.ts'

/** What is read of a service, before names of other services in its variables mean anything. */
export interface ComposeService {
  name: string
  image: string
  /** In place of the image. */
  build: ComponentBuild | null
  variables: Record<string, string>
  ports: ComposePorts
  mounts: ComposeMounts
  containers: number
  /** Null: as many as a container has that says nothing. */
  size: { cpu: number | null; memoryMb: number | null }
  /** Without a command: arguments of the image's own entry point. */
  command: { command: string | null; args: string[] } | null
  workingDir: string | null
  settings: ContainerSettings
  healthCheck: ComposeHealthCheck
  /** By which other services reach it, besides its name. */
  aliases: string[]
  dependsOn: string[]
  /** Of them, those that may be absent. */
  optional: string[]
  /** Those of which another service waits for the end. */
  waitsForEndOf: string[]
  /** What the file says, such as `no` and `always`. */
  restart: string | null
  /** Names that it has for other services. */
  links: { service: string; alias: string }[]
}

const MAX_CONTAINERS = 10
const CPU = { min: 0.1, max: 64 }
const MEMORY_MB = { min: 64, max: 65_536 }
const SHARED_MEMORY_MB = { min: 1, max: 65_536 }
const STOP_GRACE_SECONDS = 3600
const MAX_ULIMIT = 999_999_999_999_999
const MAX_ALIASES = 20
/** As RFC 1123 has names of hosts, with the underscores that compose allows. */
const NETWORK_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/

export function readService(
  name: string,
  read: unknown,
  { given, folder }: { given: Readonly<Record<string, string>>; folder: ComposeFolder | null },
  problems: ComposeProblems,
): ComposeService {
  const place = `services.${name}`
  const fields: Fields = isObject(read) ? read : {}
  if (
    fields.image === undefined &&
    fields.build === undefined &&
    !problems.isAt(place) &&
    !problems.has(`${place}.image`)
  )
    problems.add(`${place}.image`, 'is required')
  const build = readBuild(fields, folder, given, place, problems)
  if (build && fields.image !== undefined)
    problems.addNoEffect(`${place}.image`, 'the image is built, and called by Berth')
  else if (typeof fields.image === 'string' && !IMAGE.test(fields.image))
    problems.add(`${place}.image`, 'must be an image, such as nginx:1.27 or registry.example.com/team/app:2')
  const { dependsOn, optional, waitsForEndOf } = dependenciesOf(fields.depends_on)
  const links = linksOf(fields.links, `${place}.links`, problems)
  const mounts = readMounts(fields, place, problems)
  return {
    name,
    image: build ? '' : (textOf(fields.image) ?? ''),
    build,
    variables: variablesOf(fields.environment, `${place}.environment`, given, problems),
    ports: readPorts(fields.ports, fields.expose, place, problems),
    mounts,
    containers: replicasOf(fields, place, problems),
    size: sizeOf(fields, place, problems),
    command: commandOf(fields, place, problems),
    workingDir: pathOf(fields.working_dir, `${place}.working_dir`, problems),
    settings: settingsOf(fields, mounts.tmpfs, place, problems),
    healthCheck: readHealthCheck(fields.healthcheck, `${place}.healthcheck`, problems),
    aliases: aliasesOf(fields, place, problems),
    dependsOn: [...new Set([...dependsOn, ...links.map(({ service }) => service)])],
    optional,
    waitsForEndOf,
    restart: textOf(fields.restart),
    links,
  }
}

/** A variable without a value has that of the call, as it has that of the shell in compose. */
function variablesOf(
  environment: unknown,
  place: string,
  given: Readonly<Record<string, string>>,
  problems: ComposeProblems,
): Record<string, string> {
  const entries: [string, unknown][] = isObject(environment)
    ? Object.entries(environment)
    : textsOf(environment).map((line) => {
        const at = line.indexOf('=')
        return at < 0 ? [line, null] : [line.slice(0, at), line.slice(at + 1)]
      })
  const variables = new Map<string, string>()
  for (const [name, written] of entries) {
    const value = written ?? given[name]
    if (value !== undefined) variables.set(name, String(value))
    else problems.addVariable(name, `is required: ${place}.${name} has no value of its own`)
  }
  return Object.fromEntries(variables)
}

function dependenciesOf(given: unknown) {
  if (!isObject(given)) return { dependsOn: textsOf(given), optional: [], waitsForEndOf: [] }
  const names = (holds: (one: Fields) => boolean) =>
    Object.entries(given).flatMap(([name, one]) => (isObject(one) && holds(one) ? [name] : []))
  return {
    dependsOn: Object.keys(given),
    optional: names(({ required }) => booleanOf(required) === false),
    waitsForEndOf: names(({ condition }) => condition === 'service_completed_successfully'),
  }
}

function linksOf(given: unknown, place: string, problems: ComposeProblems) {
  return textsOf(given).flatMap((one, index) => {
    const [service = '', alias = service, ...others] = one.split(':')
    if (NETWORK_NAME.test(alias) && others.length === 0) return [{ service, alias }]
    problems.add(`${place}.${index}`, 'must be service or service:name, of which the name is one of a host')
    return []
  })
}

function aliasesOf(fields: Fields, place: string, problems: ComposeProblems): string[] {
  const networks = isObject(fields.networks) ? Object.entries(fields.networks) : []
  if (!NETWORK_NAME.test(place.slice('services.'.length)))
    problems.add(place, 'is no name of a host: letters, digits, dots, dashes and underscores are, 63 at most')
  const named = [
    { at: 'container_name', name: fields.container_name },
    { at: 'hostname', name: fields.hostname },
    ...networks.flatMap(([network, one]) =>
      textsOf(isObject(one) ? one.aliases : undefined).map((name) => ({ at: `networks.${network}.aliases`, name })),
    ),
  ]
  const found = named.flatMap(({ at, name }) => {
    if (typeof name !== 'string') return []
    if (NETWORK_NAME.test(name)) return [name]
    problems.add(`${place}.${at}`, `${name.slice(0, 100)} is no name of a host`)
    return []
  })
  if (found.length >= MAX_ALIASES) problems.add(place, `has more than ${MAX_ALIASES} names on the network`)
  return [...new Set(found)]
}

function replicasOf(fields: Fields, place: string, problems: ComposeProblems): number {
  const deploy = isObject(fields.deploy) ? fields.deploy : {}
  const [at, wanted] =
    deploy.replicas === undefined ? [`${place}.scale`, fields.scale] : [`${place}.deploy.replicas`, deploy.replicas]
  if (wanted === undefined) return 1
  if (fields.scale !== undefined && fields.scale !== wanted)
    problems.add(`${place}.scale`, 'differs from deploy.replicas; leave one of them out')
  const hint = '; leave a service out that should not run'
  return readWhole(wanted, at, { min: 1, max: MAX_CONTAINERS, hint }, problems) ?? 1
}

/** Of the two places where compose has each, as it does: both may say the same. */
function sizeOf(fields: Fields, place: string, problems: ComposeProblems): ComposeService['size'] {
  const deploy = isObject(fields.deploy) ? fields.deploy : {}
  const resources = isObject(deploy.resources) ? deploy.resources : {}
  const limits = isObject(resources.limits) ? resources.limits : {}
  const cpus = [
    cpuOf(fields.cpus, `${place}.cpus`, problems),
    cpuOf(limits.cpus, `${place}.deploy.resources.limits.cpus`, problems),
  ]
  const memory = [
    memoryOf(fields.mem_limit, `${place}.mem_limit`, problems),
    memoryOf(limits.memory, `${place}.deploy.resources.limits.memory`, problems),
  ]
  for (const [at, [one, other]] of [
    ['cpus', cpus],
    ['mem_limit', memory],
  ] as const)
    if (one != null && other != null && one !== other)
      problems.add(`${place}.${at}`, 'differs from deploy.resources.limits; leave one of them out')
  return { cpu: cpus[0] ?? cpus[1] ?? null, memoryMb: memory[0] ?? memory[1] ?? null }
}

/** 0 is no limit in compose. */
function cpuOf(given: unknown, place: string, problems: ComposeProblems): number | null {
  if (given === undefined || given === '0') return null
  const cpu = /^\d{0,5}(?:\.\d{1,9})?$/.test(String(given)) ? Number(given) : 0
  if (cpu >= CPU.min && cpu <= CPU.max) return cpu
  problems.add(place, `must be ${CPU.min} to ${CPU.max}`)
  return null
}

const memoryOf = (given: unknown, place: string, problems: ComposeProblems) =>
  given === undefined || given === '0' ? null : readMegabytes(given, place, MEMORY_MB, problems)

function commandOf(fields: Fields, place: string, problems: ComposeProblems): ComposeService['command'] {
  const entrypoint = wordsOf(fields.entrypoint, `${place}.entrypoint`, problems)
  const words = wordsOf(fields.command, `${place}.command`, problems)
  if (entrypoint === null || words === null) return null
  checkWords([...entrypoint, ...words], `${place}.command`, problems)
  const [program, ...args] = entrypoint
  if (program !== undefined) return { command: program, args: [...args, ...words] }
  // An empty one takes the image's away.
  const [first, ...others] = words
  const isCleared = fields.entrypoint !== undefined && fields.entrypoint !== null
  if (isCleared && first !== undefined) return { command: first, args: others }
  if (isCleared) problems.add(`${place}.entrypoint`, 'is empty, and so is command: name a program')
  return words.length === 0 ? null : { command: null, args: words }
}

function pathOf(given: unknown, place: string, problems: ComposeProblems): string | null {
  const path = textOf(given)
  if (path === null || path.startsWith('/')) return path
  problems.add(place, 'must be an absolute path')
  return null
}

/** What other apps may set too; absent where the file says nothing. */
function settingsOf(
  fields: Fields,
  tmpfs: ComposeMounts['tmpfs'],
  place: string,
  problems: ComposeProblems,
): ContainerSettings {
  const settings: { [Field in keyof ContainerSettings]?: unknown } = {}
  const has = (field: string) => fields[field] !== undefined && fields[field] !== null
  const isOn = (field: string) => has(field) && readBoolean(fields[field], `${place}.${field}`, problems) === true
  if (isOn('read_only')) settings.readOnlyRoot = true
  if (has('init')) settings.init = isOn('init')
  if (has('user')) settings.user = String(fields.user)
  if (has('hostname')) settings.hostname = String(fields.hostname)
  if (has('stop_signal')) settings.stopSignal = String(fields.stop_signal)
  const ulimits = ulimitsOf(fields.ulimits, `${place}.ulimits`, problems)
  if (ulimits.length > 0) settings.ulimits = ulimits
  const dropped = textsOf(fields.cap_drop)
  if (dropped.length > 0) settings.dropCapabilities = droppedOf(dropped, textsOf(fields.cap_add))
  if (has('shm_size')) {
    const size = readMegabytes(fields.shm_size, `${place}.shm_size`, SHARED_MEMORY_MB, problems)
    if (size !== null) settings.sharedMemoryMb = size
  }
  if (has('stop_grace_period')) {
    const at = `${place}.stop_grace_period`
    const seconds = readSeconds(fields.stop_grace_period, at, STOP_GRACE_SECONDS, problems)
    if (seconds !== null) settings.stopGraceSeconds = seconds
  }
  if (tmpfs.length > 0) settings.tmpfs = tmpfs
  const read = readContainerSettings(settings)
  for (const { field, message } of read.problems) problems.add(`${place}.${FIELDS[field]}`, message)
  return read.settings
}

/** What settings are called in compose files. */
const FIELDS: Readonly<Record<keyof ContainerSettings, string>> = {
  readOnlyRoot: 'read_only',
  tmpfs: 'tmpfs',
  user: 'user',
  hostname: 'hostname',
  workingDir: 'working_dir',
  ulimits: 'ulimits',
  init: 'init',
  sharedMemoryMb: 'shm_size',
  dropCapabilities: 'cap_drop',
  stopSignal: 'stop_signal',
  stopGraceSeconds: 'stop_grace_period',
}

/** The capabilities that containers have; all others are gone in any case. */
const CAPABILITIES = ['CHOWN', 'SETUID', 'SETGID', 'KILL']

function droppedOf(dropped: readonly string[], added: readonly string[]): string[] {
  const names = dropped.map((one) => one.toUpperCase().replace(/^CAP_/, ''))
  const kept = added.map((one) => one.toUpperCase().replace(/^CAP_/, ''))
  return (names.includes('ALL') && kept.length > 0 ? CAPABILITIES : names).filter((one) => !kept.includes(one))
}

function ulimitsOf(given: unknown, place: string, problems: ComposeProblems) {
  // -1 is no limit.
  const bounds = { min: 0, max: MAX_ULIMIT }
  return Object.entries(isObject(given) ? given : {}).flatMap(([name, one]) => {
    const at = `${place}.${name}`
    const limit = (value: unknown, where: string) => (value === '-1' ? -1 : readWhole(value, where, bounds, problems))
    const soft = isObject(one) ? limit(one.soft, `${at}.soft`) : limit(one, at)
    const hard = isObject(one) ? limit(one.hard, `${at}.hard`) : soft
    return soft === null || hard === null ? [] : [{ name, soft, hard }]
  })
}
