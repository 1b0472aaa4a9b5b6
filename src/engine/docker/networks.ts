import type Docker from 'dockerode'
import { failpoint } from '../../fault-injection/failpoint.ts'
import { bridgeInterface } from '../bridge-interface.ts'
import { messageOf, statusOf, tolerating } from './engine-answers.ts'
import { LABEL } from './labels.ts'

/** Every account has its own bridge, so that its containers reach each other and no others. */
export const networkName = (installationId: string, accountId: string): string =>
  `berth-${installationId.slice(-8)}-${accountId.slice(-8)}`

const networkLabels = (installationId: string, accountId: string): Record<string, string> => ({
  [LABEL.installation]: installationId,
  [LABEL.role]: 'network',
  [LABEL.account]: accountId,
})

/** By default, engines have addresses for about thirty networks. */
const OUT_OF_ADDRESSES =
  'The container engine has no addresses left for another account network: give it more "default-address-pools"'

const CONFLICT = 409
const FORBIDDEN = 403
const NOT_FOUND = 404

interface NetworkEngine {
  docker: Docker
  installationId: string
  callTimeoutSeconds: number
}

/** The account networks known to exist; a wrong entry shows when a container cannot start, and is then removed. */
export class AccountNetworks {
  readonly #engine: NetworkEngine
  readonly #known = new Map<string, Promise<string>>()

  constructor(engine: NetworkEngine) {
    this.#engine = engine
  }

  /** Name of the account's network; creates it unless this process knows that it exists. */
  ensure(accountId: string): Promise<string> {
    const known = this.#known.get(accountId)
    if (known) return known
    const created = this.#create(accountId)
    this.#known.set(accountId, created)
    created.catch(() => this.dropCached(accountId))
    return created
  }

  dropCached(accountId: string): void {
    this.#known.delete(accountId)
  }

  /** Removes the network unless something is attached to it; then the engine answers with 403 (or 409). */
  async remove(accountId: string, signal: AbortSignal): Promise<void> {
    this.dropCached(accountId)
    const network = this.#engine.docker.getNetwork(networkName(this.#engine.installationId, accountId))
    await tolerating([NOT_FOUND, FORBIDDEN, CONFLICT], () => network.remove({ abortSignal: signal }))
  }

  /** Not bound to one caller's signal, because several may wait for the same network; within() bounds each of them. */
  async #create(accountId: string): Promise<string> {
    const { docker, installationId, callTimeoutSeconds } = this.#engine
    const name = networkName(installationId, accountId)
    try {
      await docker.createNetwork({
        Name: name,
        Driver: 'bridge',
        CheckDuplicate: true,
        Labels: networkLabels(installationId, accountId),
        // An engine lets two callers at once create two networks of one name, and then refuses that name as ambiguous.
        // An interface name is unique, so naming the bridge's interface decides the race in the engine.
        Options: { 'com.docker.network.bridge.name': bridgeInterface(installationId, accountId) },
        abortSignal: AbortSignal.timeout(callTimeoutSeconds * 1000),
      })
      failpoint('network.created', accountId)
    } catch (error) {
      if (isOutOfAddresses(error)) throw new Error(OUT_OF_ADDRESSES, { cause: error })
      if (!existsAlready(error)) throw error
    }
    return name
  }
}

const existsAlready = (error: unknown): boolean =>
  statusOf(error) === CONFLICT || (statusOf(error) === FORBIDDEN && messageOf(error).includes('same bridge name'))

const isOutOfAddresses = (error: unknown): boolean =>
  statusOf(error) !== null && /available,? non-overlapping|fully subnetted/.test(messageOf(error))
