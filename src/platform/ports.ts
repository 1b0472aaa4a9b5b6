import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { ingressHost } from '../domain/listen-address.ts'
import { readProcessInfo } from './process-registry/process-info.ts'
import type { ProcessRegistration } from './process-registry/process-registry.ts'

const STOPPING_WAIT_MS = 20_000
const RETRY_MS = 200
const SUGGESTIONS = 20

type PortSetting = 'PORT' | 'INGRESS_PORT' | 'BERTH_HEALTH_PORT'

/** The ports that this process will listen on; 0 asks for any, except for the health port, where it means none. */
function wanted({ BERTH_ROLES: roles, ...config }: Config): PortSetting[] {
  const settings: PortSetting[] = []
  if (roles.includes('api')) settings.push('PORT')
  else settings.push('BERTH_HEALTH_PORT')
  if (roles.includes('ingress')) settings.push('INGRESS_PORT')
  return settings.filter((setting) => config[setting] !== 0)
}

/**
 * Rejects when a port cannot be had, before anything is started that would have to be undone, such as migrating
 * the database of the Berth that has the port. One that is being stopped is waited for.
 */
export async function assertPortsFree(config: Config, processRegistration: ProcessRegistration): Promise<void> {
  for (const setting of wanted(config)) {
    const deadline = performance.now() + STOPPING_WAIT_MS
    for (;;) {
      const refusal = await tryPort(hostOf(config, setting).host, config[setting])
      if (!refusal) break
      const isPassing =
        refusal.code === 'EADDRINUSE' && (await listenerOn(config[setting], processRegistration))?.isStopping
      if (!isPassing || performance.now() > deadline)
        throw await explained(refusal, config, setting, processRegistration)
      await sleep(RETRY_MS)
    }
  }
}

/** Starts a listener. When another process has taken the port meanwhile, throws an error that names the setting. */
export async function onPort<T>(
  { config, processRegistration }: { config: Config; processRegistration: ProcessRegistration },
  setting: PortSetting,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open()
  } catch (error) {
    throw await explained(error as NodeJS.ErrnoException, config, setting, processRegistration)
  }
}

async function explained(
  error: NodeJS.ErrnoException,
  config: Config,
  setting: PortSetting,
  processRegistration: ProcessRegistration,
): Promise<Error> {
  const port = config[setting]
  const { host, setting: hostSetting } = hostOf(config, setting)
  if (error.code === 'EADDRINUSE') return new Error(await taken(config, setting, processRegistration))
  if (error.code === 'EACCES') {
    return new Error(`${setting}=${port}: this user may not listen on port ${port}. Set ${setting} to one above 1023.`)
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') {
    return new Error(
      `${hostSetting}=${host} is not an address of this machine. Set ${hostSetting} to one that is: 127.0.0.1 for this machine only, 0.0.0.0 for all.`,
    )
  }
  return error
}

async function taken(config: Config, setting: PortSetting, processRegistration: ProcessRegistration): Promise<string> {
  const port = config[setting]
  const listener = await listenerOn(port, processRegistration)
  if (listener) {
    return (
      `Berth already runs on this data directory (${processRegistration.dataDir}) and has port ${port}.\n` +
      `  It is ${readProcessInfo(listener)}\n` +
      `Use that one, or stop it first (Ctrl-C where it runs, or kill ${listener.pid}). ` +
      'To run another beside it, set BERTH_DATA_DIR, PORT and INGRESS_PORT to other ones.'
    )
  }
  const { host } = hostOf(config, setting)
  const free = await freeAfter(host, port)
  const suggestion = free ? `, such as ${setting}=${free}` : ''
  return `Port ${port} on ${host} is taken by another program. Set ${setting} to a free one${suggestion}.`
}

const listenerOn = async (port: number, processRegistration: ProcessRegistration) =>
  (await processRegistration.listProcesses()).living.find(({ ports }) => ports.includes(port))

async function freeAfter(host: string, port: number): Promise<number | null> {
  for (let next = port + 1; next <= Math.min(port + SUGGESTIONS, 65_535); next += 1) {
    if (!(await tryPort(host, next))) return next
  }
  return null
}

/** The address that the port is listened on at, and the setting that says so. */
function hostOf(config: Config, setting: PortSetting): { host: string; setting: string } {
  const isOfIngress = setting === 'INGRESS_PORT' && config.BERTH_INGRESS_HOST !== undefined
  return isOfIngress
    ? { host: ingressHost(config), setting: 'BERTH_INGRESS_HOST' }
    : { host: config.HOST, setting: 'HOST' }
}

/** Why the port cannot be listened on; null when it can. */
export function tryPort(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', resolve)
    probe.listen(port, host, () => probe.close(() => resolve(null)))
  })
}
