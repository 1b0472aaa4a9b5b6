import type { Content } from '../../database/generated/prisma/client.ts'
import {
  isReadByBuilds,
  isReadByContainers,
  recordedConfiguration,
  type SealedVariable,
} from '../../domain/configuration.ts'
import { resolveReferences, UnresolvedReference } from '../../domain/references.ts'
import { connectionUrls, type UrlLookup } from '../../services/app-env/connection-urls.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { VersionFailed } from './version-failed.ts'

type VariablesContext = Pick<EnvironmentContext, 'database' | 'vault' | 'config'>
type Values = Record<string, string>

/** What the containers of a version find in their environment: Berth's variables, then the user's, which win. */
export async function containerVariables(
  context: VariablesContext,
  appEnv: ClaimedAppEnv,
  content: Content,
): Promise<Values> {
  const platform = platformVariables(appEnv, content)
  const { variables } = recordedConfiguration(content)
  const resolved = await resolve(context, appEnv, content, variables)
  return { ...platform, ...pick(resolved, variables.filter(isReadByContainers)) }
}

/** What a build is given. It may refer to variables of the platform's, and gets none of them by itself. */
export async function buildVariables(
  context: VariablesContext,
  appEnv: ClaimedAppEnv,
  content: Content,
  variables: readonly SealedVariable[],
): Promise<Values> {
  const resolved = await resolve(context, appEnv, content, variables)
  return pick(resolved, variables.filter(isReadByBuilds))
}

function platformVariables(appEnv: ClaimedAppEnv, content: Content): Values {
  const { port } = recordedConfiguration(content)
  return {
    ...(port === null ? {} : { PORT: String(port) }),
    BERTH_APP_ENV_ID: appEnv.id,
    BERTH_ENV_NAME: appEnv.cliEnvName,
    BERTH_CONTENT_ID: content.id,
    BERTH_VERSION: String(content.version),
  }
}

const pick = (resolved: ReadonlyMap<string, string>, variables: readonly SealedVariable[]): Values =>
  Object.fromEntries(variables.map(({ name }) => [name, resolved.get(name) ?? '']))

/** What was checked when it was set may be gone by now: the environment that was referred to, or its port. */
async function resolve(
  { database, vault, config }: VariablesContext,
  appEnv: ClaimedAppEnv,
  content: Content,
  variables: readonly SealedVariable[],
): Promise<Map<string, string>> {
  if (variables.length === 0) return new Map()
  const secrets = vault.forAccount(appEnv.account)
  const values = new Map(variables.map((variable) => [variable.name, secrets.openVariable(variable)]))
  // A version that has served comes back to life, also when what it refers to is gone: it is not looked at anew.
  const hasServed = content.deployedAt !== null
  const found = await connectionUrls({ tx: database, config }, appEnv.accountId, values.values(), {
    includesDeleted: hasServed,
  })
  const urlOf: UrlLookup = (reference) => found(reference) ?? (hasServed ? '' : null)
  try {
    return resolveReferences(values, { platform: platformVariables(appEnv, content), urlOf })
  } catch (error) {
    if (!(error instanceof UnresolvedReference)) throw error
    throw new VersionFailed('REFERENCE_UNRESOLVED', `The variable ${error.variable} ${error.message}`)
  }
}
