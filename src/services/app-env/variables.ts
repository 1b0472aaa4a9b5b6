import type { z } from 'zod'
import { type Caller, may, permit } from '../../calls/caller.ts'
import type { CommandContext } from '../../calls/command.ts'
import type { variables } from '../../calls/input.ts'
import { type FieldProblem, invalidField, invalidInput } from '../../domain/errors.ts'
import {
  type AppEnvReference,
  appEnvReferences,
  holdsCredentials,
  resolveReferences,
  UnresolvedReference,
} from '../../domain/references.ts'
import { ARG_NAME_RULE, isArgName } from '../../domain/variable-name.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { connectionUrls, type UrlLookup } from '../../storage/references/connection-urls.ts'
import { MASK } from '../configuration/configured.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

type Given = z.output<typeof variables>

/** The input field that holds the variable's value. */
type FieldOf = (name: string) => string

/** `variables.2.value`; the list itself for a variable that the request did not send but affects. */
export const fieldIn =
  (list: string, given: readonly { name: string }[]): FieldOf =>
  (name) => {
    const index = given.findIndex((one) => one.name === name)
    return index < 0 ? list : `${list}.${index}.value`
  }

const nameFieldOf = (valueField: string): string => valueField.replace(/\.value$/, '.name')

/** Names that every container gets; their values are known only once it is deployed. */
export const PLATFORM_VARIABLES = ['PORT', 'BERTH_APP_ENV_ID', 'BERTH_ENV_NAME', 'BERTH_CONTENT_ID', 'BERTH_VERSION']

/**
 * Replaces the environment's variables by those given. A secret sent back masked keeps its value and stays a secret:
 * otherwise a caller who may not read it could turn it into a value that all members can read. `madeWith`: names of
 * environments that the same call makes.
 */
export async function replaceVariables(
  context: CommandContext,
  appEnv: LoadedAppEnv,
  given: Given,
  fieldOf: FieldOf = fieldIn('envVars', given),
  madeWith: Iterable<string> = [],
): Promise<void> {
  const { tx, vault } = context
  const accountVault = vault.forAccount(appEnv.account)
  const unbuildable = given.find(({ name, type }) => type !== 'DEPLOY' && !isArgName(name))
  if (unbuildable) throw invalidField(nameFieldOf(fieldOf(unbuildable.name)), ARG_NAME_RULE)
  const before = new Map(appEnv.variables.map((variable) => [variable.name, variable]))
  const rows = given.map((variable) => {
    const kept = before.get(variable.name)
    if (variable.value === MASK && !kept?.isSecret)
      throw invalidField(fieldOf(variable.name), 'is the mask that stands for a secret, and no value; send the value')
    if (variable.value === MASK && kept?.isSecret) return { ...kept, type: variable.type }
    const references = [...new Set(appEnvReferences([variable.value]).map(({ envName }) => envName))]
    const referencesChangedAt = kept?.referencesChangedAt ?? null
    return { ...accountVault.sealVariable(variable), appEnvId: appEnv.id, references, referencesChangedAt }
  })
  const values = new Map(rows.map((row) => [row.name, accountVault.openVariable(row)]))
  const had = appEnv.variables.map((variable) => accountVault.openVariable(variable))
  await checkReferences(context, appEnv, values, fieldOf, { values: had, envNames: madeWith })
  await tx.variable.deleteMany({ where: { appEnvId: appEnv.id } })
  if (rows.length > 0) await tx.variable.createMany({ data: rows })
}

/**
 * Throws for references that could not be resolved, at a deployment, where no caller would read the error; and
 * for those to what the caller may not read: all who operate the environment read it there.
 */
export async function checkReferences(
  { tx, config, vault, caller }: CommandContext,
  appEnv: LoadedAppEnv,
  values: ReadonlyMap<string, string>,
  fieldOf: FieldOf,
  granted: Granted,
): Promise<void> {
  const found = await connectionUrls({ tx, config, vault }, appEnv, values.values())
  const urlOf = await referable({ tx, caller }, appEnv, found, values.values(), granted)
  try {
    const platform = Object.fromEntries(PLATFORM_VARIABLES.map((name) => [name, '']))
    resolveReferences(values, { platform, urlOf })
  } catch (error) {
    if (!(error instanceof UnresolvedReference)) throw error
    throw invalidField(fieldOf(error.variable), `${error.variable} ${error.message}`)
  }
}

/** What PATCH sends of a variable: omitted fields keep their value. */
export type Merged = Pick<Given[number], 'name'> & {
  [Field in 'value' | 'type' | 'isSecret']?: Given[number][Field] | undefined
}

/** The whole list after the merge; a secret whose value is not sent stays masked, and secret. */
export function mergeVariables(
  appEnv: LoadedAppEnv,
  open: (variable: LoadedAppEnv['variables'][number]) => string,
  merged: Merged[],
): Given {
  const problems: FieldProblem[] = []
  const all = new Map<string, Given[number]>(
    appEnv.variables.map((variable) => {
      const { name, type, isSecret } = variable
      return [name, { name, type, isSecret, value: isSecret ? MASK : open(variable) }]
    }),
  )
  for (const [index, { name, ...sent }] of merged.entries()) {
    const before = all.get(name)
    const value = sent.value ?? before?.value
    if (value === undefined)
      problems.push({ field: `variables.${index}.value`, message: 'is required for a new variable' })
    const isMasked = before?.isSecret === true && value === MASK
    if (isMasked && sent.isSecret === false)
      problems.push({
        field: `variables.${index}.isSecret`,
        message: 'can be turned off only together with a new value',
      })
    const { type = before?.type ?? 'DEPLOY', isSecret = before?.isSecret ?? false } = sent
    all.set(name, { name, value: value ?? '', type, isSecret })
  }
  if (problems.length > 0) throw invalidInput(problems)
  return [...all.values()]
}

/** Of the environments that values refer to, what their environment has already: it gets no more by it. */
interface Granted {
  /** Values that its variables have. */
  values?: Iterable<string>
  /** Names of environments that are made together with it. */
  envNames?: Iterable<string>
}

interface Referrer {
  id: string
  accountId: string
}

/**
 * What the caller may refer to: an environment that they may read, and its credentials with the permission for these.
 * What they may not know of is not there; the lookup throws FORBIDDEN for credentials of what they know.
 */
async function referable(
  { tx, caller }: { tx: Transaction; caller: Caller },
  { id, accountId }: Referrer,
  urlOf: UrlLookup,
  values: Iterable<string>,
  granted: Granted = {},
): Promise<UrlLookup> {
  const names = [...new Set(appEnvReferences(values).map(({ envName }) => envName))]
  if (names.length === 0) return urlOf
  const select = { id: true, cliEnvName: true, serviceCredentials: { select: { id: true } } }
  const found = await tx.appEnv.findMany({ where: { accountId, cliEnvName: { in: names }, deletedAt: null }, select })
  const named = new Map(found.map((appEnv) => [appEnv.cliEnvName, appEnv]))
  const had = appEnvReferences(granted.values ?? [])
  const made = new Set(granted.envNames)
  const isSecret = ({ envName, url }: AppEnvReference) =>
    holdsCredentials(url) && Boolean(named.get(envName)?.serviceCredentials)
  // Whatever holds the credentials holds every address, too.
  const isGranted = (asked: AppEnvReference) =>
    had.some((one) => one.envName === asked.envName && (isSecret(one) || !isSecret(asked)))
  return (reference) => {
    const url = urlOf(reference)
    const appEnv = named.get(reference.envName)
    if (url === null || !appEnv) return null
    if (appEnv.id === id || made.has(reference.envName) || isGranted(reference)) return url
    const on = { accountId, appEnvId: appEnv.id }
    if (!may(caller, 'appEnv:read', on)) return null
    if (isSecret(reference)) permit(caller, 'credentials:refer', on)
    return url
  }
}
