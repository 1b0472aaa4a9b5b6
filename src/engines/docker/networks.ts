import { setTimeout as pause } from 'node:timers/promises'
import type Docker from 'dockerode'
import type { NetworkInspectInfo } from 'dockerode'
import { failpoint } from '../../fault-injection/failpoint.ts'
import { bridgeInterface } from '../bridge-interface.ts'
import { statusOf, tolerating } from './engine-answers.ts'
import { refusedAs } from './engine-words.ts'
import { LABEL } from './labels.ts'

/**
 * Every account has its own bridge, so that its containers reach each other and no others. So has every group of
 * environments within an account.
 */
export const networkName = (installationId: string, ownerId: string): string =>
  `${namePrefix(installationId)}${ownerId.slice(-8)}`

/** Whether an installation's network has this name. */
export const isNetworkName = (installationId: string, name: string): boolean =>
  name.startsWith(namePrefix(installationId))

const namePrefix = (installationId: string): string => `berth-${installationId.slice(-8)}-`

const networkLabels = (installationId: string, { accountId, groupId }: NetworkOwner): Record<string, string> => ({
  [LABEL.installation]: installationId,
  [LABEL.role]: 'network',
  [LABEL.account]: accountId,
  ...(groupId === null ? {} : { [LABEL.group]: groupId }),
})

/** By default, engines have addresses for about thirty networks. */
const OUT_OF_ADDRESSES =
  'The container engine has no addresses left for another network: give it more "default-address-pools"'

const CONFLICT = 409
const FORBIDDEN = 403
const NOT_FOUND = 404
const FAILED = 500

/** While another process makes the network, the engine refuses its name and does not list it yet. */
const ATTEMPTS = 10
const ATTEMPT_PAUSE_MS = 50

/** Engines name the interface of a bridge in this option. */
const BRIDGE_NAME = 'com.docker.network.bridge.name'

interface NetworkEngine {
  docker: Docker
  installationId: string
  callTimeoutSeconds: number
}

interface NetworkOwner {
  accountId: string
  /** Null: the account's own. */
  groupId: string | null
}

export interface AccountNetwork {
  /** Differs from that of the network that was made again under its name. */
  id: string
  name: string
  /** Its interface on the engine's machine. */
  bridge: string
}

/**
 * The networks of accounts and of their groups. Whether one exists is asked each time: an operator may have removed it, and a build or a
 * container that joins one which is gone fails.
 */
export class AccountNetworks {
  readonly #engine: NetworkEngine
  readonly #underWay = new Map<string, Promise<AccountNetwork>>()

  constructor(engine: NetworkEngine) {
    this.#engine = engine
  }

  /** The network of the account, or of its group, created when it is missing. Callers at the same time share one answer. */
  ensure(accountId: string, groupId: string | null = null): Promise<AccountNetwork> {
    const ownerId = groupId ?? accountId
    const underWay = this.#underWay.get(ownerId)
    if (underWay) return underWay
    const ensured = this.#findOrCreate({ accountId, groupId }).finally(() => this.#underWay.delete(ownerId))
    this.#underWay.set(ownerId, ensured)
    return ensured
  }

  /** Removes the network unless something is attached to it; then the engine answers with 403 (or 409). */
  async remove(ownerId: string, signal: AbortSignal): Promise<void> {
    const network = this.#engine.docker.getNetwork(networkName(this.#engine.installationId, ownerId))
    await tolerating([NOT_FOUND, FORBIDDEN, CONFLICT], () => network.remove({ abortSignal: signal }))
  }

  /**
   * Removes a network that carries nothing any more, such as one whose bridge is gone, and disconnects its containers,
   * so that it can be made again. Named by its id: another worker may have made it again already.
   */
  async discard(networkId: string, signal: AbortSignal): Promise<void> {
    const { docker } = this.#engine
    const network = docker.getNetwork(networkId)
    const filters = { network: [networkId] }
    for (const { Id } of await docker.listContainers({ all: true, filters, abortSignal: signal })) {
      const request = { Container: Id, Force: true, abortSignal: signal }
      await tolerating([NOT_FOUND, FORBIDDEN, CONFLICT, FAILED], () => network.disconnect(request))
    }
    await tolerating([NOT_FOUND, FORBIDDEN, CONFLICT], () => network.remove({ abortSignal: signal }))
  }

  /** Not bound to one caller's signal, because several may wait for the same network; within() bounds each of them. */
  async #findOrCreate(owner: NetworkOwner): Promise<AccountNetwork> {
    const { installationId, callTimeoutSeconds } = this.#engine
    const signal = AbortSignal.timeout(callTimeoutSeconds * 1000)
    const ownerId = owner.groupId ?? owner.accountId
    const name = networkName(installationId, ownerId)
    const bridge = bridgeInterface(installationId, ownerId)
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const found = await this.#find(name, signal)
      if (found?.Labels?.[LABEL.installation] === installationId) return { id: found.Id, name, bridge }
      // Made by hand under our name, it would have an interface that no firewall rule names.
      if (found) await this.discard(found.Id, signal)
      const id = await this.#create(owner, { name, bridge }, signal)
      if (id) return { id, name, bridge }
      await pause(ATTEMPT_PAUSE_MS * attempt, undefined, { signal })
    }
    throw new Error(`The network ${name} is being made by another worker, and did not appear`)
  }

  async #find(name: string, abortSignal: AbortSignal): Promise<NetworkInspectInfo | null> {
    const { docker } = this.#engine
    const similar: NetworkInspectInfo[] = await docker.listNetworks({ filters: { name: [name] }, abortSignal })
    return similar.find(({ Name }) => Name === name) ?? null
  }

  /** The id; null when there is one of this name already, or will be. */
  async #create(
    owner: NetworkOwner,
    { name, bridge }: Omit<AccountNetwork, 'id'>,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { docker, installationId } = this.#engine
    try {
      const { id } = await docker.createNetwork({
        Name: name,
        Driver: 'bridge',
        CheckDuplicate: true,
        Labels: networkLabels(installationId, owner),
        // An engine lets two callers at once create two networks of one name, and then refuses that name as ambiguous.
        // An interface name is unique, so naming the bridge's interface decides the race in the engine.
        Options: { [BRIDGE_NAME]: bridge },
        abortSignal: signal,
      })
      failpoint('network.created', owner.accountId)
      return id
    } catch (error) {
      if (refusedAs(error, 'addressesUsedUp')) throw new Error(OUT_OF_ADDRESSES, { cause: error })
      if (!existsAlready(error)) throw error
      return null
    }
  }
}

const existsAlready = (error: unknown): boolean => statusOf(error) === CONFLICT || refusedAs(error, 'bridgeTaken')
