import { isDeepStrictEqual } from 'node:util'
import type { CommandContext } from '../../calls/command.ts'
import { parseInput } from '../../calls/perform.ts'
import { conflict } from '../../domain/errors.ts'
import { type EnvNames, startupConfigOf, variablesOf } from '../../solutions/plan.ts'
import type { Component, Solution } from '../../solutions/solution.ts'
import { updateApp } from '../app/update-app.ts'
import { updateAppEnv } from '../app-env/update-app-env.ts'
import { configuredImage } from '../configuration/configured.ts'
import { lockApp } from '../targets/load-app.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'
import type { Declared } from './load-installation.ts'

/** What an upgrade would have to destroy; everything at once. */
export function requireUpgradable(before: Solution, next: Solution): void {
  const problems = next.components.flatMap((component) => {
    const old = before.components.find(({ key }) => key === component.key)
    if (!old) return []
    const { key, dockerPreset, volume } = component
    return [
      ...(old.dockerPreset === dockerPreset ? [] : [`${key} was ${old.dockerPreset} and is ${dockerPreset}`]),
      ...(old.volume && old.volume.path !== volume?.path ? [`${key} would lose its volume at ${old.volume.path}`] : []),
    ]
  })
  if (problems.length > 0)
    throw conflict(
      'UPGRADE_REFUSED',
      `Revision ${next.revision} cannot be reached from ${before.revision}: ${problems.join('; ')}. Install it anew, and move the data`,
    )
}

interface Upgraded {
  appId: string
  appEnvId: string
  old: Component
  component: Component
  before: Declared
  next: Declared
  names: EnvNames
}

/** Names of what will change, and of what stays because it was changed by hand. */
interface Merged {
  changed: string[]
  kept: string[]
}

/**
 * A three-way merge: what differs between the two revisions is set, unless the present value is neither of theirs.
 * Scale, limits and versions of managed services stay as they are: those are the account's to choose.
 */
export async function changeComponent(context: CommandContext, upgraded: Upgraded): Promise<Merged> {
  const { appId, appEnvId, old, component } = upgraded
  const merged: Merged = { changed: [], kept: [] }
  const { app } = await lockApp(context.tx, appId)
  const { appEnv } = await lockAppEnv(context.tx, { appEnvId })
  const merge = <T>(field: string, base: T, current: T, next: T): T | undefined => {
    const isTaken = takes(base, current, next)
    if (isTaken === null) return undefined
    merged[isTaken ? 'changed' : 'kept'].push(`${component.key}: ${field}`)
    return isTaken ? next : undefined
  }
  const appChanges = {
    port: merge('port', old.port ?? null, old.port === undefined ? null : app.port, component.port ?? null),
    healthCheckPath: merge(
      'healthCheckPath',
      old.healthCheckPath ?? null,
      app.healthCheckPath,
      component.healthCheckPath ?? null,
    ),
    healthCheck: merge('healthCheck', old.healthCheck ?? null, app.healthCheck, component.healthCheck ?? null),
    image: merge(
      'image',
      old.image ?? null,
      old.image ? configuredImage(appEnv, appEnv.currentContent) : null,
      component.image ?? null,
    ),
  }
  const startupConfig = merge('startupConfig', startupConfigOf(old), appEnv.startupConfig, startupConfigOf(component))
  const containerSettings = merge(
    'containerSettings',
    old.containerSettings ?? null,
    appEnv.containerSettings,
    component.containerSettings ?? null,
  )
  const volume = old.volume?.path === component.volume?.path ? undefined : component.volume
  if (volume) merged.changed.push(`${component.key}: volume`)
  const envVars = mergedVariables(context, upgraded, appEnv, merged)
  // The audit entry is about the installation.
  const inner: CommandContext = { ...context, auditDetails() {} }
  const changedApp = given({
    ...appChanges,
    healthCheckPath: appChanges.healthCheckPath === null ? '' : appChanges.healthCheckPath,
  })
  if (Object.keys(changedApp).length > 0)
    await updateApp.execute(
      inner,
      parseInput(updateApp.input, { appId, ...changedApp }),
      await lockApp(context.tx, appId),
    )
  const changedEnv = given({ startupConfig, containerSettings, volume, envVars })
  if (Object.keys(changedEnv).length > 0)
    await updateAppEnv.execute(
      inner,
      parseInput(updateAppEnv.input, { appEnvId, ...changedEnv }),
      await lockAppEnv(context.tx, { appEnvId }),
    )
  return merged
}

/** Null: there is nothing to do. False: it was changed by hand. */
function takes(base: unknown, current: unknown, next: unknown): boolean | null {
  if (isDeepStrictEqual(base, next) || isDeepStrictEqual(current, next)) return null
  return isDeepStrictEqual(current, base)
}

const given = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

type AppEnv = Awaited<ReturnType<typeof lockAppEnv>>['appEnv']

/** The whole list of variables; undefined when none changes. */
function mergedVariables({ vault }: CommandContext, upgraded: Upgraded, appEnv: AppEnv, merged: Merged) {
  const { old, component, before, next, names } = upgraded
  const opened = vault.forAccount(appEnv.account)
  const listed = (declared: Declared, one: Component) =>
    new Map(variablesOf(declared.solution, one, declared.values, names).map((variable) => [variable.name, variable]))
  const [was, will] = [listed(before, old), listed(next, component)]
  const present = new Map(
    appEnv.variables.map((row) => {
      const { name, type, isSecret } = row
      return [name, { name, type, isSecret, value: opened.openVariable(row) }]
    }),
  )
  let isChanged = false
  for (const name of new Set([...was.keys(), ...will.keys()])) {
    const isTaken = takes(was.get(name)?.value, present.get(name)?.value, will.get(name)?.value)
    if (isTaken === null) continue
    merged[isTaken ? 'changed' : 'kept'].push(`${component.key}: ${name}`)
    if (!isTaken) continue
    isChanged = true
    const variable = will.get(name)
    if (variable) present.set(name, { ...variable, type: 'DEPLOY' as const })
    else present.delete(name)
  }
  return isChanged ? [...present.values()] : undefined
}
