import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How an engine fails: it never answers, in the middle of an answer stops sending or disconnects, or refuses. */
export type EngineFault = {
  /** Requests that match fail; the others reach the engine and are answered. All fail when omitted. */
  only?: RegExp
} & ({ kind: 'mute' | 'stall' | 'hangUp' } | Refusal)

/** The first `times` requests that match are refused; all of them when omitted. */
interface Refusal {
  kind: 'refuse'
  status: number
  message: string
  times?: number
}

export interface EngineProxy extends AsyncDisposable {
  host: string
  /** First line of every request, as `GET /containers/json?… HTTP/1.1`. */
  requests: string[]
}

/** Enough for the status line, and less than any answer's headers and body. */
const SOME_BYTES = 60

/** A socket that stands for the engine's and fails in the given way, or only listens without one. */
export async function engineProxy(socketPath: string, fault: EngineFault | null): Promise<EngineProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-engine-'))
  const path = join(folder, 'engine.sock')
  const requests: string[] = []
  const sockets = new Set<Socket>()
  let refused = 0
  const server = createServer((client) => {
    const engine = createConnection(socketPath)
    for (const socket of [client, engine]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    }
    client.once('close', () => engine.destroy())
    client.once('data', (first) => {
      const request = first.toString('latin1').split('\r\n', 1)[0] ?? ''
      requests.push(request)
      const fails = fault !== null && (fault.only?.test(request) ?? true)
      if (fails && fault.kind === 'mute') return
      if (fails && fault.kind === 'refuse' && refused < (fault.times ?? Number.POSITIVE_INFINITY)) {
        refused += 1
        client.end(refusal(fault))
        return
      }
      engine.write(first)
      client.pipe(engine)
      if (fails && fault.kind !== 'refuse') failAfterSome(engine, client, fault)
      else engine.pipe(client)
    })
  })
  server.listen(path)
  await once(server, 'listening')
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
  }
  return { host: `unix://${path}`, requests, [Symbol.asyncDispose]: close }
}

function refusal({ status, message }: Refusal): string {
  const body = JSON.stringify({ message })
  const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close']
  return [`HTTP/1.1 ${status} Refused`, ...headers, '', body].join('\r\n')
}

function failAfterSome(engine: Socket, client: Socket, fault: EngineFault): void {
  engine.once('data', (answer) => {
    const bodyAt = answer.indexOf('\r\n\r\n')
    // In the body if there is one, so that the client gets an answer that then stops.
    const end = bodyAt > 0 && answer.length > bodyAt + 8 ? bodyAt + 8 : SOME_BYTES
    client.write(answer.subarray(0, end))
    if (fault.kind === 'hangUp') client.end()
  })
}
