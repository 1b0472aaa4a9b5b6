import { randomInt } from 'node:crypto'
import { z } from 'zod'
import type { Database } from '../../database/client.ts'
import type { Account, Plan } from '../../database/generated/prisma/client.ts'
import { conflict, DomainError, forbidden, invalidField, invalidInput, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { readInputs, withGenerated } from '../../solutions/input-values.ts'
import { planSolution } from '../../solutions/plan.ts'
import type { Solution } from '../../solutions/solution.ts'
import { permit } from '../kernel/caller.ts'
import { type CommandContext, command, type Target } from '../kernel/command.ts'
import { id, name } from '../kernel/input.ts'
import { lockAccount } from '../targets/load-account.ts'
import { advance, announceProgress } from './advance.ts'
import { createComponents, type Installing, renderNote } from './create-components.ts'
import { getSolution, type LoadedInstallation, lockSolutionInstallation } from './load-installation.ts'
import { resume } from './resume-installation.ts'

const inputs = z
  .record(z.string().max(100), z.union([z.string().max(32_768), z.number(), z.boolean()]))
  .default({})
  .describe('Values of the inputs of the solution, by their names.')

const installInput = z.strictObject({
  accountId: id('account that will own the apps'),
  solutionSlug: z.string().min(1).max(100).describe('Slug of the solution, as listed by solutions.'),
  appName: name('main app; the others are called after it'),
  region: z.string().min(1).max(100).describe('Code of the region that the environments run in, as listed by regions.'),
  inputs,
  installationId: id('incomplete installation to go on with; the rest of the request must be the same').optional(),
})

type InstallInput = z.output<typeof installInput>

type InstallTarget = Target & {
  account: Account & { plan: Plan }
  solution: Solution
  installation: LoadedInstallation | null
}

export const installSolution = command({
  name: 'installSolution',
  about:
    'Install a solution: create its apps and environments, and deploy them one after the other as they depend on each other.',
  input: installInput,
  permission: 'solution:install',
  // Clients that know nothing of waiting learn whether it has worked. Below the usual patience of proxies.
  defaultWaitSeconds: 45,
  async target({ tx }, { accountId, solutionSlug, region, installationId, ...input }): Promise<InstallTarget> {
    const solution = getSolution(solutionSlug)
    const { problems } = readInputs(solution, input.inputs)
    if (problems.length > 0) throw invalidInput(problems)
    await lockAccount(tx, accountId)
    const account = await tx.account.findUniqueOrThrow({ where: { id: accountId }, include: { plan: true } })
    if (!(await tx.region.findUnique({ where: { code: region } }))) throw notFound('region', region)
    const installation = installationId ? await lockSolutionInstallation(tx, installationId) : null
    if (installation && installation.accountId !== accountId)
      throw invalidField('accountId', 'is not the account of the installation')
    return { type: 'installation', id: installation?.id ?? null, accountId, account, solution, installation }
  },
  async execute(context, input, { account, solution, installation }) {
    // It provisions what runs, so the scope of deployments is needed too (§5 rule 6).
    permit(context.caller, 'appEnv:operate', { accountId: account.id })
    const fingerprint = fingerprintOf(context, input)
    if (installation && installation.fingerprint !== fingerprint)
      throw conflict(
        'INSTALLATION_CHANGED',
        'An installation is resumed with the request that began it; solution, name, region or inputs differ',
      )
    await requirePrerequisites(context, solution, account, input.region)
    context.auditDetails({
      ...{ solutionSlug: solution.slug, revision: solution.revision, appName: input.appName, region: input.region },
      ...{ inputs: Object.keys(input.inputs), plan: shownPlan(solution, account, input) },
    })
    const installationId = installation
      ? await resume(context, { account, solution, installation })
      : await begin(context, input, { account, solution, fingerprint })
    const result = await resultOf(context.tx, installationId)
    context.created(...Object.values(result))
    return result
  },
  async hasEnded(database, { installationId }) {
    const found = await database.solutionInstallation.findUnique({ where: { id: installationId } })
    return found?.status !== 'INSTALLING'
  },
  async refresh({ database }, { installationId, operationIds }) {
    const { status, deletedAt, components } = await database.solutionInstallation.findUniqueOrThrow({
      where: { id: installationId },
      include: { components: { orderBy: { position: 'asc' } } },
    })
    if (status === 'INCOMPLETE' && deletedAt === null) throw incomplete(installationId, components)
    const ended = status === 'INSTALLED' ? 'SUCCEEDED' : 'RUNNING'
    return { ...(await resultOf(database, installationId)), operationIds, operationStatus: ended }
  },
})

async function begin(
  context: CommandContext,
  input: InstallInput,
  { account, solution, fingerprint }: Pick<InstallTarget, 'account' | 'solution'> & { fingerprint: string },
): Promise<string> {
  const { tx, vault, caller } = context
  const values = withGenerated(solution, readInputs(solution, input.inputs).values, randomText)
  const installing: Installing = { account, solution, appName: input.appName, region: input.region, values }
  const created = await createComponents(context, installing, new Map())
  const id = newId('inst')
  await tx.solutionInstallation.create({
    data: {
      ...{ id, accountId: account.id, solutionSlug: solution.slug, revision: solution.revision, fingerprint },
      ...{ appName: input.appName, regionCode: input.region },
      sealedInputs: vault.forAccount(account).sealInputs(id, values),
      postInstallNote: await renderNote(context, installing, created),
      requestedBy: caller.userId ?? caller.tokenId,
      components: {
        create: created.map(({ key, appId, appEnvId, operationId }, position) => ({
          ...{ key, position, appId, appEnvId, operationId },
          state: operationId === null ? ('PENDING' as const) : ('DEPLOYING' as const),
        })),
      },
    },
  })
  const installation = await lockSolutionInstallation(tx, id)
  if (!(await advance(context, installation))) announceProgress(context, id, 'INSTALLING', installation.components)
  return id
}

/** Of what must be the same when an installation is resumed. */
function fingerprintOf({ vault }: CommandContext, { accountId, solutionSlug, appName, region, inputs }: InstallInput) {
  const sorted = Object.entries(inputs).sort(([one], [other]) => (one < other ? -1 : 1))
  return vault.fingerprint(JSON.stringify([accountId, solutionSlug, appName, region, sorted]))
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

/** Without values of variables: they may be secret. */
function shownPlan(solution: Solution, account: Account, { appName, region }: InstallInput) {
  const place = { accountId: account.id, accountSlug: account.slug, appName, region }
  return planSolution(solution, {}, place).map(({ key, app, image, dependsOn }) => ({
    ...{ key, appName: app.name, dockerPreset: app.dockerPreset, image, dependsOn },
  }))
}

async function resultOf(tx: Pick<Database, 'solutionInstallation' | 'operation'>, installationId: string) {
  const { components, postInstallNote } = await tx.solutionInstallation.findUniqueOrThrow({
    where: { id: installationId },
    include: { components: { orderBy: { position: 'asc' } } },
  })
  const going = components.filter(({ state }) => state === 'DEPLOYING')
  // A call that waits for one that has ended is told how it ended.
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
const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
