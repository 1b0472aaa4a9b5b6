import { z } from 'zod'
import { isOfFork } from '../../domain/pull-request.ts'
import { registryOfLogin } from '../../domain/registry-login.ts'
import type { RegistryCredential } from '../../engines/images/image-builder.ts'
import type { Credential } from '../../storage/database/generated/prisma/client.ts'
import type { AccountVault } from '../../storage/secrets/vault.ts'
import { VersionFailed } from '../attempt/version-failed.ts'
import type { ClaimedAppEnv, EnvironmentContext, KeyHolder } from '../context/environment-context.ts'

const registryLogin = z.object({ username: z.string(), password: z.string(), registry: z.string().optional() })

/** Logins by the registry that each was made for. */
export type RegistryLogins = Readonly<Record<string, RegistryCredential>>

/** Defaults that an account has of registries: as many as one is likely to have. */
const MAX_DEFAULTS = 100

/**
 * The logins that may be used: of the credential that is named, and of the account's defaults for other registries.
 * None for a fork's pull request, whose Dockerfile a stranger wrote. Throws VersionFailed when the one that is named was deleted or is no login.
 */
export async function registryLoginsOf(
  { database, vault }: Pick<EnvironmentContext, 'database' | 'vault'>,
  appEnv: Pick<ClaimedAppEnv, 'accountId' | 'pullRequest'> & { account: KeyHolder },
  id: string | null,
): Promise<RegistryLogins> {
  if (isOfFork(appEnv)) return {}
  const { accountId } = appEnv
  const defaults = await database.credential.findMany({
    where: { accountId, defaultFor: { not: null } },
    orderBy: { id: 'asc' },
    take: MAX_DEFAULTS,
  })
  const named = id ? await database.credential.findFirst({ where: { id, accountId } }) : null
  if (id && !named) throw new VersionFailed('CREDENTIAL_MISSING', `The registry credential ${id} has been deleted`)
  const all = [...defaults, ...(named ? [named] : [])]
  return Object.assign({}, ...all.map((credential) => loginOf(vault.forAccount(appEnv.account), credential)))
}

function loginOf(vault: AccountVault, { id, sealedData }: Pick<Credential, 'id' | 'sealedData'>): RegistryLogins {
  const opened = registryLogin.safeParse(vault.openCredential(id, sealedData))
  if (!opened.success) {
    throw new VersionFailed(
      'CREDENTIAL_MISSING',
      `The credential ${id} is not a registry login with username and password`,
    )
  }
  const { registry, username, password } = opened.data
  return { [registryOfLogin(registry)]: { username, password } }
}
