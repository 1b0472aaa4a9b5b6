import { type CommandContext, command } from '../../calls/command.ts'
import { isReadByContainers, recordedConfiguration, type SealedVariable } from '../../domain/configuration.ts'
import { invalidField } from '../../domain/errors.ts'
import { checkReferences, fieldIn } from '../app-env/variables.ts'
import { MASK } from '../configuration/configured.ts'
import { type LoadedAppEnv, lockAppEnv } from '../targets/load-app-env.ts'
import { jobRun } from './job-run-fields.ts'
import { type JobRunResult, jobRunProgress, jobRunRecord } from './job-run-record.ts'
import { addJobRun, type JobRunInput, jobRunInput, overridden, runnable, triggerOf } from './new-job-run.ts'

export const createJobRun = command({
  name: 'createJobRun',
  rest: { method: 'POST', path: '/app-env/job-runs', answer: jobRun.answer },
  versioned: true,
  waits: true,
  about:
    'Run a finite command in a fresh container of the current version of an environment, with its variables and network and without traffic. Fields that are sent are for this run alone.',
  example: { request: { command: 'npm run import', timeoutSeconds: 600 } },
  input: jobRunInput,
  permission: 'jobRun:operate',
  progress: jobRunProgress,
  target: ({ tx }, address) => lockAppEnv(tx, address),
  async execute(context, input, { appEnv }): Promise<JobRunResult> {
    const { content, settings, needsCommand } = await runnable(context, appEnv)
    const snapshot = {
      ...overridden(settings, input, needsCommand),
      envVars: await ownVariables(context, appEnv, input),
    }
    if (input.stdin !== undefined && snapshot.command === null)
      throw invalidField('stdin', 'needs a command: it cannot be given to the command of the image')
    const trigger = triggerOf(context.caller)
    const run = await addJobRun(context, appEnv, {
      content,
      snapshot,
      stdin: sealedStdin(context, appEnv, input),
      trigger,
    })
    context.created(run.id)
    context.auditDetails({ jobRunId: run.id, contentId: content.id, version: content.version, trigger })
    return jobRunRecord(context, run)
  },
})

const sealedStdin = ({ vault }: CommandContext, { account }: LoadedAppEnv, { stdin }: JobRunInput) =>
  stdin === undefined
    ? null
    : vault.forAccount(account).sealVariable({ name: 'stdin', value: stdin, type: 'DEPLOY', isSecret: true })

/** Sealed as those of the environment are. They may refer to the version's variables, and to other environments. */
async function ownVariables(
  context: CommandContext,
  appEnv: LoadedAppEnv,
  { envVars = [] }: JobRunInput,
): Promise<SealedVariable[]> {
  if (envVars.length === 0 || !appEnv.currentContent) return []
  const fieldOf = fieldIn('envVars', envVars)
  for (const { name, value } of envVars)
    if (value === MASK)
      throw invalidField(fieldOf(name), 'is the mask that stands for a secret, and no value; send the value')
  const secrets = context.vault.forAccount(appEnv.account)
  const given = recordedConfiguration(appEnv.currentContent).variables.filter(isReadByContainers)
  const values = new Map(given.map((variable) => [variable.name, secrets.openVariable(variable)]))
  const had = [...values.values()]
  for (const { name, value } of envVars) values.set(name, value)
  await checkReferences(context, appEnv, values, fieldOf, { values: had })
  return envVars.map((variable) => secrets.sealVariable({ ...variable, type: 'DEPLOY' }))
}
