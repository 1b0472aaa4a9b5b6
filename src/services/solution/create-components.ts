import type { CommandContext } from '../../calls/command.ts'
import { parseInput } from '../../calls/perform.ts'
import { DomainError, invalidInput } from '../../domain/errors.ts'
import { inDependencyOrder } from '../../solutions/graph.ts'
import { type InputValues, noteOf, planComponent, variablesOf } from '../../solutions/plan.ts'
import type { Component, Solution } from '../../solutions/solution.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Account, Plan } from '../../storage/database/generated/prisma/client.ts'
import { connectionUrls } from '../../storage/references/connection-urls.ts'
import { createApp } from '../app/create-app.ts'
import { createAppEnv } from '../app-env/create-app-env.ts'
import { replaceVariables } from '../app-env/variables.ts'
import { lockApp } from '../targets/load-app.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'

export interface Installing {
  /** Its network is theirs. */
  installationId: string
  account: Account & { plan: Plan }
  solution: Solution
  appName: string
  region: string
  values: InputValues
}

/** Where a component is. Null: it is to be created. */
export interface Placed {
  appId: string
  appEnvId: string
}

export interface CreatedComponent extends Placed {
  key: string
  /** Of a managed service, which is deployed as soon as it exists. */
  operationId: string | null
}

/**
 * Creates the apps and environments that are not there, dependencies first, all in the caller's transaction. Nothing is
 * deployed but managed services, which need no other component. Variables come last: they refer to environments in both directions.
 */
export async function createComponents(
  context: CommandContext,
  installing: Installing,
  present: ReadonlyMap<string, { appId: string; appEnvId: string | null }>,
  variablesFor: (key: string) => boolean = () => true,
): Promise<CreatedComponent[]> {
  const { tx } = context
  const created: CreatedComponent[] = []
  for (const component of inDependencyOrder(installing.solution.components)) {
    const known = present.get(component.key)
    if (known?.appEnvId) created.push({ key: component.key, ...known, appEnvId: known.appEnvId, operationId: null })
    else created.push(await createAt(component, () => createOne(context, installing, component, known?.appId ?? null)))
  }
  const names = await namesOf(tx, created)
  for (const { key, appEnvId } of created) {
    const component = installing.solution.components.find((one) => one.key === key)
    const variables = component ? variablesOf(installing.solution, component, installing.values, names) : []
    if (variables.length === 0 || !variablesFor(key)) continue
    const { appEnv } = await lockAppEnv(tx, { appEnvId })
    await replaceVariables(
      context,
      appEnv,
      variables.map((variable) => ({ ...variable, type: 'DEPLOY' as const })),
      undefined,
      Object.values(names),
    )
  }
  return created
}

/** What an app or an environment refuses, with the component that asks for it. */
async function createAt<T>({ name }: Component, create: () => Promise<T>): Promise<T> {
  try {
    return await create()
  } catch (error) {
    const fields = error instanceof DomainError && error.code === 'INVALID_INPUT' ? error.details.fields : undefined
    if (!fields) throw error
    throw invalidInput(fields.map(({ field, message }) => ({ field, message: `${message} (${name})` })))
  }
}

async function createOne(
  outer: CommandContext,
  { account, appName, region, installationId }: Installing,
  component: Component,
  presentAppId: string | null,
): Promise<CreatedComponent> {
  // The audit entry is about the installation.
  const context: CommandContext = { ...outer, auditDetails() {} }
  const plan = planComponent(component, { accountId: account.id, appName, region })
  const newApp = { type: 'app', id: null, accountId: account.id, account } as const
  const { appId } = presentAppId
    ? { appId: presentAppId }
    : await createApp.execute(context, parseInput(createApp.input, plan.app), newApp)
  const input = parseInput(createAppEnv.input, { ...plan.appEnv, appId })
  const { appEnvId, operationId } = await createAppEnv.execute(context, input, await lockApp(context.tx, appId))
  const { networkAliases } = component
  if (networkAliases)
    await context.tx.appEnv.update({ where: { id: appEnvId }, data: { networkGroup: installationId, networkAliases } })
  return { key: component.key, appId, appEnvId, operationId }
}

export async function namesOf(tx: Transaction, created: readonly CreatedComponent[]): Promise<Record<string, string>> {
  const rows = await tx.appEnv.findMany({
    where: { id: { in: created.map(({ appEnvId }) => appEnvId) } },
    select: { id: true, cliEnvName: true },
  })
  const names = new Map(rows.map(({ id, cliEnvName }) => [id, cliEnvName]))
  return Object.fromEntries(created.map(({ key, appEnvId }) => [key, names.get(appEnvId) ?? '']))
}

/** The note of the solution with the addresses that its components have got. */
export async function renderNote(
  { tx, config, vault }: CommandContext,
  { account, region: regionCode, solution, values }: Installing,
  created: readonly CreatedComponent[],
): Promise<string | null> {
  const names = await namesOf(tx, created)
  const references = Object.values(names).map((name) => `\${${name}.externalUrl}`)
  const urlOf = await connectionUrls({ tx, config, vault }, { accountId: account.id, regionCode }, references)
  const addressOf = (key: string) => urlOf({ envName: names[key] ?? '', url: 'externalUrl' }) ?? ''
  return noteOf(solution, values, addressOf) ?? null
}
