import type { ContainerInfo, ContainerInspectInfo } from 'dockerode'
import { inParallel } from '../../runtime/in-parallel.ts'
import type { DockerEngine } from '../connection.ts'
import { statusOf, tolerating } from '../engine-answers.ts'
import { LABEL } from '../labels.ts'
import type { AccountNetwork } from '../networks.ts'
import { createContainer } from './create-container.ts'
import { ensureHolderImage, HOLDER_IMAGE } from './holder-image.ts'

/** After it no container joins one that waits to be joined; a minute later the next sweep of any worker removes it. */
export const LIFETIME_MS = 600_000
const MARGIN_MS = 60_000
const AT_ONCE = 4
const MEMORY_BYTES = 16 * 1024 * 1024
const PROCESSES = 4
const ROLE = 'network-holder'
const JOINED = 'container:'

/** Network mode of a container that joins a holder. */
export const joining = ({ id }: { id: string }): string => `${JOINED}${id}`

export const isJoined = (networkMode: string): boolean => networkMode.startsWith(JOINED)

/** The id of the holder that a container was created to join; null for one with a connection of its own. */
export function holderOf({ HostConfig }: Pick<ContainerInspectInfo | ContainerInfo, 'HostConfig'>): string | null {
  const { NetworkMode = '' } = HostConfig
  return isJoined(NetworkMode) ? NetworkMode.slice(JOINED.length) : null
}

interface HolderOptions {
  network: AccountNetwork
  labels: Readonly<Record<string, string>>
  /** Name of what will join it, on the network. */
  alias?: string
}

/** A container that does nothing but hold a connection to the network. Returns its id; null on an engine that has none. */
export async function makeHolder(
  engine: DockerEngine,
  { network, labels, alias }: HolderOptions,
  signal: AbortSignal,
): Promise<string | null> {
  if (!(await hasImage(engine, signal))) return null
  const named = alias === undefined ? {} : { EndpointsConfig: { [network.name]: { Aliases: [alias] } } }
  const spec = {
    Image: HOLDER_IMAGE,
    Labels: { [LABEL.installation]: engine.installationId, [LABEL.role]: ROLE, ...labels },
    NetworkingConfig: named,
    HostConfig: {
      NetworkMode: network.name,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      ReadonlyRootfs: true,
      PidsLimit: PROCESSES,
      Memory: MEMORY_BYTES,
      MemorySwap: MEMORY_BYTES,
      LogConfig: { Type: 'none' as const, Config: {} },
    },
  }
  const { id } = await createContainer(engine, spec, signal).catch((error: unknown) => {
    // The image was removed meanwhile.
    if (statusOf(error) === 404) images.delete(engine)
    throw error
  })
  try {
    await engine.docker.getContainer(id).start({ abortSignal: signal })
    return id
  } catch (error) {
    await removeHolder(engine, id, signal)
    throw error
  }
}

/** Whether the image is there, once it was asked for. */
const images = new WeakMap<DockerEngine, Promise<boolean>>()

function hasImage(engine: DockerEngine, signal: AbortSignal): Promise<boolean> {
  const known = images.get(engine)
  if (known) return known
  const asked = ensureHolderImage(engine, signal)
  images.set(engine, asked)
  asked.catch(() => images.delete(engine))
  return asked
}

export async function removeHolder(engine: DockerEngine, id: string, signal: AbortSignal): Promise<void> {
  const container = engine.docker.getContainer(id)
  await tolerating([404, 409], () => container.remove({ force: true, v: true, abortSignal: signal }))
}

/** Whether it runs, and is connected to this very network. */
export async function holds(
  engine: DockerEngine,
  { id, networkId }: { id: string; networkId: string },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { State, NetworkSettings } = await engine.docker.getContainer(id).inspect({ abortSignal: signal })
    const endpoints = Object.values(NetworkSettings.Networks)
    return State.Running && endpoints.some(({ NetworkID, IPAddress }) => NetworkID === networkId && IPAddress !== '')
  } catch (error) {
    if (statusOf(error) === 404) return false
    throw error
  }
}

export const listHolders = (engine: DockerEngine, labels: readonly string[], signal: AbortSignal) =>
  engine.docker.listContainers({
    all: true,
    filters: { label: [`${LABEL.installation}=${engine.installationId}`, `${LABEL.role}=${ROLE}`, ...labels] },
    abortSignal: signal,
  })

/**
 * Removes holders that nothing is in, or will be: of an account, or, without one, those whose time is over, of any worker that made
 * them. Returns their ids.
 */
export async function removeUnusedHolders(
  engine: DockerEngine,
  accountId: string | null,
  signal: AbortSignal,
): Promise<string[]> {
  const holders = await listHolders(engine, accountId === null ? [] : [`${LABEL.account}=${accountId}`], signal)
  const isOver = ({ Created }: { Created: number }) => Date.now() - Created * 1000 > LIFETIME_MS + MARGIN_MS
  const over = holders.filter((holder) => accountId !== null || isOver(holder))
  return removeUnjoined(engine, over, signal)
}

/** Removes those of the holders that nothing is in, or will be. Returns their ids. */
export async function removeUnjoined(
  engine: DockerEngine,
  holders: readonly Pick<ContainerInfo, 'Id'>[],
  signal: AbortSignal,
): Promise<string[]> {
  if (holders.length === 0) return []
  const { docker, installationId } = engine
  const filters = { label: [`${LABEL.installation}=${installationId}`] }
  const all = await docker.listContainers({ all: true, filters, abortSignal: signal })
  const joined = new Set(all.filter(mayStart).map(holderOf))
  const unused = holders.map(({ Id }) => Id).filter((id) => !joined.has(id))
  await inParallel(unused, AT_ONCE, (id) => removeHolder(engine, id, signal))
  return unused
}

/** What has ended starts again only where it sleeps: a run never does. */
const mayStart = ({ State, Labels }: ContainerInfo): boolean => State !== 'exited' || Labels[LABEL.role] !== 'run'
