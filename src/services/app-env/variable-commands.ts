import { z } from 'zod'
import { type CommandContext, command } from '../../calls/command.ts'
import { appEnvTarget, flag, variable, variables } from '../../calls/input.ts'
import type { WaitOutcomes } from '../../calls/wait-outcome.ts'
import { invalidField, notFound } from '../../domain/errors.ts'
import { type LoadedAppEnv, lockAppEnv } from '../targets/load-app-env.ts'
import { variableRecords } from './app-env-record.ts'
import { changeSettings, withApplication } from './change-setting.ts'
import { changedVariablesAnswer } from './setting-fields.ts'
import { checkRefused } from './type-config.ts'
import { checkReferences, fieldIn, mergeVariables, replaceVariables } from './variables.ts'

type ChangedVariables = Awaited<ReturnType<typeof announceVariables>>

const refresh = async (_tools: unknown, result: ChangedVariables, [outcome]: WaitOutcomes): Promise<ChangedVariables> =>
  withApplication(result, outcome)

const applyImmediately = flag('Whether to deploy the changes at once, instead of leaving them pending.').default(false)

export const setVariables = command({
  name: 'setVariables',
  rest: { method: 'PUT', path: '/app-env/variables', answer: changedVariablesAnswer },
  versioned: true,
  waits: true,
  about: 'Replace the environment variables by those given. A secret sent back masked keeps its value.',
  example: { request: { variables: [{ name: 'GREETING', value: 'hello' }], applyImmediately: true } },
  input: z.strictObject({ ...appEnvTarget, variables, applyImmediately }),
  permission: 'appEnv:change',
  refresh,
  target: ({ tx }, input) => lockAppEnv(tx, input),
  async execute(context, input, { appEnv }) {
    checkRefused(appEnv.app, input)
    await replaceVariables(context, appEnv, input.variables, fieldIn('variables', input.variables))
    return announceVariables(
      context,
      appEnv,
      input.variables.map(({ name }) => name),
      input.applyImmediately,
    )
  },
})

const { name, value, type, isSecret } = variable.shape

export const changedVariable = z.strictObject({
  name,
  value: value.optional(),
  type: type.unwrap().optional().describe('Reader of the variable: containers, builds or both. DEPLOY for a new one.'),
  isSecret: isSecret
    .unwrap()
    .optional()
    .describe('Whether the value is a secret. It is shown only to admins who ask for it.'),
})

export const changeVariables = command({
  name: 'changeVariables',
  rest: { method: 'PATCH', path: '/app-env/variables', answer: changedVariablesAnswer },
  versioned: true,
  waits: true,
  about: 'Add environment variables, or change those of the same name; all others stay as they are.',
  example: {
    request: { applyImmediately: true, variables: [{ name: 'DATABASE_PASSWORD', value: '<secret>', isSecret: true }] },
  },
  input: z.strictObject({
    ...appEnvTarget,
    variables: z
      .array(changedVariable)
      .min(1)
      .max(500, 'must be at most 500 variables')
      .refine((all) => new Set(all.map((one) => one.name)).size === all.length, 'must name each variable once')
      .describe('Variables to add or change. Fields that are left out of an existing variable stay as they are.'),
    applyImmediately,
  }),
  permission: 'appEnv:change',
  refresh,
  target: ({ tx }, input) => lockAppEnv(tx, input),
  async execute(context, input, { appEnv }) {
    checkRefused(appEnv.app, input)
    const accountVault = context.vault.forAccount(appEnv.account)
    const all = mergeVariables(appEnv, (one) => accountVault.openVariable(one), input.variables)
    if (all.length > 500) throw invalidField('variables', 'must be at most 500 variables')
    await replaceVariables(context, appEnv, all, fieldIn('variables', input.variables))
    return announceVariables(
      context,
      appEnv,
      input.variables.map((one) => one.name),
      input.applyImmediately,
    )
  },
})

export const deleteVariable = command({
  name: 'deleteVariable',
  rest: { method: 'DELETE', path: '/app-env/variables', answer: changedVariablesAnswer },
  versioned: true,
  waits: true,
  about: 'Remove an environment variable. Refused while another variable refers to it.',
  example: { request: { name: 'GREETING', applyImmediately: true }, answer: { variables: [] } },
  input: z.strictObject({ ...appEnvTarget, name, applyImmediately }),
  permission: 'appEnv:change',
  refresh,
  target: ({ tx }, input) => lockAppEnv(tx, input),
  async execute(context, input, { appEnv }) {
    const gone = appEnv.variables.find((one) => one.name === input.name)
    if (!gone) throw notFound('variable', input.name)
    const accountVault = context.vault.forAccount(appEnv.account)
    const left = appEnv.variables.filter((one) => one !== gone)
    const values = new Map(left.map((one) => [one.name, accountVault.openVariable(one)]))
    await checkReferences(context, appEnv, values, () => 'name', { values: values.values() })
    await context.tx.variable.delete({ where: { id: gone.id } })
    return announceVariables(context, appEnv, [gone.name], input.applyImmediately)
  },
})

/** Announces the change and answers with all variables as they are now; secrets are masked. */
async function announceVariables(
  context: CommandContext,
  appEnv: LoadedAppEnv,
  names: string[],
  applyImmediately: boolean,
) {
  context.auditDetails({ variables: names })
  const application = await changeSettings(context, appEnv, { data: {}, changed: ['envVars'], applyImmediately })
  const present = await context.tx.variable.findMany({ where: { appEnvId: appEnv.id }, orderBy: { name: 'asc' } })
  return {
    appEnvId: appEnv.id,
    variables: variableRecords(present, context.vault, appEnv.account, false),
    ...application,
  }
}
