import { isService } from '../../app-types/behaviours.ts'
import {
  isReadByBuilds,
  isReadByContainers,
  recordedConfiguration,
  type SealedVariable,
} from '../../domain/configuration.ts'
import { healthCheckType } from '../../domain/health-check.ts'
import { resolveReferences, UnresolvedReference } from '../../domain/references.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import { connectionUrls, type UrlLookup } from '../../storage/references/connection-urls.ts'
import { VersionFailed } from '../attempt/version-failed.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'

type VariablesContext = Pick<EnvironmentContext, 'database' | 'vault' | 'config'>
type Values = Record<string, string>

/** Environment variables of a version's containers: Berth's own, then the user's, then those added for one run; the later wins. */
export async function containerVariables(
  context: VariablesContext,
  appEnv: ClaimedAppEnv,
  content: Content,
  added: readonly SealedVariable[] = [],
): Promise<Values> {
  const platform = platformVariables(appEnv, content)
  const replaced = new Set(added.map(({ name }) => name))
  const kept = recordedConfiguration(content).variables.filter(({ name }) => !replaced.has(name))
  const variables = [...kept, ...added]
  const resolved = await resolve(context, appEnv, content, variables)
  return { ...platform, ...pick(resolved, variables.filter(isReadByContainers)) }
}

/** Variables of a build. They may refer to the platform's, but do not include them. */
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
  const { port, healthCheck } = recordedConfiguration(content)
  // In an installation, a service without an open port is reached where its program listens by default: a PORT that
  // leads to no host would move it. The image of a managed service may read it for something else.
  const isReachedElsewhere = appEnv.networkGroup !== null && healthCheckType(healthCheck) === 'NONE'
  const hasPort = port !== null && !isReachedElsewhere && !isService(appEnv.app)
  return {
    ...(hasPort ? { PORT: String(port) } : {}),
    BERTH_APP_ENV_ID: appEnv.id,
    BERTH_ENV_NAME: appEnv.cliEnvName,
    BERTH_CONTENT_ID: content.id,
    BERTH_VERSION: String(content.version),
  }
}

const pick = (resolved: ReadonlyMap<string, string>, variables: readonly SealedVariable[]): Values =>
  Object.fromEntries(variables.map(({ name }) => [name, resolved.get(name) ?? '']))

/** A reference that was valid when it was set may be broken by now: its environment, or its port, may be gone. */
async function resolve(
  { database, vault, config }: VariablesContext,
  appEnv: ClaimedAppEnv,
  content: Content,
  variables: readonly SealedVariable[],
): Promise<Map<string, string>> {
  if (variables.length === 0) return new Map()
  const secrets = vault.forAccount(appEnv.account)
  const values = new Map(variables.map((variable) => [variable.name, secrets.openVariable(variable)]))
  // A version that has served must start again even when a reference is broken: it is not validated again.
  const hasServed = content.deployedAt !== null
  const found = await connectionUrls({ tx: database, config, vault }, appEnv, values.values(), {
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
