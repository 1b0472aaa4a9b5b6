import type { ExpectedReplica, Rollout } from '../../runtime/container-runtime.ts'
import type { DockerEngine } from '../connection.ts'
import { statusOf } from '../engine-answers.ts'
import { LABEL } from '../labels.ts'
import type { AccountNetwork } from '../networks.ts'
import { holds, LIFETIME_MS, listHolders, makeHolder, removeHolder, removeUnjoined } from './holder.ts'

/** The environment whose container it is for. Not the label of its containers: lists of these mean replicas. */
const HELD_FOR = 'berth.network-of'

interface Spare {
  id: string
  networkId: string
  /** By the monotonic clock. */
  createdAt: number
}

/**
 * Connections of containers that sleep and wake, each held by a container that does nothing else, so that a start does
 * not wait for the engine to make one. Each is for one replica, and removed with it. Only this process gives those away
 * that it has made; whatever goes wrong here, a container gets a connection of its own.
 */
export class ReplicaNetworks {
  readonly #engine: DockerEngine
  readonly #most: number
  /** By environment. Nothing was ever in them. */
  readonly #spares = new Map<string, Spare>()

  constructor(engine: DockerEngine, most: number) {
    this.#engine = engine
    this.#most = most
  }

  /** For the container that is created next; null: it gets a connection of its own. */
  async claim(rollout: Rollout, network: AccountNetwork, signal: AbortSignal): Promise<{ id: string } | null> {
    const { heldNetwork, appEnvId } = rollout
    if (this.#most === 0) return null
    if (heldNetwork === 'NONE' && !this.#spares.has(appEnvId)) return null
    const holder = await this.#spareOrNew(rollout, network, signal)
    this.#removeOthers(appEnvId, holder)
    return holder
  }

  async #spareOrNew(rollout: Rollout, network: AccountNetwork, signal: AbortSignal): Promise<Spare | null> {
    const { heldNetwork, appEnvId, accountId, cliEnvName } = rollout
    try {
      const spare = this.#spares.get(appEnvId)
      this.#spares.delete(appEnvId)
      const isWanted = spare && heldNetwork !== 'NONE' && performance.now() - spare.createdAt < LIFETIME_MS
      if (isWanted && spare.networkId === network.id && (await holds(this.#engine, spare, signal))) return spare
      if (spare) this.giveBack(spare)
      return heldNetwork === 'MADE' ? await this.#make({ appEnvId, accountId, cliEnvName }, signal) : null
    } catch (error) {
      signal.throwIfAborted()
      if (statusOf(error) === null) throw error
      return null
    }
  }

  /** Nothing joined it. */
  giveBack({ id }: { id: string }): void {
    this.#inBackground((signal) => removeHolder(this.#engine, id, signal))
  }

  /**
   * Those that nothing is in, of any worker: each has the environment's name on the network, and a client of it
   * would be sent to where no program listens.
   */
  #removeOthers(appEnvId: string, kept: Spare | null): void {
    this.#inBackground(async (signal) => {
      const present = await listHolders(this.#engine, [`${HELD_FOR}=${appEnvId}`], signal)
      const others = present.filter(({ Id }) => Id !== kept?.id)
      await removeUnjoined(this.#engine, others, signal)
    })
  }

  /** Makes one, for a while, for an environment that will have no container. Whether that succeeds is of no importance. */
  async expect(expected: ExpectedReplica, signal: AbortSignal): Promise<void> {
    if (this.#most === 0) return
    try {
      const spare = await this.#make(expected, signal)
      if (!spare) return
      const former = this.#spares.get(expected.appEnvId)
      this.#spares.set(expected.appEnvId, spare)
      if (former) this.giveBack(former)
    } catch (error) {
      signal.throwIfAborted()
      if (statusOf(error) === null) throw error
    }
  }

  /** Null when there are as many as may be, or none can be. */
  async #make({ accountId, appEnvId, cliEnvName }: ExpectedReplica, signal: AbortSignal): Promise<Spare | null> {
    const present = await listHolders(this.#engine, [HELD_FOR], signal)
    if (present.length >= this.#most) return null
    const network = await this.#engine.networks.ensure(accountId)
    const labels = { [LABEL.account]: accountId, [HELD_FOR]: appEnvId }
    const id = await makeHolder(this.#engine, { network, labels, alias: cliEnvName }, signal)
    if (id === null) return null
    return { id, networkId: network.id, createdAt: performance.now() }
  }

  #inBackground(work: (signal: AbortSignal) => Promise<void>): void {
    const signal = AbortSignal.timeout(this.#engine.callTimeoutSeconds * 1000)
    // One that is lost by this is removed when its time is over.
    void work(signal).catch(() => {})
  }
}
