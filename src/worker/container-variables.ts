import type { Content } from '../database/generated/prisma/client.ts'
import type { Configuration } from '../domain/configuration.ts'
import { resolveReferences, UnresolvedReference } from '../domain/references.ts'
import { connectionUrls } from '../services/connection-urls.ts'
import { VersionFailed } from './version-failed.ts'
import type { Work, WorkAppEnv } from './work.ts'

/**
 * What the containers of a version find in their environment: Berth's variables, then the user's, which win, with
 * their references resolved. Those of builds only stay out, and can still be referred to.
 */
export async function containerVariables(
  { database, vault, config }: Pick<Work, 'database' | 'vault' | 'config'>,
  appEnv: WorkAppEnv,
  content: Content,
  { port, variables }: Configuration,
): Promise<Record<string, string>> {
  const platform = {
    ...(port === null ? {} : { PORT: String(port) }),
    BERTH_APP_ENV_ID: appEnv.id,
    BERTH_ENV_NAME: appEnv.cliEnvName,
    BERTH_CONTENT_ID: content.id,
    BERTH_VERSION: String(content.version),
  }
  if (variables.length === 0) return platform
  const secrets = vault.forAccount(appEnv.account)
  const values = new Map(variables.map((variable) => [variable.name, secrets.openVariable(variable)]))
  const urlOf = await connectionUrls({ tx: database, config }, appEnv.accountId, values.values())
  const resolved = resolvedOrFailed(values, platform, urlOf)
  const deployed = variables.filter((variable) => variable.type !== 'BUILD')
  return { ...platform, ...Object.fromEntries(deployed.map(({ name }) => [name, resolved.get(name) ?? ''])) }
}

/** What was checked when it was set may be gone by now: the environment that was referred to, or its port. */
function resolvedOrFailed(
  values: ReadonlyMap<string, string>,
  platform: Record<string, string>,
  urlOf: Awaited<ReturnType<typeof connectionUrls>>,
): Map<string, string> {
  try {
    return resolveReferences(values, { platform, urlOf })
  } catch (error) {
    if (!(error instanceof UnresolvedReference)) throw error
    throw new VersionFailed('REFERENCE_UNRESOLVED', `The variable ${error.variable} ${error.message}`)
  }
}
