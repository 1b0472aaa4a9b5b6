import { HostRules } from '../../../network/addresses/host-rules.ts'
import { BackupFailed } from '../backup-failed.ts'
import type { BackupStore } from './backup-store.ts'

/** What a credential of the type OBJECT_STORAGE holds. */
export interface ObjectStorageLogin {
  endpoint?: string | undefined
  region?: string | undefined
  bucket?: string | undefined
  accessKeyId: string
  secretAccessKey: string
}

const DEFAULT_REGION = 'us-east-1'

/** Why backups cannot go there, for the user; null when the login names enough. */
export function loginProblem({ endpoint, bucket, region = DEFAULT_REGION }: ObjectStorageLogin): string | null {
  if (!bucket) return 'the credential names no bucket'
  const url = endpointOf(endpoint, region)
  if (!url) return 'the endpoint of the credential is no address, such as https://s3.example.com'
  return null
}

/**
 * Throws STORAGE_REFUSED for a login that names too little, or a private address: what a tenant names is a public one
 * unless the installation allows others.
 */
export async function objectStorage(
  login: ObjectStorageLogin,
  { allowsPrivate }: { allowsPrivate: boolean },
): Promise<BackupStore> {
  const { region = DEFAULT_REGION, bucket = '', accessKeyId, secretAccessKey } = login
  const problem = loginProblem(login)
  const endpoint = endpointOf(login.endpoint, region)
  if (problem || !endpoint) throw new BackupFailed('STORAGE_REFUSED', `Backups cannot be stored: ${problem}`)
  const host = await new HostRules(allowsPrivate).check(endpoint)
  if (host.kind === 'unknown')
    throw new BackupFailed('STORAGE_UNREACHABLE', `The object storage ${endpoint.host} does not answer: no such host`)
  if (host.kind === 'refused')
    throw new BackupFailed(
      'STORAGE_REFUSED',
      `The object storage ${endpoint.host} is on ${host.inside}, where this installation stores nothing (BERTH_BACKUP_PRIVATE_HOSTS)`,
    )
  // Large, and most installations never ask for it.
  const { s3Store } = await import('./s3-store.ts')
  return s3Store({ endpoint, addresses: host.addresses, region, bucket, accessKeyId, secretAccessKey })
}

/** Null for what is no http address without path, user or query. */
function endpointOf(endpoint: string | undefined, region: string): URL | null {
  const text = endpoint ?? `https://s3.${region}.amazonaws.com`
  const url = URL.canParse(text) ? new URL(text) : null
  const isPlain = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password
  return isPlain && url.pathname === '/' && !url.search && !url.hash ? url : null
}
