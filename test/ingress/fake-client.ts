import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'

/** The server's end of a client connection without a network: what is pushed was sent by the client. */
export class FakeClient extends Duplex {
  /** The other end has given up. */
  hasBroken = false
  written = ''
  /** What is written to it stays in memory. */
  takesNothing = false

  override _read(): void {}
  override _write(chunk: Buffer, _encoding: unknown, done: () => void): void {
    this.written += chunk.toString('latin1')
    if (!this.takesNothing) done()
  }
  destroySoon(): void {
    this.end(() => this.destroy())
  }
  resetAndDestroy(): void {
    this.destroy()
  }
  setTimeout(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
}

/** What was read is handed on and parsed in later turns of the event loop. */
export async function turns(count = 8): Promise<void> {
  for (let done = 0; done < count; done += 1) await turn()
}

/** Sends the pieces one by one, and leaves once what they lead to has happened. */
export async function talk(pieces: readonly Buffer[], client: FakeClient): Promise<void> {
  for (const piece of pieces) {
    if (client.destroyed || client.hasBroken) break
    client.push(Buffer.from(piece))
    await turn()
  }
  await turns()
  client.destroy()
}
