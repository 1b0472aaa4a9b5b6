import { booleanOf, type ComposeProblems, type Fields, isObject, textsOf } from './compose-problems.ts'

/**
 * What becomes of each field of the compose specification, by its place; `*` is any name, or an entry of a list. A field
 * stands for all that is inside of it, unless it is honoured: then its own fields have a fate each.
 * `docs/compose.md` is printed from this table.
 */
export interface Fate {
  fate: 'honoured' | 'refused' | 'no effect'
  about: string
  /** Values of a refused field that ask for nothing but what is so anyway. */
  allows?: readonly string[]
}

const honoured = (about: string): Fate => ({ fate: 'honoured', about })
const refused = (about: string, allows: readonly string[] = []): Fate => ({ fate: 'refused', about, allows })
const noEffect = (about: string): Fate => ({ fate: 'no effect', about })

const HOST = 'containers share the host with those of others'
const FILES = 'files come with the image; short texts go into variables'
const ADDRESSES = 'addresses are given by the network; services reach each other by their names'
const NETWORK = 'the installation has one network, which all of its services share'
const DNS = 'names are resolved by DNS; services reach each other by their names'
const SIZE = 'the size is set by cpus and mem_limit, or deploy.resources.limits'
const ROLLOUT = 'new versions replace old ones as Berth rolls out'
const SCHEDULING = 'Berth decides where containers run'
const LABELS = 'labels of containers are Berth’s; hosts are set on the environment'
const MODELS = 'there are no models'
const HOOKS = 'there are no hooks; write a service that another awaits with service_completed_successfully'
const CACHE = 'each account has a cache of its own'
const BUILDER = 'builds have the same rights and limits, which buildResources of the app raises'

const TOP_LEVEL: Readonly<Record<string, Fate>> = {
  version: noEffect('the specification has no versions any more'),
  name: noEffect('the installation is called as the call says'),
  include: refused('the other files are not in the text; write their services out'),
  services: honoured('each becomes a component'),
  models: refused(MODELS),
  secrets: refused('use variables: those that look secret are kept sealed'),
  configs: refused(FILES),
  networks: honoured('all services of an installation share one network'),
  'networks.*.name': noEffect(NETWORK),
  'networks.*.driver': noEffect(NETWORK),
  'networks.*.driver_opts': noEffect(NETWORK),
  'networks.*.ipam': refused(ADDRESSES),
  'networks.*.external': refused('it exists on the host alone'),
  'networks.*.internal': refused('containers may reach the internet; leave it out'),
  'networks.*.enable_ipv4': noEffect(NETWORK),
  'networks.*.enable_ipv6': noEffect(NETWORK),
  'networks.*.attachable': noEffect(NETWORK),
  'networks.*.labels': noEffect(NETWORK),
  volumes: honoured('each belongs to the one service that mounts it'),
  'volumes.*.name': noEffect('a volume is called after its environment'),
  'volumes.*.driver': refused('volumes are made by Berth', ['local']),
  'volumes.*.driver_opts': refused('volumes are made by Berth'),
  'volumes.*.external': refused('it exists on the host alone'),
  'volumes.*.labels': noEffect('a volume has no labels'),
}

const SERVICE: Readonly<Record<string, Fate>> = {
  annotations: noEffect(LABELS),
  attach: noEffect('output goes to the log of the environment'),
  blkio_config: refused(SIZE),
  build: honoured('built from the repository that the call names; without one it is refused'),
  'build.additional_contexts': refused('the Dockerfile may name other images by their references'),
  'build.args': honoured('arguments of the build; without a value, that of the call’s variables'),
  'build.cache_from': noEffect(CACHE),
  'build.cache_to': noEffect(CACHE),
  'build.context': honoured('a folder of the repository, relative to the compose file'),
  'build.dockerfile': honoured('path of the Dockerfile, relative to the context'),
  'build.dockerfile_inline': honoured('the Dockerfile itself'),
  'build.entitlements': refused(BUILDER),
  'build.extra_hosts': refused(DNS),
  'build.isolation': refused(HOST, ['default']),
  'build.labels': noEffect('labels of images are Berth’s'),
  'build.network': refused('builds reach the network of their account', ['default']),
  'build.no_cache': noEffect(CACHE),
  'build.platforms': refused('an image is built for the platform of the engine; leave it out'),
  'build.privileged': refused(BUILDER),
  'build.provenance': noEffect('images are kept by Berth, without attestations'),
  'build.pull': noEffect('base images are looked up for each build'),
  'build.sbom': noEffect('images are kept by Berth, without attestations'),
  'build.secrets': refused('use variables of builds: those that are secret are mounts of the same name'),
  'build.shm_size': refused(BUILDER),
  'build.ssh': refused('there is no agent; private repositories are read through a GitHub App'),
  'build.tags': noEffect('images are called by Berth'),
  'build.target': honoured('stage of the Dockerfile that becomes the image'),
  'build.ulimits': refused(BUILDER),
  cap_add: refused(HOST, ['CHOWN', 'SETUID', 'SETGID', 'KILL']),
  cap_drop: honoured('capabilities that the containers lack'),
  cgroup: refused(HOST, ['private']),
  cgroup_parent: refused(HOST),
  command: honoured('arguments of the image’s entry point; a text is split into words as compose splits it'),
  configs: refused(FILES),
  container_name: honoured('another name on the network'),
  cpu_count: refused(SIZE),
  cpu_percent: refused(SIZE),
  cpu_period: refused(SIZE),
  cpu_quota: refused(SIZE),
  cpu_rt_period: refused(SIZE),
  cpu_rt_runtime: refused(SIZE),
  cpu_shares: refused(SIZE),
  cpus: honoured('CPU of one container'),
  cpuset: refused(SIZE),
  credential_spec: refused(HOST),
  depends_on: honoured('the order of deployments'),
  'depends_on.*.condition': honoured('what is awaited; service_completed_successfully makes the other a job'),
  'depends_on.*.required': honoured('false: the other service may be absent'),
  'depends_on.*.restart': noEffect('a service that is deployed again restarts no other'),
  deploy: honoured('see its fields'),
  'deploy.endpoint_mode': noEffect(NETWORK),
  'deploy.labels': noEffect(LABELS),
  'deploy.mode': refused('write the number of containers under replicas', ['replicated']),
  'deploy.placement': noEffect(SCHEDULING),
  'deploy.replicas': honoured('number of containers, 1 to 10'),
  'deploy.resources': honoured('see its fields'),
  'deploy.resources.limits': honoured('see its fields'),
  'deploy.resources.limits.cpus': honoured('CPU of one container'),
  'deploy.resources.limits.memory': honoured('memory of one container'),
  'deploy.resources.limits.pids': refused('every container has the same limit of processes'),
  'deploy.resources.reservations': honoured('see its fields'),
  'deploy.resources.reservations.cpus': noEffect('what counts is the limit'),
  'deploy.resources.reservations.devices': refused('devices are the host’s'),
  'deploy.resources.reservations.generic_resources': refused('devices are the host’s'),
  'deploy.resources.reservations.memory': noEffect('what counts is the limit'),
  'deploy.restart_policy': noEffect('what ends is started again'),
  'deploy.rollback_config': noEffect(ROLLOUT),
  'deploy.update_config': noEffect(ROLLOUT),
  develop: noEffect('nothing is watched'),
  device_cgroup_rules: refused('devices are the host’s'),
  devices: refused('devices are the host’s'),
  dns: refused(DNS),
  dns_opt: refused(DNS),
  dns_search: refused(DNS),
  domainname: refused(DNS),
  entrypoint: honoured('the program, in place of the image’s entry point'),
  env_file: refused('the file is not in the text; write its lines under environment'),
  environment: honoured('variables of the environment; those that look secret are kept sealed'),
  expose: honoured('ports that other services reach'),
  extends: refused('write the service out'),
  external_links: refused('other containers of the host cannot be reached'),
  extra_hosts: refused(DNS),
  gpus: refused('devices are the host’s'),
  group_add: refused('containers have the groups of their user'),
  healthcheck: honoured('the health check of the app; of a worker, its readiness probe'),
  'healthcheck.disable': honoured('true: no health check'),
  'healthcheck.interval': honoured('period of the probe'),
  'healthcheck.retries': honoured('failures in a row before the container counts as unhealthy'),
  'healthcheck.start_interval': noEffect('the probe has one period'),
  'healthcheck.start_period': noEffect('a container that starts has BERTH_READY_TIMEOUT_SECONDS'),
  'healthcheck.test': honoured('the command, or, of curl and wget, the path'),
  'healthcheck.timeout': honoured('timeout of the probe'),
  hostname: honoured('name of the host in the container, and another name on the network'),
  image: honoured('the image; official PostgreSQL and MySQL become managed services'),
  init: honoured('an init process forwards signals and reaps'),
  ipc: refused(HOST, ['private']),
  isolation: refused(HOST, ['default']),
  label_file: noEffect(LABELS),
  labels: noEffect(LABELS),
  links: honoured('the order of deployments, and other names on the network'),
  logging: noEffect('output goes to the log of the environment'),
  mac_address: refused(ADDRESSES),
  mem_limit: honoured('memory of one container'),
  mem_reservation: noEffect('what counts is the limit'),
  mem_swappiness: refused(SIZE),
  memswap_limit: refused(SIZE),
  models: refused(MODELS),
  network_mode: refused('the installation has a network of its own', ['bridge', 'default']),
  networks: honoured('all services of an installation share one network'),
  'networks.*.aliases': honoured('other names on the network'),
  'networks.*.driver_opts': noEffect(NETWORK),
  'networks.*.gw_priority': noEffect(NETWORK),
  'networks.*.interface_name': refused(ADDRESSES),
  'networks.*.ipv4_address': refused(ADDRESSES),
  'networks.*.ipv6_address': refused(ADDRESSES),
  'networks.*.link_local_ips': refused(ADDRESSES),
  'networks.*.mac_address': refused(ADDRESSES),
  'networks.*.priority': noEffect(NETWORK),
  oom_kill_disable: refused(HOST),
  oom_score_adj: refused(HOST),
  pid: refused(HOST),
  pids_limit: refused('every container has the same limit of processes'),
  platform: refused('an image runs in its variant for the platform of the engine; leave it out'),
  ports: honoured(
    'the first that is published openly is the app’s; those on private addresses are reached by other services',
  ),
  'ports.*.app_protocol': noEffect('requests are HTTP'),
  'ports.*.host_ip': honoured('loopback, or an address of a private network: the port is not opened'),
  'ports.*.mode': noEffect('requests come by the name of a host'),
  'ports.*.name': noEffect('a port has no name'),
  'ports.*.protocol': honoured('only TCP is opened'),
  'ports.*.published': honoured('the address http://localhost:<port> in variables becomes that of the app'),
  'ports.*.target': honoured('port of the app'),
  post_start: refused(HOOKS),
  pre_stop: refused(HOOKS),
  privileged: refused(HOST),
  profiles: refused('leave services out that should not run'),
  provider: refused('each service is an image'),
  pull_policy: noEffect('an image is pinned when it is deployed'),
  pull_refresh_after: noEffect('an image is pinned when it is deployed'),
  read_only: honoured('the root of the container is read-only'),
  restart: honoured('what ends is started again; no and on-failure are refused for a worker, which would run again'),
  runtime: refused(HOST),
  scale: honoured('number of containers, 1 to 10'),
  secrets: refused('use variables: those that look secret are kept sealed'),
  security_opt: refused(HOST, ['no-new-privileges', 'no-new-privileges:true', 'no-new-privileges=true']),
  shm_size: honoured('size of /dev/shm'),
  stdin_open: noEffect('there is no terminal'),
  stop_grace_period: honoured('time between the signal to stop and the kill'),
  stop_signal: honoured('signal by which containers are stopped'),
  storage_opt: refused(HOST),
  sysctls: refused(HOST),
  tmpfs: honoured('file systems in memory'),
  tty: noEffect('there is no terminal'),
  ulimits: honoured('limits of the processes'),
  'ulimits.*.hard': honoured('hard limit'),
  'ulimits.*.soft': honoured('soft limit'),
  use_api_socket: refused(HOST),
  user: honoured('user of the processes'),
  userns_mode: refused(HOST),
  uts: refused(HOST),
  volumes: honoured('one volume of a service; mounts of type tmpfs are file systems in memory'),
  'volumes.*.bind': refused('it is a path of the host'),
  'volumes.*.consistency': noEffect('a volume is consistent'),
  'volumes.*.image': refused('it is no volume'),
  'volumes.*.read_only': refused('a volume belongs to one app, which may write to it; leave it out'),
  'volumes.*.source': honoured('name of the volume'),
  'volumes.*.target': honoured('path of the volume'),
  'volumes.*.tmpfs': honoured('see its fields'),
  'volumes.*.tmpfs.mode': refused('the folder has the engine’s own mode'),
  'volumes.*.tmpfs.size': honoured('size of the file system'),
  'volumes.*.type': honoured('volume and tmpfs'),
  'volumes.*.volume': honoured('see its fields'),
  'volumes.*.volume.labels': noEffect('a volume has no labels'),
  'volumes.*.volume.nocopy': refused('what the image has in the folder is copied'),
  'volumes.*.volume.subpath': refused('a volume is mounted as a whole'),
  volumes_from: refused('name the volume in the one service that needs it'),
  working_dir: honoured('working directory of the command'),
}

export const FATES: Readonly<Record<string, Fate>> = {
  ...TOP_LEVEL,
  ...Object.fromEntries(Object.entries(SERVICE).map(([field, fate]) => [`services.*.${field}`, fate])),
}

/** Refuses what is refused, and notes what has no effect, each at its place. */
export function applyFates(file: Fields, problems: ComposeProblems): void {
  visit(file, '', '', problems)
}

function visit(value: unknown, pattern: string, place: string, problems: ComposeProblems): void {
  const entries = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  for (const [name, inside] of entries) {
    if (isExtension(String(name), pattern)) continue
    const at = place === '' ? String(name) : `${place}.${name}`
    const known = patternOf(String(name), pattern)
    const fate = FATES[known]
    if (fate?.fate === 'refused') refuse(inside, at, fate, problems)
    else if (fate?.fate === 'no effect') problems.addNoEffect(at, fate.about)
    else visit(inside, known, at, problems)
  }
}

/** Of a field, or of an entry of a list or of a map with names of one's own. */
export function patternOf(name: string, pattern: string): string {
  const named = pattern === '' ? name : `${pattern}.${name}`
  return Object.hasOwn(FATES, named) ? named : `${pattern}.*`
}

/** The objects that have fields of the specification's names: elsewhere, such as in `environment`, each name is one's own. */
const WITH_FIELDS = new Set(Object.keys(FATES).map((field) => (field.endsWith('.*') ? '*' : parentOf(field))))

function parentOf(field: string): string {
  const at = field.lastIndexOf('.')
  return at < 0 ? '' : field.slice(0, at)
}

/** A field that begins with `x-`, where fields are the specification's. */
export const isExtension = (name: string, pattern: string): boolean => name.startsWith('x-') && WITH_FIELDS.has(pattern)

/** Fields that are off ask for nothing. */
function refuse(value: unknown, place: string, { about, allows = [] }: Fate, problems: ComposeProblems): void {
  const isOff =
    value === null || booleanOf(value) === false || value === '' || (typeof value === 'object' && isEmpty(value))
  if (isOff) return
  const texts = isObject(value) || allows.length === 0 ? [] : textsOf(value)
  const isAllowed = (text: string) => allows.includes(text) || allows.includes(text.toUpperCase().replace(/^CAP_/, ''))
  const others = texts.filter((one) => !isAllowed(one))
  if (texts.length > 0 && others.length === 0) return
  const what = others.length === 0 ? 'is' : `${others.join(', ').slice(0, 200)} is`
  problems.add(place, `${what} not supported: ${about}`)
}

const isEmpty = (value: object) => Object.keys(value).length === 0
