import { createHash } from 'node:crypto'
import { extract } from 'tar-stream'
import type { RunContainer } from '../../runtime/container-runtime.ts'
import type { DockerEngine } from '../connection.ts'
import { LABEL } from '../labels.ts'
import type { AccountNetwork } from '../networks.ts'
import { holds, LIFETIME_MS, makeHolder, removeHolder, removeUnusedHolders } from './holder.ts'

const MAX_BYTES = 64 * 1024

type Owner = Pick<RunContainer, 'accountId' | 'appEnvId'>

interface Holder extends Owner {
  id: string
  networkId: string
  /** By the monotonic clock. */
  createdAt: number
  /** Of the files that runs share with it: names, addresses, name servers. */
  files: string
}

/**
 * Containers that do nothing but hold a connection to an account's network, for runs to join. Most of the time that an
 * engine needs to start a container goes into that connection; a run that finds one made starts several times sooner.
 * One run at a time is in it, of one environment only, and it is thrown away when a run has changed its files. Only
 * this process uses those that it made. Whatever goes wrong here, a run gets a connection of its own.
 */
export class NetworkHolders {
  readonly #engine: DockerEngine
  readonly #most: number
  readonly #free: Holder[] = []
  readonly #busy = new Map<string, Holder>()
  #beingMade = 0

  constructor(engine: DockerEngine, most: number) {
    this.#engine = engine
    this.#most = most
  }

  /** One that is connected to this very network; null when there is none. */
  async claim({ appEnvId }: Owner, network: AccountNetwork, signal: AbortSignal): Promise<Holder | null> {
    for (;;) {
      const index = this.#free.findIndex((holder) => holder.appEnvId === appEnvId)
      const [holder] = index < 0 ? [] : this.#free.splice(index, 1)
      if (!holder) return null
      const isYoung = performance.now() - holder.createdAt < LIFETIME_MS
      if (isYoung && holder.networkId === network.id && (await holds(this.#engine, holder, signal))) return holder
      this.discard(holder)
    }
  }

  /** The run's container is in it from now on. */
  occupy(containerId: string, holder: Holder): void {
    this.#busy.set(containerId, holder)
  }

  /** The container has ended, or is gone: another run of the environment may have its holder. */
  release(containerId: string): void {
    const holder = this.#busy.get(containerId)
    if (!this.#busy.delete(containerId) || !holder) return
    this.#inBackground(async (signal) => {
      const isUnchanged = (await this.#filesOf(holder.id, signal).catch(() => null)) === holder.files
      if (isUnchanged) this.#free.push(holder)
      else await removeHolder(this.#engine, holder.id, signal)
    })
  }

  /** No container joined it. */
  giveBack(holder: Holder): void {
    this.#free.push(holder)
  }

  /** For one that is not as it should be, or that a run may have joined without our knowing. */
  discard({ id }: Holder): void {
    this.#inBackground((signal) => removeHolder(this.#engine, id, signal))
  }

  /** Makes one for the next run of the environment, in the background. The one that waited longest for its run makes room. */
  refill(owner: Owner): void {
    if (this.#free.some(({ appEnvId }) => appEnvId === owner.appEnvId)) return
    if (this.#beingMade + this.#busy.size >= this.#most) return
    const isFull = this.#beingMade + this.#busy.size + this.#free.length >= this.#most
    const [oldest] = isFull ? this.#free.splice(0, 1) : []
    if (oldest) this.discard(oldest)
    this.#beingMade += 1
    this.#inBackground(async (signal) => {
      try {
        const holder = await this.#make(owner, signal)
        if (holder) this.#free.push(holder)
      } finally {
        this.#beingMade -= 1
      }
    })
  }

  /** Removes those of the account that nothing is in, or, without an account, those whose time is over, of any worker. */
  async removeUnused(accountId: string | null, signal: AbortSignal): Promise<void> {
    const removed = await removeUnusedHolders(this.#engine, accountId, signal)
    const left = this.#free.filter(({ id }) => !removed.includes(id))
    this.#free.splice(0, this.#free.length, ...left)
  }

  async #make({ accountId, appEnvId }: Owner, signal: AbortSignal): Promise<Holder | null> {
    const network = await this.#engine.networks.ensure(accountId)
    const id = await makeHolder(this.#engine, { network, labels: { [LABEL.account]: accountId } }, signal)
    if (id === null) return null
    try {
      const files = await this.#filesOf(id, signal)
      return { id, accountId, appEnvId, networkId: network.id, createdAt: performance.now(), files }
    } catch (error) {
      await removeHolder(this.#engine, id, signal)
      throw error
    }
  }

  /** A fingerprint of /etc, which holds nothing but the files that runs share. Throws for one that a run has made large. */
  async #filesOf(id: string, signal: AbortSignal): Promise<string> {
    const archive = await this.#engine.docker.getContainer(id).getArchive({ path: '/etc', abortSignal: signal })
    const hash = createHash('sha256')
    let bytes = 0
    for await (const entry of archive.pipe(extract())) {
      const { name, type, size = 0, mode } = entry.header
      bytes += size
      if (bytes > MAX_BYTES) throw new Error(`A run has made ${name} ${size} bytes long`)
      hash.update(`${name} ${type} ${size} ${mode}\n`)
      for await (const chunk of entry) hash.update(chunk as Buffer)
    }
    return hash.digest('hex')
  }

  #inBackground(work: (signal: AbortSignal) => Promise<void>): void {
    const signal = AbortSignal.timeout(this.#engine.callTimeoutSeconds * 1000)
    // A holder that is lost by this is removed when its time is over; a run without one has a connection of its own.
    void work(signal).catch(() => {})
  }
}
