import { parseImageReference } from './image-reference.ts'

/** Names under which Docker Hub is known to engines, clients and people. */
const HUB_NAMES: ReadonlySet<string> = new Set([
  'docker.io',
  'index.docker.io',
  'registry-1.docker.io',
  'registry.hub.docker.com',
  'hub.docker.com',
])
const HUB = 'docker.io'

/**
 * The registry that a login is for, as image references name it. Registries are written as hosts, or as addresses that
 * engines use for them. None means Docker Hub, as for the login command of every client.
 */
export function registryOfLogin(server: string | undefined): string {
  const address = (server ?? '')
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
  const [host = ''] = address.split('/', 1)
  return host === '' || HUB_NAMES.has(host) ? HUB : host
}

/** The login whose registry an image is in: nothing else may ever receive it. */
export function loginFor<Login>(image: string, logins: Readonly<Record<string, Login>>): Login | null {
  const parsed = parseImageReference(image)
  if ('problem' in parsed) return null
  const { registry } = parsed.reference
  return Object.entries(logins).find(([server]) => registryOfLogin(server) === registry)?.[1] ?? null
}
