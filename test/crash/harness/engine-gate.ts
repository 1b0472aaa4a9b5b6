import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'

/**
 * How the engine's socket behaves: it answers; takes requests and never answers; answers half and falls silent; or
 * cuts every connection.
 */
export type EngineWeather = 'fair' | 'mute' | 'half-open' | 'cut'

const HALF_OPEN_BYTES = 200

export interface EngineGate extends AsyncDisposable {
  host: string
  weather: EngineWeather
}

/** The engine's socket as Berth sees it, in any weather. */
export async function openEngineGate(path: string, socketPath: string): Promise<EngineGate> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const engine = createConnection(socketPath)
    for (const socket of [client, engine]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    }
    client.once('close', () => engine.destroy())
    engine.once('close', () => {
      if (gate.weather === 'fair') client.end()
    })
    client.on('data', (chunk) => {
      if (gate.weather === 'cut') client.destroy()
      else if (gate.weather !== 'mute') engine.write(chunk)
    })
    let received = 0
    engine.on('data', (chunk) => {
      if (gate.weather === 'cut') client.destroy()
      if (gate.weather === 'fair') client.write(chunk)
      if (gate.weather === 'half-open' && received < HALF_OPEN_BYTES)
        client.write(chunk.subarray(0, HALF_OPEN_BYTES - received))
      received += chunk.length
    })
  })
  const gate: EngineGate = {
    host: `unix://${path}`,
    weather: 'fair',
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await rm(path, { force: true })
    },
  }
  server.listen(path)
  await once(server, 'listening')
  return gate
}
