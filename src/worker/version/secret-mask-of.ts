import type { EngineCredentials } from '../../app-types/engines/engine.ts'
import { recordedPlan } from '../../domain/build-plan.ts'
import { recordedConfiguration, type SealedVariable } from '../../domain/configuration.ts'
import { appEnvReferences } from '../../domain/references.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import type { ClaimedAppEnv, EnvironmentContext, KeyHolder } from '../context/environment-context.ts'
import { createMask, type Mask } from '../text/secret-mask.ts'
import { buildVariables, containerVariables } from './variables.ts'

type Credentialed = Pick<ClaimedAppEnv, 'serviceCredentials'> & { account: KeyHolder }
type MaskContext = Pick<EnvironmentContext, 'database' | 'vault' | 'config'>

/**
 * A mask of every secret that programs of the environment may know: its secret variables as they are set and as its
 * versions have them, with and without their references resolved, and the registry logins.
 */
export async function secretMaskOf(context: MaskContext, appEnv: ClaimedAppEnv): Promise<Mask> {
  const contents = [appEnv.currentContent, ...appEnv.operations.map(({ content }) => content)].filter((one) => !!one)
  const set = await context.database.variable.findMany({ where: { appEnvId: appEnv.id, isSecret: true } })
  const vault = context.vault.forAccount(appEnv.account)
  const opened = [...set, ...contents.flatMap(secretVariablesOf)].map((variable) =>
    orNothing(() => vault.openVariable(variable)),
  )
  const resolved = await Promise.all(contents.map((content) => resolvedSecrets(context, appEnv, content)))
  const logins = await registryPasswords(context, appEnv, contents)
  const passwords = [...servicePasswords(context, appEnv), ...(await referencedPasswords(context, appEnv, contents))]
  const own = [...opened, ...resolved.flat(), ...logins, ...passwords]
  return createMask([...own, context.config.BERTH_PUSH_PASSWORD ?? ''])
}

/** Those in use, and those that a rotation is about to set. */
function servicePasswords({ vault }: MaskContext, { account, serviceCredentials }: Credentialed): string[] {
  if (!serviceCredentials) return []
  const { id, sealedData, sealedNext } = serviceCredentials
  return [sealedData, sealedNext].flatMap((sealed) => {
    const text = sealed && orNothing(() => JSON.stringify(vault.forAccount(account).openServiceCredentials(id, sealed)))
    if (!text) return []
    const { password, adminPassword } = JSON.parse(text) as EngineCredentials
    return [password, adminPassword]
  })
}

/** A variable that refers to a managed service is a secret in effect, even if it is not marked as one. */
async function referencedPasswords(
  context: MaskContext,
  { accountId, account }: ClaimedAppEnv,
  contents: readonly Content[],
): Promise<string[]> {
  const vault = context.vault.forAccount(account)
  const values = contents.flatMap((content) =>
    [...recordedConfiguration(content).variables, ...(recordedPlan(content)?.variables ?? [])].map((variable) =>
      orNothing(() => vault.openVariable(variable)),
    ),
  )
  const names = [...new Set(appEnvReferences(values).map(({ envName }) => envName))]
  if (names.length === 0) return []
  const referenced = await context.database.appEnv.findMany({
    where: { accountId, cliEnvName: { in: names }, serviceCredentialsId: { not: null } },
    select: { account: true, serviceCredentials: true },
  })
  return referenced.flatMap((appEnv) => servicePasswords(context, appEnv))
}

const secretVariablesOf = (content: Content): SealedVariable[] =>
  [...recordedConfiguration(content).variables, ...(recordedPlan(content)?.variables ?? [])].filter(
    ({ isSecret }) => isSecret,
  )

/** A reference that is broken by now fails the version, and must not prevent its failure from being recorded. */
async function resolvedSecrets(context: MaskContext, appEnv: ClaimedAppEnv, content: Content): Promise<string[]> {
  const names = new Set(secretVariablesOf(content).map(({ name }) => name))
  if (names.size === 0) return []
  const variables = recordedPlan(content)?.variables ?? []
  const values = await Promise.all([
    containerVariables(context, appEnv, content).catch(() => ({})),
    buildVariables(context, appEnv, content, variables).catch(() => ({})),
  ])
  return values.flatMap((all) => Object.entries(all).flatMap(([name, value]) => (names.has(name) ? [value] : [])))
}

async function registryPasswords(
  { database, vault }: MaskContext,
  appEnv: ClaimedAppEnv,
  contents: readonly Content[],
): Promise<string[]> {
  const ids = contents.flatMap((content) => [
    recordedConfiguration(content).imagePullCredentialId,
    recordedPlan(content)?.pullCredentialId,
  ])
  const id = { in: ids.filter((one) => typeof one === 'string') }
  const accountId = appEnv.accountId
  const where = { accountId, OR: [{ id }, { defaultFor: { not: null } }] }
  const credentials = await database.credential.findMany({ where })
  return credentials.map(({ id, sealedData }) =>
    orNothing(() => passwordOf(vault.forAccount(appEnv.account).openCredential(id, sealedData))),
  )
}

const passwordOf = (data: unknown): string =>
  typeof data === 'object' && data !== null && 'password' in data ? String(data.password) : ''

/** A value that cannot be opened has reached no program either. */
function orNothing(open: () => string): string {
  try {
    return open()
  } catch {
    return ''
  }
}
