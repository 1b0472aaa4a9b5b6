import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { addressInTcpTable } from '../../domain/address-in-tcp-table.ts'

const CHECK_MS = 5_000

/** How long a client may leave the probes of an idle connection unanswered: ten of them, a second apart. */
const PROBES_MS = 10_000

/** Where Linux lists connections; elsewhere there is nothing of the kind. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const

/** A row whose retransmission timer (01) runs: local address and port, remote ones, state, queues, timer, retransmissions. */
const RETRANSMITS =
  /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]{2} [0-9A-F]{8}:[0-9A-F]{8} 01:[0-9A-F]{8} ([0-9A-F]{8})/gm

/**
 * Clients that are gone without a word: a phone without a network, a machine without power. Where a connection is silent,
 * TCP's probes find out. Where something was sent to the client, TCP sends it again instead, for a quarter of an hour: Node.js
 * cannot set TCP_USER_TIMEOUT, so this reads of which connections the kernel says so.
 */
export class VanishedClients {
  readonly #limitMs: number
  readonly #sockets = new Map<string, Socket>()
  /** Since when nothing is acknowledged. */
  readonly #since = new Map<Socket, number>()
  #checkedAt = Number.NEGATIVE_INFINITY
  #isChecking = false

  constructor(keepAliveMs: number) {
    this.#limitMs = keepAliveMs + PROBES_MS
  }

  watch(socket: Socket): void {
    const key = keyOf(socket.localPort, socket.remoteAddress, socket.remotePort)
    this.#sockets.set(key, socket)
    socket.once('close', () => {
      if (this.#sockets.get(key) === socket) this.#sockets.delete(key)
      this.#since.delete(socket)
    })
  }

  /** Checks every few seconds, and ends connections to clients that have acknowledged nothing for too long. */
  sweep(now: number): void {
    if (this.#isChecking || this.#sockets.size === 0 || now - this.#checkedAt < CHECK_MS) return
    this.#checkedAt = now
    this.#isChecking = true
    void this.#check(now).finally(() => {
      this.#isChecking = false
    })
  }

  async #check(now: number): Promise<void> {
    const silent = new Set<Socket>()
    for (const table of TABLES) {
      const text = await readFile(table, 'latin1').catch(() => '')
      for (const [, local = '', address = '', port = '', count = ''] of text.matchAll(RETRANSMITS)) {
        if (Number.parseInt(count, 16) === 0) continue
        const socket = this.#sockets.get(
          keyOf(Number.parseInt(local, 16), addressInTcpTable(address), Number.parseInt(port, 16)),
        )
        if (socket) silent.add(socket)
      }
    }
    for (const socket of this.#since.keys()) if (!silent.has(socket)) this.#since.delete(socket)
    for (const socket of silent) {
      const since = this.#since.get(socket) ?? now
      this.#since.set(socket, since)
      if (now - since >= this.#limitMs) socket.destroy()
    }
  }
}

const keyOf = (localPort: number | undefined, address: string | undefined, port: number | undefined): string =>
  `${localPort} ${address?.replace(/^::ffff:(?=\d+\.)/, '')} ${port}`
