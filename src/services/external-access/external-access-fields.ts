import { z } from 'zod'
import { fieldsOf, flag, text, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import { type ExternalAddressSettings, externalAddress } from '../../domain/external-address.ts'
import type { ExternalAccess } from '../../storage/database/generated/prisma/client.ts'

type Shown = Omit<ExternalAccess, 'port'> & { host: string | null; port: number | null; isEnabled: boolean }

const field = fieldsOf<Shown>()

/** As the record of its environment shows it. */
export const externalAccess = resource({
  name: 'ExternalAccess',
  description: 'How clients from outside reach a managed service, by plain TCP through the ingress.',
  fields: {
    enabled: field.from({}, flag, 'Whether clients from outside reach the environment.', (row: Shown) => row.isEnabled),
    host: field.column('host', text.nullable(), 'Host name or address that clients connect to. Null while it is off.'),
    port: field.column(
      'port',
      whole.nullable(),
      'Port that clients connect to. It stays the same until external access is turned off. Null while it is off.',
    ),
    allowedCidrs: field.column(
      'allowedCidrs',
      z.array(text),
      'Addresses and CIDR ranges that may connect; all others are refused.',
    ),
    maxConnections: field.from(
      {},
      whole,
      'Maximum number of connections from outside at a time, per ingress.',
      ({ maxConnections }: Shown, { config }) => maxConnections ?? config.BERTH_TCP_DEFAULT_CONNECTIONS,
    ),
  },
})

export interface WithExternalAccess {
  cliEnvName: string
  region: { domain: string }
  externalAccess: ExternalAccess | null
}

/** What of an environment must be loaded for it. */
export const withExternalAccess = {
  cliEnvName: true,
  region: { select: { domain: true } },
  externalAccess: true,
} as const

export function shownExternalAccess(settings: ExternalAddressSettings, appEnv: WithExternalAccess): Shown | null {
  const { externalAccess: row } = appEnv
  if (!row) return null
  const address = externalAddress(settings, appEnv)
  return { ...row, host: address?.host ?? null, port: address?.port ?? null, isEnabled: row.port !== null }
}
