import type { Content } from '../database/generated/prisma/client.ts'
import type { Configuration, StartupConfig } from '../domain/configuration.ts'
import { resourcesOf } from '../domain/resources.ts'
import type { Rollout } from '../runtime/runtime.ts'
import type { Vault } from '../secrets/vault.ts'
import type { Lease } from './lease.ts'
import type { WorkAppEnv } from './work.ts'

export const configurationOf = (content: Pick<Content, 'configuration'>): Configuration =>
  content.configuration as unknown as Configuration

interface RolloutChoice {
  content: Content
  rolloutId: string
  requestId: string
  replicas: number
}

/** What the engine is to run for a version, with its secrets opened: never logged, never stored. */
export function rolloutOf(appEnv: WorkAppEnv, choice: RolloutChoice, vault: Vault, lease: Lease): Rollout {
  const { content, rolloutId, requestId, replicas } = choice
  if (!content.imageDigest) throw new Error(`The image of ${content.id} is not pinned`)
  const configuration = configurationOf(content)
  return {
    accountId: appEnv.accountId,
    appId: appEnv.appId,
    appEnvId: appEnv.id,
    contentId: content.id,
    rolloutId,
    generation: lease.claim.token,
    requestId,
    version: content.version,
    cliEnvName: appEnv.cliEnvName,
    pinnedImage: content.imageDigest,
    command: commandOf(configuration.startup),
    workingDir: configuration.startup?.workingDir ?? null,
    environment: { ...berthVariables(appEnv, content, configuration), ...userVariables(appEnv, configuration, vault) },
    port: configuration.port,
    replicas,
    resources: resourcesOf(configuration.zClouds),
  }
}

/** With a shell, arguments are part of the line it reads, so that `$PORT` in them means what it says. */
function commandOf(startup: StartupConfig | null): Rollout['command'] {
  if (!startup) return null
  if (!startup.shell) return { entrypoint: [startup.command], args: startup.args }
  return { entrypoint: ['/bin/sh', '-lc'], args: [[startup.command, ...startup.args].join(' ')] }
}

const berthVariables = (appEnv: WorkAppEnv, content: Content, { port }: Configuration): Record<string, string> => ({
  ...(port === null ? {} : { PORT: String(port) }),
  BERTH_APP_ENV_ID: appEnv.id,
  BERTH_ENV_NAME: appEnv.cliEnvName,
  BERTH_CONTENT_ID: content.id,
  BERTH_VERSION: String(content.version),
})

/** The user's own variables win over Berth's of the same name. Those of builds only stay out. */
function userVariables(appEnv: WorkAppEnv, { variables }: Configuration, vault: Vault): Record<string, string> {
  if (variables.length === 0) return {}
  const secrets = vault.forAccount(appEnv.account)
  const deployed = variables.filter((variable) => variable.type !== 'BUILD')
  return Object.fromEntries(deployed.map((variable) => [variable.name, secrets.openVariable(variable)]))
}
