import type { PrepareTools } from '../../calls/command.ts'
import { DomainError, invalidField } from '../../domain/errors.ts'
import { registryOfLogin } from '../../domain/registry-login.ts'
import type { LoginVerdict } from '../../network/registries/try-login.ts'
import { tryTenantLogin } from '../../network/registries/try-tenant-login.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { type CredentialType, dataProblems } from './credential-data.ts'

/** What a registry said of a login; null where none was asked. An error where too many were tried. */
export type Tried = LoginVerdict | DomainError | null

interface Sent {
  type: CredentialType
  data: Record<string, string>
}

/**
 * What the registry of a login says of it, asked before the transaction. Null for whatever is no login of a registry.
 * `payer` is the account whose budget counts it.
 */
export async function tryCredential(
  { config, limits }: Pick<PrepareTools, 'config' | 'limits'>,
  payer: string,
  { type, data }: Sent,
): Promise<Tried> {
  if (type !== 'CONTAINER_REGISTRY' || dataProblems(type, data)) return null
  try {
    await limits?.consumeLogin(payer)
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  const { username = '', password = '' } = data
  return tryTenantLogin(registryOfLogin(data.registry), { username, password }, config)
}

interface Names {
  registry: string
  password: string
}

/** As credentials name the fields of a login. */
const DATA: Names = { registry: 'data.registry', password: 'data.password' }

/**
 * Throws INVALID_INPUT for a login that the registry refuses, or that is for a registry that must not be asked, and
 * RATE_LIMITED where too many were tried.
 */
export function requireAccepted(
  verdict: Tried,
  data: Record<string, string>,
  { registry, password }: Names = DATA,
): asserts verdict is LoginVerdict | null {
  if (verdict instanceof DomainError) throw verdict
  const name = registryOfLogin(data.registry)
  if (verdict?.kind === 'refused') throw invalidField(registry, `names the registry ${name}, which ${verdict.why}`)
  if (verdict?.kind === 'rejected')
    throw invalidField(password, `is refused by the registry ${name} for the user name "${data.username}"`)
}

/** What is kept and said of a login that was not refused. */
export async function checkOf(tx: Transaction, verdict: LoginVerdict | null, data: Record<string, string>) {
  if (verdict?.kind === 'accepted') return { checkedAt: await databaseTime(tx), warning: undefined }
  const why = verdict?.kind === 'unknown' ? verdict.why : 'was not asked'
  const warning = `The login is saved without having been tried: the registry ${registryOfLogin(data.registry)} ${why}`
  return { checkedAt: null, warning: verdict === null ? undefined : warning }
}
