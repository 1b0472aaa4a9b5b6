/** Where a container engine listens. */
export type EngineAddress =
  | { kind: 'socket'; path: string }
  | { kind: 'tls'; host: string; port: number }
  | { kind: 'ssh'; user: string; host: string; port: number; path: string }

export const LOCAL_SOCKET = '/var/run/docker.sock'
const TLS_PORT = 2376
const SSH_PORT = 22

/** What an address has to look like, for messages. */
export const ENGINE_ADDRESSES = 'unix:///path, tcp://host[:port] or ssh://user@host[:port][/path]'

/**
 * The engine's address that a text names; null when it names none. Plain TCP is none: every client that reaches it
 * controls the machine.
 */
export function parseEngineAddress(text: string): EngineAddress | null {
  if (!URL.canParse(text)) return null
  const { protocol, hostname, port, pathname, username, password, search, hash } = new URL(text)
  if (password !== '' || search !== '' || hash !== '') return null
  const path = decoded(pathname)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const hasPath = path !== '' && path !== '/'
  if (protocol === 'unix:') return host === '' && username === '' && hasPath ? { kind: 'socket', path } : null
  if (host === '') return null
  if (protocol === 'tcp:')
    return username === '' && !hasPath ? { kind: 'tls', host, port: Number(port || TLS_PORT) } : null
  if (protocol !== 'ssh:' || username === '') return null
  const user = decoded(username)
  return user === ''
    ? null
    : { kind: 'ssh', user, host, port: Number(port || SSH_PORT), path: hasPath ? path : LOCAL_SOCKET }
}

/** Empty where a percent sign introduces nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
