import type { Config } from '../../config/config.ts'
import { type BuildPlan, type BuildSource, NIXPACKS } from '../../domain/build-plan.ts'
import { isReadByBuilds, type SealedVariable } from '../../domain/configuration.ts'
import { conflict } from '../../domain/errors.ts'
import { isOfFork, pullRequestOf } from '../../domain/pull-request.ts'
import { withReferenced } from '../../domain/references.ts'
import { foreignTransport, isHttpAddress } from '../../domain/repository-address.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { App, AppEnv, Variable } from '../../storage/database/generated/prisma/client.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

type SourceApp = Pick<
  App,
  'gitRepo' | 'gitNamespace' | 'gitInstallationId' | 'isCliDeployment' | 'customDockerfileContent'
>

/** The URL that an app's repository is cloned from: the given URL, or the provider's for namespace and name. */
export function repositoryUrl(
  { gitRepo, gitNamespace }: Pick<SourceApp, 'gitRepo' | 'gitNamespace'>,
  { BERTH_GITHUB_URL }: Config,
): string | null {
  if (!gitRepo) return null
  // What requests refuse today, an app that was made earlier may hold: the build says what is wrong with it.
  if (isHttpAddress(gitRepo) || foreignTransport(gitRepo)) return gitRepo
  const parts = [gitNamespace ?? '', gitRepo.replace(/\.git$/, '')].map(encodeURIComponent)
  return `${BERTH_GITHUB_URL.replace(/\/$/, '')}/${parts.join('/')}.git`
}

/** Where the next build's source is; null when there is none. */
export async function findSource(
  tx: Transaction,
  appEnv: AppEnv & { app: App },
  config: Config,
): Promise<BuildSource | null> {
  const { app } = appEnv
  const upload = app.isCliDeployment ? await newestUpload(tx, appEnv.id) : null
  if (upload) return upload
  const url = repositoryUrl(app, config)
  const installationId = app.gitInstallationId
  const of = pullRequestOf(appEnv)
  const git = { kind: 'git', branch: appEnv.gitBranch, commit: null, installationId } as const
  if (url) return { ...git, url, ...(of ? { ref: of.ref } : {}) }
  return app.customDockerfileContent && !app.isCliDeployment ? { kind: 'none' } : null
}

async function newestUpload(tx: Transaction, appEnvId: string): Promise<BuildSource | null> {
  const upload = await tx.upload.findFirst({
    where: { appEnvId, notifiedAt: { not: null }, sha256: { not: null } },
    orderBy: { notifiedAt: 'desc' },
  })
  return upload?.sha256 ? { kind: 'upload', storageKey: upload.id, sha256: upload.sha256 } : null
}

/** Everything that the next build of an environment gets. */
export const planFor = (appEnv: LoadedAppEnv, vault: Vault, source: BuildSource, isForced = false): BuildPlan => {
  const { app } = appEnv
  const isForeign = isOfFork(appEnv)
  return {
    source,
    builder: app.builder,
    preset: app.dockerPreset,
    presetVersion: app.dockerPresetVersion,
    contextDir: app.contextDir,
    dockerfilePath: app.dockerfilePath,
    dockerfileContent: app.customDockerfileContent,
    // They may hold secrets, which a stranger's Dockerfile would read.
    buildArgs: isForeign ? null : app.buildArgs,
    buildTarget: app.buildTarget,
    // What a stranger's Dockerfile names is not pulled with the account's credentials.
    pullCredentialId: isForeign ? null : app.buildPullAccountSecretId,
    variables: buildVariablesOf(appEnv, vault),
    isForced,
  }
}

/** An environment's variables, as a version records them. */
export const sealedVariablesOf = ({ variables }: { variables: readonly Variable[] }): SealedVariable[] =>
  variables.map(({ id, name, type, isSecret, sealedValue, fingerprint }) => {
    return { id, name, type, isSecret, sealedValue, fingerprint }
  })

/** What a build reads, including the variables it refers to: a change of any of them makes another image. */
export function buildVariablesOf(appEnv: LoadedAppEnv, vault: Vault): SealedVariable[] {
  const variables = sealedVariablesOf(appEnv)
  const read = variables.filter(isReadByBuilds).map(({ name }) => name)
  if (read.length === 0) return []
  const secrets = vault.forAccount(appEnv.account)
  const values = new Map(variables.map((variable) => [variable.name, secrets.openVariable(variable)]))
  const needed = withReferenced(read, values)
  return variables.filter(({ name }) => needed.has(name))
}

/** Throws a CONFLICT for problems that are known before a worker has read the source. */
export function assertBuildable(app: App, { BERTH_NIXPACKS }: Config): void {
  if (app.builder !== NIXPACKS || BERTH_NIXPACKS) return
  const words = 'The builder NIXPACKS is not installed here: BERTH_NIXPACKS names no program; set builder to DOCKER'
  throw conflict('BUILDER_NOT_AVAILABLE', words)
}
