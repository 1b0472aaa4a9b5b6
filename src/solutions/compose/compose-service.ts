import { withoutTrailing } from '../../domain/without-trailing.ts'
import { type ComposeHealthCheck, readHealthCheck } from './compose-health-check.ts'
import { type ComposeProblems, type Fields, isObject, textsOf } from './compose-problems.ts'

/** What is read of a service, before names of other services in its variables mean anything. */
export interface ComposeService {
  name: string
  image: string
  variables: Record<string, string>
  /** Ports that the file publishes, then those that it exposes. */
  ports: number[]
  isPublished: boolean
  volumePath: string | null
  containers: number
  command: { command: string; args: string[] } | null
  healthCheck: ComposeHealthCheck
  dependsOn: string[]
  /** Those of which another service waits for the end. */
  waitsForEndOf: string[]
}

/** Says nothing about what runs, or says what Berth does anyway. */
const IGNORED = [
  ...['annotations', 'attach', 'container_name', 'expose', 'init', 'labels', 'logging', 'mem_limit', 'mem_reservation'],
  ...[
    'networks',
    'platform',
    'pull_policy',
    'restart',
    'stop_grace_period',
    'stop_signal',
    'cpus',
    'stdin_open',
    'tty',
  ],
]
const READ = [
  'image',
  'environment',
  'ports',
  'volumes',
  'command',
  'entrypoint',
  'healthcheck',
  'depends_on',
  'deploy',
  'scale',
]

/** Why a field cannot be honoured; any other is refused as unknown. */
const REFUSED: Readonly<Record<string, string>> = {
  build: 'is not supported: push the image to a registry, or create an app that builds from Git',
  privileged: 'is not supported: containers share the host with those of others',
  network_mode: 'is not supported: each account has a network of its own',
  pid: 'is not supported: containers share the host with those of others',
  ipc: 'is not supported: containers share the host with those of others',
  userns_mode: 'is not supported: containers share the host with those of others',
  cap_add: 'is not supported: containers share the host with those of others',
  security_opt: 'is not supported: containers share the host with those of others',
  devices: 'is not supported: devices are the host’s',
  env_file: 'is not supported: the file is not in the text; write its lines under environment',
  configs: 'is not supported: files come with the image',
  secrets: 'is not supported: use variables, which may be secret',
  volumes_from: 'is not supported: name the volumes',
  extends: 'is not supported: write the service out',
  profiles: 'is not supported: leave services out that should not run',
  extra_hosts: 'is not supported: names are resolved by DNS',
  user: 'is not supported: containers run as the user of their image',
  tmpfs: 'is not supported: containers have a writable /tmp',
}

export function readService(name: string, read: unknown, problems: ComposeProblems): ComposeService {
  const place = `services.${name}`
  const fields: Fields = isObject(read) ? read : {}
  if (!isObject(read)) problems.add(place, 'must be an object')
  for (const field of Object.keys(fields)) {
    if (READ.includes(field) || IGNORED.includes(field) || field.startsWith('x-')) continue
    const isOff = fields[field] === false || (Array.isArray(fields[field]) && fields[field].length === 0)
    if (!isOff) problems.add(`${place}.${field}`, REFUSED[field] ?? 'is not supported')
  }
  const image = typeof fields.image === 'string' ? fields.image : ''
  if (image === '' && fields.build === undefined) problems.add(`${place}.image`, 'is required')
  const { dependsOn, waitsForEndOf } = dependenciesOf(fields.depends_on)
  const published = publishedPorts(fields.ports, `${place}.ports`, problems)
  const exposed = textsOf(fields.expose).flatMap((one) => (/^\d+$/.test(one) ? [Number(one)] : []))
  return {
    ...{ name, image, dependsOn, waitsForEndOf },
    variables: variablesOf(fields.environment, `${place}.environment`, problems),
    ports: [...new Set([...published, ...exposed])],
    isPublished: published.length > 0,
    volumePath: volumePathOf(fields.volumes, `${place}.volumes`, problems),
    containers: replicasOf(fields),
    command: commandOf(fields, place, problems),
    healthCheck: readHealthCheck(fields.healthcheck, `${place}.healthcheck`, problems),
  }
}

function variablesOf(given: unknown, place: string, problems: ComposeProblems): Record<string, string> {
  const entries = isObject(given)
    ? Object.entries(given)
    : textsOf(given).map((line) => [
        line.split('=')[0] ?? '',
        line.includes('=') ? line.slice(line.indexOf('=') + 1) : null,
      ])
  const variables: Record<string, string> = {}
  for (const [name, value] of entries as [string, unknown][]) {
    if (value === null) problems.add(`${place}.${name}`, 'has no value: the shell that runs compose is not here')
    else variables[name] = String(value)
  }
  return variables
}

function dependenciesOf(given: unknown) {
  if (!isObject(given)) return { dependsOn: textsOf(given), waitsForEndOf: [] }
  const ended = Object.entries(given).filter(
    ([, one]) => isObject(one) && one.condition === 'service_completed_successfully',
  )
  return { dependsOn: Object.keys(given), waitsForEndOf: ended.map(([name]) => name) }
}

/** The container's side of each: the host's does not matter, because requests come by name. */
function publishedPorts(given: unknown, place: string, problems: ComposeProblems): number[] {
  const list = Array.isArray(given) ? given : []
  const ports = list.flatMap((one: unknown): number[] => {
    const [target, protocol = 'tcp'] = isObject(one)
      ? [String(one.target), String(one.protocol ?? 'tcp')]
      : String(one).split('/')
    const port = /(?:^|:)(\d+)$/.exec(target ?? '')?.[1]
    if (protocol !== 'tcp') problems.add(place, `${target}/${protocol} is not supported: only TCP is`)
    else if (port === undefined || /\d-\d/.test(target ?? '')) problems.add(place, `${target} must be one port`)
    else return [Number(port)]
    return []
  })
  const several = [...new Set(ports)]
  if (several.length > 1) problems.add(place, `${several.join(', ')}: an app is reached at one port; leave one`)
  return several
}

function volumePathOf(given: unknown, place: string, problems: ComposeProblems): string | null {
  const paths = (Array.isArray(given) ? given : []).flatMap((one: unknown): string[] => {
    const mount = isObject(one) ? mountOf(one) : shortMountOf(String(one))
    if (mount.isHost) problems.add(place, `${mount.source} is not supported: it is a path of the host`)
    else return [mount.target]
    return []
  })
  if (paths.length > 1) problems.add(place, `${paths.join(', ')}: an app has one volume; leave one`)
  return paths[0] === undefined ? null : withoutTrailing(paths[0], '/') || paths[0].slice(0, 1)
}

const mountOf = ({ type, source = '', target = '' }: Fields) => ({
  ...{ source: String(source), target: String(target), isHost: type !== undefined && type !== 'volume' },
})

function shortMountOf(text: string) {
  const [source = '', target] = text.split(':')
  if (target === undefined) return { source: '', target: source, isHost: false }
  return { source, target, isHost: /^[./~]/.test(source) }
}

function replicasOf({ deploy, scale }: Fields): number {
  const wanted = isObject(deploy) ? (deploy.replicas ?? scale) : scale
  return typeof wanted === 'number' && wanted > 0 ? Math.min(wanted, 10) : 1
}

/** Berth replaces the entry point of an image together with its command, so the text must name a program. */
function commandOf(fields: Fields, place: string, problems: ComposeProblems): ComposeService['command'] {
  const words = [...wordsOf(fields.entrypoint), ...wordsOf(fields.command)]
  const [command, ...args] = words
  if (command === undefined) return null
  if (fields.entrypoint === undefined && command.startsWith('-')) {
    problems.add(`${place}.command`, `${command} is for the entry point of the image; name its program too`)
    return null
  }
  return { command, args }
}

/** Of a text, as a shell splits it. */
function wordsOf(given: unknown): string[] {
  if (Array.isArray(given)) return given.map(String)
  if (typeof given !== 'string') return []
  return [...given.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}
