import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'

export const DEFAULT_SOCKET = '/var/run/docker.sock'

/**
 * The address of a container engine that answers, in DOCKER_HOST's notation, or null. When DOCKER_HOST is set, only
 * that address is tried; otherwise the sockets of the usual engines, in turn.
 */
export async function findEngine() {
  if (process.env.DOCKER_HOST) return (await answers(process.env.DOCKER_HOST)) ? process.env.DOCKER_HOST : null
  for (const socket of sockets()) {
    const address = `unix://${socket}`
    if (existsSync(socket) && (await answers(address))) return address
  }
  return null
}

function sockets() {
  const home = homedir()
  const runtime = process.env.XDG_RUNTIME_DIR ?? `/run/user/${process.getuid?.() ?? 0}`
  return [
    DEFAULT_SOCKET,
    join(runtime, 'docker.sock'),
    join(home, '.docker/run/docker.sock'),
    join(home, '.docker/desktop/docker.sock'),
    join(home, '.orbstack/run/docker.sock'),
    join(home, '.colima/default/docker.sock'),
    join(home, '.rd/docker.sock'),
  ]
}

/** Whether an engine answers and accepts us. */
export function answers(address) {
  const url = new URL(address)
  const target =
    url.protocol === 'unix:' ? { socketPath: url.pathname } : { host: url.hostname, port: Number(url.port || 2375) }
  // An engine behind TLS is not probed: the user who set DOCKER_HOST holds its certificates.
  if (process.env.DOCKER_TLS_VERIFY || url.protocol === 'https:') return Promise.resolve(true)
  return new Promise((resolve) => {
    const probe = request({ ...target, path: '/_ping', timeout: 3_000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    probe.once('timeout', () => probe.destroy())
    probe.once('error', () => resolve(false))
    probe.end()
  })
}
