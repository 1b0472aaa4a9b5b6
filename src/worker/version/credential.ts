import { z } from 'zod'
import type { Content } from '../../database/generated/prisma/client.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import type { RegistryCredential } from '../../images/image-builder.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { VersionFailed } from './version-failed.ts'

const registryLogin = z.object({ username: z.string(), password: z.string(), registry: z.string().optional() })

/** Engines know Docker Hub by this address. */
const HUB = 'https://index.docker.io/v1/'

/** The login for base images, keyed by registry, as engines take it. */
export async function registryLoginOf(
  { database, vault, appEnv }: Pick<EnvironmentContext, 'database' | 'vault'> & { appEnv: ClaimedAppEnv },
  id: string | null,
): Promise<Record<string, RegistryCredential>> {
  if (!id) return {}
  const credential = await database.credential.findFirst({ where: { id, accountId: appEnv.accountId } })
  if (!credential) throw new VersionFailed('CREDENTIAL_MISSING', `The registry credential ${id} has been deleted`)
  const opened = registryLogin.safeParse(vault.forAccount(appEnv.account).openCredential(id, credential.sealedData))
  if (!opened.success) throw new VersionFailed('CREDENTIAL_MISSING', `The credential ${id} is not a registry login`)
  const { registry, ...login } = opened.data
  return { [registry ?? HUB]: login }
}

/**
 * The registry login that a version pulls with; null when it has none. Throws VersionFailed when it was deleted or is
 * not a login.
 */
export async function credentialOf(
  { database, vault }: Pick<EnvironmentContext, 'database' | 'vault'>,
  appEnv: ClaimedAppEnv,
  content: Content,
): Promise<RegistryCredential | null> {
  const id = recordedConfiguration(content).imagePullCredentialId
  if (!id) return null
  const credential = await database.credential.findFirst({ where: { id, accountId: appEnv.accountId } })
  if (!credential) throw new VersionFailed('CREDENTIAL_MISSING', `The registry credential ${id} has been deleted`)
  const opened = registryLogin.safeParse(vault.forAccount(appEnv.account).openCredential(id, credential.sealedData))
  if (!opened.success) {
    throw new VersionFailed(
      'CREDENTIAL_MISSING',
      `The credential ${id} is not a registry login with username and password`,
    )
  }
  const { username, password } = opened.data
  return { username, password }
}
