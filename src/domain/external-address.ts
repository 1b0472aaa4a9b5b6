import { isWithin } from './host-name.ts'

/** The settings that say how clients reach managed services from outside. */
export interface ExternalAddressSettings {
  BERTH_TCP_ADDRESS?: string | undefined
  BERTH_TCP_PORTS: readonly number[]
}

interface Reached {
  cliEnvName: string
  region: { domain: string }
  externalAccess: { port: number | null } | null
}

/** Where clients from outside reach an environment by plain TCP; null where they do not. */
export function externalAddress(
  { BERTH_TCP_ADDRESS: address, BERTH_TCP_PORTS: ports }: ExternalAddressSettings,
  { cliEnvName, region: { domain }, externalAccess }: Reached,
): { host: string; port: number } | null {
  const port = externalAccess?.port ?? null
  // The range may have been changed since, and nothing listens on a port outside of it.
  if (port === null || !ports.includes(port)) return null
  // Browsers resolve every name below .localhost by themselves; database clients do not.
  const name = isWithin(domain, 'localhost') ? 'localhost' : `${cliEnvName}.${domain}`
  return { host: address ?? name, port }
}
