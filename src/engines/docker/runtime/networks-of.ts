import type { NetworkGroup } from '../../runtime/container-runtime.ts'
import type { DockerEngine } from '../connection.ts'
import { type AccountNetwork, networkName } from '../networks.ts'

/** A network that a container has to be on. */
export interface Membership {
  name: string
  /** Null: some name that the engine has not given by itself. */
  aliases: readonly string[] | null
}

interface Member {
  accountId: string
  group: NetworkGroup | null
}

/** The networks of a container, whether they exist or not: its account's first. */
export const membershipsOf = (installationId: string, { accountId, group }: Member): [Membership, ...Membership[]] => [
  { name: networkName(installationId, accountId), aliases: null },
  ...(group === null ? [] : [{ name: networkName(installationId, group.id), aliases: group.aliases }]),
]

/** The same, each made when it is missing. */
export async function ensureNetworks(
  engine: DockerEngine,
  { accountId, group }: Member,
): Promise<[AccountNetwork, ...AccountNetwork[]]> {
  const account = await engine.networks.ensure(accountId)
  return group === null ? [account] : [account, await engine.networks.ensure(accountId, group.id)]
}
