import type { AppType } from '../../app-types/app-type.ts'
import { finiteType, typeNamed } from '../../app-types/wire-names.ts'
import type { FieldProblem } from '../../domain/errors.ts'
import { graphProblems } from '../graph.ts'
import { readSolution, type Solution, type SolutionSource } from '../solution.ts'
import { ComposeProblems } from './compose-problems.ts'
import { type ComposeService, readService } from './compose-service.ts'
import { type NamedService, piecesOf } from './compose-values.ts'
import { managedServiceOf } from './managed-services.ts'
import { readCompose } from './read-compose.ts'

export const COMPOSE_SLUG = 'compose'
const MAX_SERVICES = 10
/** As the compose specification has it. */
const SERVICE_NAME = /^[\w.-]{1,100}$/
/** Of all services together: as many as an environment may have. */
const MAX_VARIABLES = 500
const VOLUME_MB = 10_240

/** Ports of images whose files often name none, because containers reach each other without. */
const KNOWN_PORTS: Readonly<Record<string, number>> = {
  ...{ redis: 6379, valkey: 6379, mariadb: 3306, mongo: 27_017, rabbitmq: 5672, memcached: 11_211, nats: 4222 },
  ...{ elasticsearch: 9200, nginx: 80, httpd: 80, wordpress: 80, nextcloud: 80, influxdb: 8086 },
}

type Part = ComposeService & NamedService & { note: string | null; isJob: boolean }

export interface Imported {
  /** Null when there are problems. */
  solution: Solution | null
  /** Values of its inputs: texts of the file that are secret, or that templates could not hold. */
  values: Record<string, string>
  problems: FieldProblem[]
}

/** What a compose file asks for, as a solution; or everything in it that cannot be honoured, at once. */
export function importCompose(text: string, given: Readonly<Record<string, string>>): Imported {
  const problems = new ComposeProblems()
  const read = Object.entries(readCompose(text, given, problems))
  if (read.length > MAX_SERVICES)
    problems.add('services', `has ${read.length} services; at most ${MAX_SERVICES} are installed`)
  for (const [name] of read.filter(([one]) => !SERVICE_NAME.test(one)))
    problems.add(`services.${name}`, 'is no name of a service: letters, digits, dots, dashes and underscores are')
  const services = read
    .filter(([name]) => SERVICE_NAME.test(name))
    .slice(0, MAX_SERVICES)
    .map(([name, one]) => readService(name, one, problems))
  const variables = services.flatMap((service) => Object.keys(service.variables)).length
  if (variables > MAX_VARIABLES) {
    problems.add('services', `has ${variables} variables; at most ${MAX_VARIABLES} are installed`)
    return { solution: null, values: {}, problems: problems.found }
  }
  const parts = partsOf(services, problems)
  const literals = new Literals()
  const components = parts.map((part) => componentOf(part, parts, literals, problems))
  for (const message of graphProblems(parts.map(({ name, dependsOn }) => ({ key: name, dependsOn }))))
    problems.add('services', message)
  if (problems.found.length > 0) return { solution: null, values: {}, problems: problems.found }
  const main = mainOf(parts)
  const notes = parts.flatMap(({ name, note }) => (note ? [`${name}: ${note}`] : []))
  const { solution, messages } = readSolution({
    ...{ slug: COMPOSE_SLUG, name: 'Compose file', description: 'A compose file of your own.' },
    ...{ category: 'DEVELOPMENT', revision: 1, inputs: literals.inputs },
    components: components.map((one) => (one.key === main ? { ...one, isMain: true } : one)),
    ...(notes.length > 0 ? { postInstallNote: notes.join('. ') } : {}),
  })
  for (const message of messages) problems.add('', message)
  return { solution, values: literals.values, problems: problems.found }
}

/** Keys are short, because host names are made of them. */
function partsOf(services: readonly ComposeService[], problems: ComposeProblems): Part[] {
  const jobs = new Set(services.flatMap(({ waitsForEndOf }) => waitsForEndOf))
  const taken = new Set<string>()
  return services.map((service) => {
    const found = managedServiceOf(service.image, service.variables)
    const isJob = jobs.has(service.name)
    const { volumePath, name } = service
    if (isJob && volumePath !== null) problems.add(`services.${name}.volumes`, 'is not supported: a job has no volume')
    if (found && service.isPublished)
      problems.add(`services.${name}.ports`, 'is not supported: open the managed service by its externalAccess')
    if (found && service.command)
      problems.add(`services.${name}.command`, 'is not supported: the managed service starts its program')
    return {
      ...{ ...service, key: keyOf(name, taken), isJob },
      // A managed service waits for nobody.
      ...(found ? { managed: found.service, note: found.note, dependsOn: [] } : { managed: null, note: null }),
    }
  })
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

function componentOf(
  part: Part,
  parts: readonly Part[],
  literals: Literals,
  problems: ComposeProblems,
): SolutionSource['components'][number] {
  const { key, name, managed, image, command, isJob, volumePath, containers } = part
  const dependsOn = part.dependsOn.flatMap((one) => parts.find((other) => other.name === one)?.key ?? [])
  if (managed) return { key, name, dockerPreset: managed.preset, dockerPresetVersion: managed.version }
  const variables = Object.fromEntries(
    Object.entries(part.variables).map(([variable, value]) => {
      const { pieces, isSecret } = piecesOf({ service: part, name: variable, value }, parts, problems)
      const template = pieces.map((piece) =>
        'literal' in piece ? literals.add(piece.literal, isSecret) : `{{${piece.key}.${piece.part}}}`,
      )
      return [variable, template.join('')]
    }),
  )
  // Whatever talks to a database waits for it, also where the file leaves that to restarts.
  const databases = parts.filter(
    (one) => one.managed && Object.values(variables).some((text) => text.includes(`{{${one.key}.`)),
  )
  const needed = [...new Set([...dependsOn, ...databases.map((one) => one.key)])]
  const shared = { key, name, image, dependsOn: needed, variables }
  if (isJob) {
    const type = finiteType()
    const { config } = type
    const settings = config && { [config.field]: command ? { ...command, shell: false } : {} }
    return { ...shared, dockerPreset: presetOf(type), ...settings } as SolutionSource['components'][number]
  }
  return {
    ...{ ...shared, dockerPreset: presetOf(typeNamed('app')), containers },
    ...healthOf(part, portOf(part, parts)),
    ...(volumePath === null ? {} : { volume: { path: volumePath, disk: VOLUME_MB } }),
    ...(command === null ? {} : { startupConfig: command }),
  }
}

/** Of a worker, which is at no port: the app's own is needed by the letter, and read by nothing. */
const UNUSED_PORT = 8080

/** A service that is reached at no port is a worker; how its file finds out whether it is healthy still counts. */
function healthOf({ healthCheck: { path, probe } }: Part, port: number | undefined) {
  if (port === undefined) {
    const worker = { port: UNUSED_PORT, healthCheck: { type: 'NONE' as const } }
    return probe === null ? worker : { ...worker, readiness: probe }
  }
  if (path !== null) return { port, healthCheckPath: path }
  return probe === null ? { port } : { port, healthCheck: probe }
}

function presetOf({ name, defaultPreset }: AppType): string {
  if (defaultPreset === null) throw new Error(`${name} has no preset that runs an image`)
  return defaultPreset
}

/** As the file says, as another service calls it, or as its image is known to have. */
function portOf({ ports, name, image }: Part, parts: readonly Part[]): number | undefined {
  if (ports[0] !== undefined) return ports[0]
  const called = new RegExp(`(?:^|[/@,\\s])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}:(\\d{1,5})(?!\\d)`)
  const found = parts
    .flatMap(({ variables }) => Object.values(variables))
    .flatMap((value) => called.exec(value)?.[1] ?? [])
  const base = image.split('/').at(-1)?.split(/[:@]/)[0] ?? ''
  return found[0] === undefined ? KNOWN_PORTS[base] : Number(found[0])
}

/** The one that people open. */
function mainOf(parts: readonly Part[]): string {
  const apps = parts.filter(({ managed, isJob }) => !managed && !isJob)
  const needed = new Set(parts.flatMap(({ dependsOn }) => dependsOn))
  const main =
    apps.find(({ isPublished }) => isPublished) ??
    apps.find((part) => portOf(part, parts) !== undefined && !needed.has(part.name)) ??
    apps.find(({ name }) => !needed.has(name)) ??
    apps[0]
  return (main ?? parts[0])?.key ?? ''
}

/** Texts that a template could misread, and secrets, are inputs: their values are sealed, and shown to nobody. */
class Literals {
  readonly inputs: { name: string; label: string; type: 'STRING'; secret: boolean }[] = []
  readonly values: Record<string, string> = {}

  add(text: string, isSecret: boolean): string {
    if (text === '' || (!isSecret && !/\{\{|\}\}|\$\{/.test(text))) return text
    const name = `text${this.inputs.length + 1}`
    this.inputs.push({ name, label: 'Text of the compose file', type: 'STRING', secret: isSecret })
    this.values[name] = text
    return `{{inputs.${name}}}`
  }
}
