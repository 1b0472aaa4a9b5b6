import { z } from 'zod'
import { registryOfLogin } from '../../domain/registry-login.ts'
import type { RegistryCredential } from '../../images/image-builder.ts'
import { VersionFailed } from '../attempt/version-failed.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'

const registryLogin = z.object({ username: z.string(), password: z.string(), registry: z.string().optional() })

/** Logins by the registry that each was made for. */
export type RegistryLogins = Readonly<Record<string, RegistryCredential>>

/** The login of a credential; none for none. Throws VersionFailed when it was deleted or is no login. */
export async function registryLoginsOf(
  { database, vault }: Pick<EnvironmentContext, 'database' | 'vault'>,
  appEnv: ClaimedAppEnv,
  id: string | null,
): Promise<RegistryLogins> {
  if (!id) return {}
  const credential = await database.credential.findFirst({ where: { id, accountId: appEnv.accountId } })
  if (!credential) throw new VersionFailed('CREDENTIAL_MISSING', `The registry credential ${id} has been deleted`)
  const opened = registryLogin.safeParse(vault.forAccount(appEnv.account).openCredential(id, credential.sealedData))
  if (!opened.success) {
    throw new VersionFailed(
      'CREDENTIAL_MISSING',
      `The credential ${id} is not a registry login with username and password`,
    )
  }
  const { registry, username, password } = opened.data
  return { [registryOfLogin(registry)]: { username, password } }
}
