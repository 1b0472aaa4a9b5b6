import { z } from 'zod'
import type { Content } from '../database/generated/prisma/client.ts'
import type { RegistryCredential } from '../runtime/runtime.ts'
import { configurationOf } from './rollout.ts'
import { VersionFailed } from './version-failed.ts'
import type { Work, WorkAppEnv } from './work.ts'

const registryLogin = z.object({ username: z.string(), password: z.string() })

/** The registry login that a version pulls with, if it has one. Throws VersionFailed when it is gone or of no use. */
export async function credentialOf(
  { database, vault }: Pick<Work, 'database' | 'vault'>,
  appEnv: WorkAppEnv,
  content: Content,
): Promise<RegistryCredential | null> {
  const id = configurationOf(content).imagePullCredentialId
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
  return opened.data
}
