import { randomInt } from 'node:crypto'
import { accountOrCurrent, permit } from '../../calls/caller.ts'
import type { CommandContext, Progress, Target } from '../../calls/command.ts'
import { id, name, ownerAccountId, regionCode } from '../../calls/input.ts'
import { regionOrOnly } from '../../calls/known-regions.ts'
import { ORDER } from '../../calls/order.ts'
import { conflict, DomainError, forbidden, invalidField } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { resourcesOf } from '../../domain/resources.ts'
import type { WaitedStatus } from '../../domain/waited-operation.ts'
import { readInputs, withGenerated } from '../../solutions/input-values.ts'
import { planSolution } from '../../solutions/plan.ts'
import type { Component, Solution } from '../../solutions/solution.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Account, Plan } from '../../storage/database/generated/prisma/client.ts'
import { lockAccount } from '../targets/load-account.ts'
import { advance, announceProgress, recordOperations } from './advance.ts'
import { createComponents, type Installing, renderNote } from './create-components.ts'
import { type LoadedInstallation, lockSolutionInstallation, sealDeclaration } from './load-installation.ts'
import { resume } from './resume-installation.ts'

/** Input of every installation. */
export const installationPlace = {
  accountId: ownerAccountId('Id of the account that will own the apps.'),
  appName: name('main app; the others are called after it'),
  region: regionCode,
  installationId: id('incomplete installation to go on with; the rest of the request must be the same').optional(),
}

interface Address {
  accountId?: string | undefined
  region?: string | undefined
  installationId?: string | undefined
}

interface InstallRequest {
  appName: string
  /** What is installed, as the request says it: a repeat must send the same. */
  identity: unknown
  inputs: Readonly<Record<string, unknown>>
}

type PlaceTarget = Target & {
  account: Account & { plan: Plan }
  /** The code of its region. */
  region: string
  installation: LoadedInstallation | null
}
type InstallTarget = PlaceTarget & { solution: Solution }

export async function placeOf(
  { tx, caller }: CommandContext,
  { accountId: given, region, installationId }: Address,
): Promise<PlaceTarget> {
  const accountId = accountOrCurrent(caller, given)
  await lockAccount(tx, accountId)
  const account = await tx.account.findUniqueOrThrow({ where: { id: accountId }, include: { plan: true } })
  const { code } = await regionOrOnly(tx, region)
  const installation = installationId ? await lockSolutionInstallation(tx, installationId) : null
  if (installation && installation.accountId !== accountId)
    throw invalidField('accountId', 'is not the account of the installation')
  return { type: 'installation', id: installation?.id ?? null, accountId, account, region: code, installation }
}

export type InstallResult = Awaited<ReturnType<typeof resultOf>>

/** An installation provisions what runs, so the scope of deployments is needed too (§5 rule 6). */
export const permitInstall = ({ caller }: CommandContext, { account }: PlaceTarget): void =>
  permit(caller, 'appEnv:operate', { accountId: account.id })

/** Begins an installation, or goes on with one that is incomplete. */
export async function install(
  context: CommandContext,
  request: InstallRequest,
  target: InstallTarget,
): Promise<InstallResult> {
  const { account, region, solution, installation } = target
  const { appName } = request
  const fingerprint = context.vault.fingerprint(JSON.stringify([account.id, appName, region, request.identity]))
  if (installation && installation.fingerprint !== fingerprint)
    throw conflict(
      'INSTALLATION_CHANGED',
      'An installation is resumed with the request that began it; solution, name, region or inputs differ',
    )
  await requirePrerequisites(context, solution, account, region)
  context.auditDetails({
    solutionSlug: solution.slug,
    revision: solution.revision,
    appName,
    region,
    inputs: Object.keys(request.inputs),
  })
  const installationId = installation
    ? await resume(context, { account, installation })
    : await begin(context, request, { account, region, solution, fingerprint })
  context.auditDetails({
    plan: await shownPlan(context, installationId, solution, { account, region, appName }),
    noEffect: solution.noEffect,
  })
  const result = await resultOf(context.tx, installationId)
  context.created(...Object.values(result))
  return result
}

/** What a call that waits for an installation waits for, and is answered. */
export const progress = {
  async observe(database: Database, { installationId }: InstallResult): Promise<Progress> {
    const found = await database.solutionInstallation.findUnique({ where: { id: installationId } })
    return { hasEnded: found?.status !== 'INSTALLING', accountId: found?.accountId }
  },
  async answer<R extends InstallResult>(database: Database, given: R): Promise<R & { operationStatus: WaitedStatus }> {
    const { installationId, operationIds } = given
    const { status, deletedAt, components } = await database.solutionInstallation.findUniqueOrThrow({
      where: { id: installationId },
      include: { components: { orderBy: { position: 'asc' } } },
    })
    if (status === 'INCOMPLETE' && deletedAt === null) throw incomplete(installationId, components)
    const ended = status === 'INSTALLED' ? 'SUCCEEDED' : 'RUNNING'
    return { ...given, ...(await resultOf(database, installationId)), operationIds, operationStatus: ended }
  },
  refusals: ['INSTALLATION_INCOMPLETE'] as const,
}

async function begin(
  context: CommandContext,
  input: InstallRequest,
  {
    account,
    region,
    solution,
    fingerprint,
  }: Pick<InstallTarget, 'account' | 'region' | 'solution'> & { fingerprint: string },
): Promise<string> {
  const { tx, caller } = context
  const values = withGenerated(solution, readInputs(solution, input.inputs).values, randomText)
  const id = newId('inst')
  const { appName } = input
  const installing: Installing = { installationId: id, account, solution, appName, region, values }
  const created = await createComponents(context, installing, new Map())
  await tx.solutionInstallation.create({
    data: {
      id,
      accountId: account.id,
      solutionSlug: solution.slug,
      revision: solution.revision,
      fingerprint,
      appName,
      regionCode: region,
      sealedInputs: sealDeclaration(context, account, id, { solution, values }),
      postInstallNote: await renderNote(context, installing, created),
      requestedBy: caller.userId ?? caller.tokenId,
      components: {
        create: created.map(({ key, appId, appEnvId, operationId }, position) => ({
          key,
          position,
          appId,
          appEnvId,
          operationId,
          state: operationId === null ? ('PENDING' as const) : ('DEPLOYING' as const),
        })),
      },
    },
  })
  const installation = await lockSolutionInstallation(tx, id)
  const begun = await advance(context, installation)
  if (!begun) announceProgress(context, id, 'INSTALLING', installation.components)
  recordOperations(context, created, begun)
  return id
}

async function requirePrerequisites(
  { tx }: CommandContext,
  { requiresSandbox, name: title }: Solution,
  account: Account,
  code: string,
): Promise<void> {
  if (!requiresSandbox) return
  const region = await tx.region.findUniqueOrThrow({ where: { code } })
  const missing = [
    ...(account.entitlements.includes('SANDBOX') ? [] : ['the account lacks the entitlement SANDBOX']),
    ...(region.sandboxAddonReady ? [] : [`the sandbox add-on of the region ${code} is not ready`]),
    ...(region.publicGatewayReady ? [] : [`the public gateway of the region ${code} is not ready`]),
  ]
  if (missing.length === 0) return
  throw forbidden('SANDBOX_NOT_READY', `${title} cannot be installed: ${missing.join('; ')}`)
}

/** What a person can check, also of a dry run, whose hosts are taken back. Without values and commands: they may be secret. */
async function shownPlan(
  { tx }: CommandContext,
  installationId: string,
  solution: Solution,
  { account, region, appName }: Pick<InstallTarget, 'account' | 'region'> & { appName: string },
) {
  const place = { accountId: account.id, accountSlug: account.slug, appName, region }
  const installed = await tx.solutionComponent.findMany({ where: { installationId } })
  const hosts = await tx.host.findMany({
    where: { appEnvId: { in: installed.map(({ appEnvId }) => appEnvId) } },
    orderBy: ORDER.host,
  })
  return planSolution(solution, {}, place).map((planned) => {
    const { key, app, image, dependsOn } = planned
    const component = solution.components.find((one) => one.key === key)
    const appEnvId = installed.find((one) => one.key === key)?.appEnvId
    return {
      key,
      name: component?.name,
      appName: app.name,
      dockerPreset: app.dockerPreset,
      image,
      build: shownBuild(component),
      dependsOn,
      ...shownComponent(component),
      hosts: hosts.filter((one) => one.appEnvId === appEnvId).map(({ host }) => host),
    }
  })
}

/** Without arguments: they may be secret. */
function shownBuild(component: Component | undefined) {
  if (!component?.build) return null
  const { buildArgs: _args, customDockerfileContent, ...shown } = component.build
  return { ...shown, hasInlineDockerfile: customDockerfileContent !== undefined }
}

function shownComponent(component: Component | undefined) {
  if (!component) return {}
  const { healthCheck, port, size, zClouds, containers, volume, networkAliases, containerSettings } = component
  return {
    port: healthCheck?.type === 'NONE' ? null : (port ?? null),
    size: resourcesOf({ zClouds, resources: size ?? null }),
    containers,
    volume: volume ?? null,
    networkAliases: networkAliases ?? [],
    containerSettings: containerSettings ?? null,
    variables: Object.keys(component.variables),
  }
}

interface Result {
  installationId: string
  components: { key: string; appId: string; appEnvId: string }[]
  appIds: string[]
  appEnvIds: string[]
  postInstallNote?: string
  operationIds: string[]
  operationStatus?: string
  [key: string]: unknown
}

export async function resultOf(
  tx: Pick<Database, 'solutionInstallation' | 'operation'>,
  installationId: string,
): Promise<Result> {
  const { components, postInstallNote } = await tx.solutionInstallation.findUniqueOrThrow({
    where: { id: installationId },
    include: { components: { orderBy: { position: 'asc' } } },
  })
  const going = components.filter(({ state }) => state === 'DEPLOYING')
  // A call that waits for one that has ended returns how it ended.
  const awaited = going.length > 0 ? going : components
  return {
    installationId,
    components: components.map(({ key, appId, appEnvId }) => ({ key, appId, appEnvId })),
    appIds: components.map(({ appId }) => appId),
    appEnvIds: components.map(({ appEnvId }) => appEnvId),
    ...(postInstallNote === null ? {} : { postInstallNote }),
    operationIds: awaited.flatMap(({ operationId }) => (operationId ? [operationId] : [])),
  }
}

function incomplete(installationId: string, components: LoadedInstallation['components']): DomainError {
  const failed = components.filter(({ state }) => state === 'FAILED')
  const causes = failed.map(({ key, reason, message }) => `${key}: ${message ?? reason}`).join('; ')
  return new DomainError(
    'INSTALLATION_INCOMPLETE',
    undefined,
    `The solution is installed in part (${causes}). Repeat the request with installationId ${installationId} to go on`,
    {
      installation: {
        installationId,
        components: components.map(({ key, state, reason, message }) => ({ key, state, reason, message })),
      },
    },
  )
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Letters and digits: they mean nothing in URLs and shells. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
