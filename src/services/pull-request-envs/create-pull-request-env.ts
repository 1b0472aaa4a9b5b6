import type { CommandContext } from '../../calls/command.ts'
import { DomainError } from '../../domain/errors.ts'
import { type AppEnvHealthCheck, withoutHeaders } from '../../domain/health-check.ts'
import { labelsOf } from '../../domain/labels.ts'
import {
  type GitPullRequest,
  type PullRequestOf,
  pullRequestEnvName,
  pullRequestRef,
} from '../../domain/pull-request.ts'
import { sharedVariables } from '../../domain/shared-variables.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { Prisma, type PullRequestEnvs } from '../../storage/database/generated/prisma/client.ts'
import type { GitProvider } from '../../storage/secrets/git-signature.ts'
import type { CreateAppEnvInput } from '../app-env/app-env-input.ts'
import { createAppEnv } from '../app-env/create-app-env.ts'
import type { AppTarget } from '../targets/load-app.ts'
import { type LoadedAppEnv, loadEverything } from '../targets/load-app-env.ts'

/** The environment of a pull request, where it has one. */
export const envOfPullRequest = (number: number) =>
  ({ deletedAt: null, pullRequest: { path: ['number'], equals: number } }) satisfies Prisma.AppEnvWhereInput

/** One at most, while the app is locked. */
export const findEnv = (tx: Transaction, appId: string, number: number) =>
  tx.appEnv.findFirst({ where: { appId, ...envOfPullRequest(number) }, select: { id: true } })

/** Pull requests of the app that have one. */
export const countEnvs = (tx: Transaction, appId: string): Promise<number> =>
  tx.appEnv.count({ where: { appId, deletedAt: null, pullRequest: { not: Prisma.DbNull } } })

/** Names shown of variables that were left out. */
const MAX_NAMES = 20

export interface PullRequestSource {
  pullRequest: GitPullRequest
  provider: GitProvider
}

/**
 * Creates the environment of a pull request, like the base environment: its size, settings and variables, in one
 * container. It shares no data with it: a volume is a new one. Throws what `createAppEnv` throws.
 */
export async function createPullRequestEnv(
  context: CommandContext,
  app: AppTarget,
  settings: PullRequestEnvs,
  { pullRequest, provider }: PullRequestSource,
): Promise<{ appEnvId: string; message: string | null }> {
  const { tx } = context
  const base = await findBase(context, settings)
  const { number, isFork, branch } = pullRequest
  // Strangers never get a secret.
  const withSecrets = settings.copySecrets && !isFork
  const { copied, left } = variablesFor(context, base, withSecrets)
  const { appId, accountId, regionCode: region, zClouds, startupConfig, releaseCommand, volume, typeConfig } = base
  const { containerSettings } = base
  const labels = labelsOf(await tx.appEnvLabel.findMany({ where: { appEnvId: base.id } }))
  const check = base.healthCheck as AppEnvHealthCheck | null
  const healthCheck = check && !withSecrets ? withoutHeaders(check) : check
  const input = {
    accountId,
    appId,
    name: pullRequestEnvName(number),
    region,
    branch,
    zClouds,
    containers: 1,
    envVars: copied,
    preventDestroy: false,
    // It is built from the pull request, once it is known as one.
    deploy: false,
    labels,
    ...(startupConfig === null ? {} : { startupConfig }),
    ...(releaseCommand === null ? {} : { releaseCommand }),
    ...(containerSettings === null ? {} : { containerSettings }),
    ...(healthCheck === null ? {} : { healthCheck }),
    ...(volume === null ? {} : { volume: { path: volume.path, disk: volume.diskMb } }),
    ...(typeConfig as object | null),
  } as CreateAppEnvInput
  const { appEnvId } = await createAppEnv.execute(context, input, app)
  const made: PullRequestOf = { number, ref: pullRequestRef(provider, number), isFork }
  // It reaches what the base reaches, under no name: those lead to the base.
  const { cpu, memoryMb, networkGroup } = base
  await tx.appEnv.update({
    where: { id: appEnvId },
    data: { cpu, memoryMb, networkGroup, pullRequest: { ...made } },
  })
  return { appEnvId, message: left.length > 0 ? notCopied(left) : null }
}

/** Why a pull request gets nothing: a reason of a delivery, with which no caller is answered. */
export const refused = (reason: string, message: string) => new DomainError('CONFLICT', reason, message)

async function findBase({ tx }: CommandContext, { appId, baseAppEnvId }: PullRequestEnvs): Promise<LoadedAppEnv> {
  const there = await tx.appEnv.findFirst({ where: { id: baseAppEnvId, appId, deletedAt: null }, select: { id: true } })
  if (!there)
    throw refused(
      'BASE_DELETED',
      `The environment ${baseAppEnvId}, which those of pull requests are like, is deleted: set another one`,
    )
  return loadEverything(tx, baseAppEnvId)
}

function variablesFor({ vault }: CommandContext, base: LoadedAppEnv, withSecrets: boolean) {
  const secrets = vault.forAccount(base.account)
  const all = base.variables.map((variable) => {
    const { name, type, isSecret } = variable
    return { name, type, isSecret, value: secrets.openVariable(variable) }
  })
  const shared = withSecrets ? new Set(all.map(({ name }) => name)) : sharedVariables(all)
  const left = all.filter(({ name }) => !shared.has(name)).map(({ name }) => name)
  return { copied: all.filter(({ name }) => shared.has(name)), left }
}

const notCopied = (names: readonly string[]): string =>
  `Variables that are secret, or lead to other environments, are not copied: ${names.slice(0, MAX_NAMES).join(', ')}${
    names.length > MAX_NAMES ? ' and others' : ''
  }`
