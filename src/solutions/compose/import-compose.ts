import type { AppType } from '../../app-types/app-type.ts'
import { finiteType, typeNamed } from '../../app-types/wire-names.ts'
import type { FieldProblem } from '../../domain/errors.ts'
import { ZCLOUD } from '../../domain/resources.ts'
import { isVariableName, VARIABLE_NAME_RULE } from '../../domain/variable-name.ts'
import { inDependencyOrder } from '../graph.ts'
import { type ContainerSettings, readSolution, type Solution, type SolutionSource } from '../solution.ts'
import type { ComposeFolder } from './compose-build.ts'
import { type NamedService, passwordIn, readVariables, refuseCredentials } from './compose-credentials.ts'
import { ComposeProblems, isObject } from './compose-problems.ts'
import { type ComposeService, readService } from './compose-service.ts'
import { applyFates } from './fates.ts'
import { managedServiceOf } from './managed-services.ts'
import { readCompose } from './read-compose.ts'

export const COMPOSE_SLUG = 'compose'
/** As the compose specification has it. */
const SERVICE_NAME = /^[\w.-]{1,100}$/
/** Of all services together: as many as an environment may have. */
const MAX_VARIABLES = 500
/** Characters of a text that is kept as an input. */
const MAX_TEXT = 4096
const VOLUME_MB = 10_240

type Part = ComposeService & NamedService & { note: string | null; isJob: boolean; openPort: number | null }

export interface Imported {
  /** Null when there are problems. */
  solution: Solution | null
  /** Values of its inputs: texts of the file that are secret, or that templates could not hold. */
  values: Record<string, string>
  problems: FieldProblem[]
}

/** What a compose file asks for, as a solution; or everything in it that cannot be honoured, at once. */
export function importCompose(
  text: string,
  sent: Readonly<Record<string, string>>,
  folder: ComposeFolder | null = null,
): Imported {
  const problems = new ComposeProblems()
  // Files name what they like, such as ${constructor}.
  const given: Readonly<Record<string, string>> = Object.assign(Object.create(null), sent)
  const file = readCompose(text, given, problems)
  applyFates(file, problems)
  const services = servicesOf(file, { given, folder }, problems)
  const refused = () => ({ solution: null, values: {}, problems: problems.found })
  const variables = services.flatMap((service) => Object.keys(service.variables)).length
  if (variables > MAX_VARIABLES) {
    problems.add('services', `has ${variables} variables; at most ${MAX_VARIABLES} are installed`)
    return refused()
  }
  const parts = partsOf(services, problems)
  const inputs = new Inputs(problems)
  const published = new Map(
    parts.flatMap(({ key, ports, openPort }) => (openPort === null ? [] : ports.published.map((port) => [port, key]))),
  )
  const components = parts.map((part) => componentOf(part, { parts, published, inputs, problems }))
  for (const part of parts) checkRestart(part, problems)
  if (Object.keys(isObject(file.networks) ? file.networks : {}).length > 1)
    problems.addNoEffect('networks', 'all services of the installation share one network')
  checkTogether(parts, problems)
  if (problems.found.length > 0) return refused()
  const main = mainOf(parts)
  const notes = parts.flatMap(({ name, note }) => (note ? [`${name}: ${note}`] : []))
  const { solution, messages } = readSolution({
    slug: COMPOSE_SLUG,
    name: 'Compose file',
    description: 'A compose file of your own.',
    category: 'DEVELOPMENT',
    revision: 1,
    inputs: inputs.declared,
    components: components.map((one) => (one.key === main ? { ...one, isMain: true } : one)),
    ...(notes.length > 0 ? { postInstallNote: notes.join('. ') } : {}),
    ...(problems.noEffect.length > 0 ? { noEffect: problems.noEffect } : {}),
  })
  for (const message of messages) problems.add('', message)
  return { solution, values: inputs.values, problems: problems.found }
}

function servicesOf(
  { services }: Readonly<Record<string, unknown>>,
  from: { given: Readonly<Record<string, string>>; folder: ComposeFolder | null },
  problems: ComposeProblems,
): ComposeService[] {
  const read = Object.entries(isObject(services) ? services : {})
  for (const [name] of read.filter(([one]) => !SERVICE_NAME.test(one)))
    problems.add(
      `services.${name.slice(0, 100)}`,
      'is no name of a service: at most 100 letters, digits, dots, dashes and underscores',
    )
  return read.filter(([name]) => SERVICE_NAME.test(name)).map(([name, one]) => readService(name, one, from, problems))
}

/** Keys are short, because host names are made of them. */
function partsOf(services: readonly ComposeService[], problems: ComposeProblems): Part[] {
  const jobs = new Set(services.flatMap(({ waitsForEndOf }) => waitsForEndOf))
  const present = new Set(services.map(({ name }) => name))
  const links = services.flatMap((service) => service.links)
  const opened = openPortsOf(services)
  const taken = new Set<string>()
  return services.map((service) => {
    const { name, dependsOn, optional } = service
    const found = managedServiceOf(service.image, service.variables)
    const isJob = jobs.has(name)
    if (isJob) checkJob(service, problems)
    if (found) checkManaged(service, found.service.read, problems)
    const linked = links.filter((link) => link.service === name).map(({ alias }) => alias)
    return {
      ...service,
      key: keyOf(name, taken),
      names: [...new Set([name, ...service.aliases, ...linked])],
      isJob,
      openPort: found || isJob ? null : (opened.get(name) ?? null),
      managed: found?.service ?? null,
      note: found?.note ?? null,
      // A managed service is deployed at once.
      dependsOn: found ? [] : dependsOn.filter((one) => present.has(one) || !optional.includes(one)),
    }
  })
}

/**
 * The port of each app that is reached from outside. Where the file publishes none openly, because a proxy of the host is
 * to stand before it, that is the first which it publishes on loopback, or exposes.
 */
function openPortsOf(services: readonly ComposeService[]): Map<string, number> {
  const apps = services.filter(({ image, variables }) => managedServiceOf(image, variables) === null)
  const open = apps.flatMap(({ name, ports }) => (ports.open === null ? [] : [[name, ports.open] as const]))
  if (open.length > 0) return new Map(open)
  const needed = new Set(apps.flatMap(({ dependsOn }) => dependsOn))
  const reached = apps.filter(({ ports }) => ports.internal.length > 0)
  const first =
    reached.find(({ ports }) => ports.published.length > 0) ??
    reached.find(({ name }) => !needed.has(name)) ??
    reached[0]
  return new Map(first ? [[first.name, first.ports.internal[0] ?? 0]] : [])
}

/** What a service cannot have that runs once, because another awaits its end. */
function checkJob({ name, mounts, containers, ports, healthCheck }: ComposeService, problems: ComposeProblems): void {
  const place = `services.${name}`
  if (mounts.volume) problems.add(`${place}.volumes`, 'is not supported: a job has no volume')
  if (containers > 1) problems.add(`${place}.deploy.replicas`, 'is not supported: a job runs once')
  if (ports.open !== null) problems.add(`${place}.ports`, 'is not supported: a job opens no port')
  if (healthCheck.probe) problems.addNoEffect(`${place}.healthcheck`, 'a job has no health check')
}

/** What a managed service decides itself. */
function checkManaged(service: ComposeService, read: readonly string[], problems: ComposeProblems): void {
  const { name, ports, command, variables, containers, mounts, healthCheck, settings } = service
  const place = `services.${name}`
  if (ports.open !== null)
    problems.add(
      `${place}.ports`,
      'is not supported: other services reach it by its name; leave it out, and open the managed service by its externalAccess',
    )
  if (command) problems.add(`${place}.command`, 'is not supported: the managed service starts its program')
  if (containers > 1) problems.add(`${place}.deploy.replicas`, 'is not supported: scale the managed service itself')
  if (variables.POSTGRES_HOST_AUTH_METHOD === 'trust')
    problems.add(
      `${place}.environment.POSTGRES_HOST_AUTH_METHOD`,
      'is not supported: a managed service asks for its password',
    )
  for (const variable of Object.keys(variables).filter((one) => !read.includes(one)))
    problems.addNoEffect(`${place}.environment.${variable}`, 'the managed service has settings of its own')
  if (mounts.volume) problems.addNoEffect(`${place}.volumes`, 'the managed service has a volume of its own')
  if (Object.keys(settings).some((setting) => setting !== 'hostname'))
    problems.addNoEffect(place, 'containers of the managed service run under its own settings')
  if (healthCheck.probe)
    problems.addNoEffect(`${place}.healthcheck`, 'the managed service has a health check of its own')
}

/** A worker that ends well is started again, which a command that is to run once would not survive. */
function checkRestart({ name, restart, isJob, managed, openPort }: Part, problems: ComposeProblems): void {
  const runsOnce = restart === 'no' || restart?.split(':')[0] === 'on-failure'
  if (runsOnce && !isJob && !managed && openPort === null)
    problems.add(
      `services.${name}.restart`,
      `${restart.slice(0, 40)} is not supported: what ends is started again; let another service await this one with service_completed_successfully, which makes it a job, or leave it out`,
    )
  else if (restart !== null)
    problems.addNoEffect(`services.${name}.restart`, 'what ends is started again, but for jobs')
}

/** What no service says alone. */
function checkTogether(parts: readonly Part[], problems: ComposeProblems): void {
  const names = new Set(parts.map(({ name }) => name))
  for (const { name, dependsOn } of parts)
    for (const other of dependsOn.filter((one) => !names.has(one)))
      problems.add(`services.${name}.depends_on`, `names ${other.slice(0, 100)}, which is no service of the file`)
  const nodes = parts.map((part) => ({ key: part.name, dependsOn: part.dependsOn.filter((one) => names.has(one)) }))
  try {
    inDependencyOrder(nodes)
  } catch (error) {
    problems.add('services', (error as Error).message)
  }
  for (const [index, { name, names: own, mounts }] of parts.entries())
    for (const other of parts.slice(0, index)) {
      const volume = mounts.volume?.name
      if (volume && volume === other.mounts.volume?.name)
        problems.add(
          `services.${name}.volumes`,
          `mounts ${volume}, and so does ${other.name}: a volume belongs to one app; let one of them keep the files and the other ask it, or use object storage`,
        )
      const shared = own.find((one) => other.names.includes(one))
      if (shared !== undefined)
        problems.add(`services.${name}`, `is called ${shared} on the network, and so is ${other.name}`)
    }
}

function keyOf(name: string, taken: Set<string>): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  const base = (/^[a-z]/.test(plain) ? plain : `s${plain}`).slice(0, 10)
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : String(number)
    const key = base.slice(0, 10 - suffix.length) + suffix
    if (taken.has(key)) continue
    taken.add(key)
    return key
  }
}

interface Context {
  parts: readonly Part[]
  published: ReadonlyMap<number, string>
  inputs: Inputs
  problems: ComposeProblems
}

type ComponentSource = SolutionSource['components'][number]

function componentOf(part: Part, context: Context): ComponentSource {
  const { key, name, managed, image, build, isJob, mounts, containers } = part
  const size = sizeOf(part)
  const shared = { key, name, networkAliases: [...part.names], ...(size && { size }) }
  if (managed) return { ...shared, dockerPreset: managed.preset, dockerPresetVersion: managed.version }
  const app = { ...shared, ...(build ? { build } : { image }), ...variablesOf(part, context) }
  const settings = settingsOf(part)
  const kept = Object.keys(settings).length > 0 ? { containerSettings: settings } : {}
  if (isJob) {
    const type = finiteType()
    const { config } = type
    const command = part.command && { ...part.command, workingDir: part.workingDir, shell: false }
    return {
      ...app,
      ...kept,
      dockerPreset: presetOf(type),
      ...(config && { [config.field]: command ? given(command) : {} }),
    } as ComponentSource
  }
  return {
    ...app,
    ...kept,
    dockerPreset: presetOf(typeNamed('app')),
    containers,
    ...healthOf(part, context.problems),
    ...(mounts.volume ? { volume: { path: mounts.volume.path, disk: VOLUME_MB } } : {}),
    ...(part.command
      ? { startupConfig: { ...part.command, ...(part.workingDir === null ? {} : { workingDir: part.workingDir }) } }
      : {}),
  }
}

const given = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/** What is said of one of the two is that; the other is what a container has by itself. */
function sizeOf({ size: { cpu, memoryMb } }: Part) {
  if (cpu === null && memoryMb === null) return null
  return { cpu: cpu ?? ZCLOUD.cpu, memoryMb: memoryMb ?? ZCLOUD.memoryMb }
}

/** A working directory belongs to the command, where there is one. */
const settingsOf = ({ settings, workingDir, command }: Part): ContainerSettings =>
  workingDir === null || command !== null ? settings : { ...settings, workingDir }

/** What was no reference by the place where it stands may be meant as one all the same. */
function notePassword(
  text: string,
  at: string,
  { isSecret, parts, problems }: { isSecret: boolean } & Pick<Context, 'parts' | 'problems'>,
): void {
  const owner = passwordIn(text, isSecret, parts)
  if (owner !== null)
    problems.addNoEffect(
      at,
      `holds what the file has for a password of ${owner}, which gets one of its own: name its host beside it, or write an address`,
    )
}

function variablesOf(part: Part, { parts, published, inputs, problems }: Context) {
  const read = readVariables(part, parts, published, problems)
  const variables = Object.fromEntries(
    Object.entries(read).map(([variable, { pieces, isSecret }]) => {
      const at = `services.${part.name}.environment.${variable}`
      // Records of variables cannot hold the second.
      if (!isVariableName(variable) || variable === '__proto__')
        problems.add(at.slice(0, 300), `is no name of a variable, which ${VARIABLE_NAME_RULE}`)
      const left = pieces.flatMap((piece) => ('literal' in piece ? [piece.literal] : [])).join('')
      notePassword(left, at, { isSecret, parts, problems })
      const template = pieces.map((piece) =>
        'literal' in piece
          ? inputs.add(piece.literal, { key: part.key, service: part.name, variable, isSecret, at })
          : `{{${piece.key}.${piece.part}}}`,
      )
      return [variable, template.join('')]
    }),
  )
  const place = `services.${part.name}`
  for (const word of part.command?.args ?? [])
    notePassword(word, `${place}.command`, { isSecret: false, parts, problems })
  refuseCredentials([part.command?.command ?? '', ...(part.command?.args ?? [])], `${place}.command`, parts, problems)
  refuseCredentials(part.build?.buildArgs ? [part.build.buildArgs] : [], `${place}.build.args`, parts, problems)
  refuseCredentials(
    part.build?.customDockerfileContent?.split(/\s+/) ?? [],
    `${place}.build.dockerfile_inline`,
    parts,
    problems,
  )
  refuseCredentials(part.healthCheck.probe?.command ?? [], `${place}.healthcheck.test`, parts, problems)
  const keys = part.dependsOn.flatMap((one) => parts.find((other) => other.name === one)?.key ?? [])
  // Whatever talks to a database waits for it, also where the file leaves that to restarts.
  const databases = parts.filter(
    (one) => one.managed && Object.values(variables).some((text) => text.includes(`{{${one.key}.`)),
  )
  return { variables, dependsOn: [...new Set([...keys, ...databases.map((one) => one.key)])] }
}

/** Of a worker, which is at no port: the app's own is needed by the letter, and read by nothing. */
const UNUSED_PORT = 8080

/** A service that is reached at no port is a worker; how its file finds out whether it is healthy still counts. */
function healthOf({ name, healthCheck: { asked, isTimed, probe }, openPort: port }: Part, problems: ComposeProblems) {
  if (port === null) {
    const worker = { port: UNUSED_PORT, healthCheck: { type: 'NONE' as const } }
    return probe === null ? worker : { ...worker, readiness: probe }
  }
  if (asked?.port === port) {
    if (isTimed)
      problems.addNoEffect(`services.${name}.healthcheck.interval`, 'the path is asked by Berth, in its own time')
    return { port, healthCheckPath: asked.path }
  }
  return probe === null ? { port } : { port, healthCheck: probe }
}

function presetOf({ name, defaultPreset }: AppType): string {
  if (defaultPreset === null) throw new Error(`${name} has no preset that runs an image`)
  return defaultPreset
}

/** The one that people open. */
function mainOf(parts: readonly Part[]): string {
  const apps = parts.filter(({ managed, isJob }) => !managed && !isJob)
  const needed = new Set(parts.flatMap(({ dependsOn }) => dependsOn))
  const main = apps.find(({ openPort }) => openPort !== null) ?? apps.find(({ name }) => !needed.has(name)) ?? apps[0]
  return (main ?? parts[0])?.key ?? ''
}

interface Origin {
  key: string
  service: string
  variable: string
  isSecret: boolean
  at: string
}

/** Texts that a template could misread, and secrets, are inputs, called after service and variable; their values are sealed. */
class Inputs {
  readonly declared: { name: string; label: string; type: 'STRING'; secret: boolean }[] = []
  readonly values: Record<string, string> = {}
  readonly #problems: ComposeProblems

  constructor(problems: ComposeProblems) {
    this.#problems = problems
  }

  add(text: string, { key, service, variable, isSecret, at }: Origin): string {
    if (text === '' || (!isSecret && !/\{\{|\}\}|\$\{/.test(text))) return text
    if (text.length > MAX_TEXT) this.#problems.add(at, `must be at most ${MAX_TEXT} characters long`)
    const name = this.#nameOf(key, variable)
    this.declared.push({
      name,
      label: `${variable} of ${service}`.slice(0, 500),
      type: 'STRING',
      secret: isSecret,
    })
    this.values[name] = text
    return `{{inputs.${name}}}`
  }

  /** `webSecretKey`, of SECRET_KEY of web. */
  #nameOf(key: string, variable: string): string {
    const words = variable
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word !== '')
    const whole = key + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
    for (let number = 1; ; number += 1) {
      const suffix = number === 1 ? '' : String(number)
      const name = whole.slice(0, 40 - suffix.length) + suffix
      if (!Object.hasOwn(this.values, name)) return name
    }
  }
}
