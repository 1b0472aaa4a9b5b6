import { runsOf } from '../../app-types/behaviours.ts'
import type { Caller } from '../../calls/caller.ts'
import type { CommandContext } from '../../calls/command.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import type { RunCommand, RunSettings } from '../../domain/job-run.ts'
import type { Content, JobRunTrigger } from '../../storage/database/generated/prisma/client.ts'
import { isStopped } from '../lifecycle/open-operation.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import type { JobRunInput } from './job-run-input.ts'

/** The version that runs execute now, and what runs of it are like. Throws when there can be none. */
export async function runnable(
  { tx }: Pick<CommandContext, 'tx'>,
  appEnv: LoadedAppEnv,
): Promise<{ content: Content; settings: RunSettings; needsCommand: boolean }> {
  const { app, currentContent: content } = appEnv
  if (!runsOf(app, { typeConfig: null, startup: null })) throw conflict('NO_RUNS', 'Apps of this type have no job runs')
  if (appEnv.deletedAt) throw notFound('app environment', appEnv.id)
  if (!content) throw conflict('NEVER_DEPLOYED', 'Nothing was ever deployed here; deploy first')
  if (await isStopped(tx, appEnv))
    throw conflict('ENVIRONMENT_STOPPED', 'The environment is stopped; start it before you run anything in it')
  const runs = runsOf(app, recordedConfiguration(content))
  if (!runs) throw conflict('NO_RUNS', 'Apps of this type have no job runs')
  return { content, ...runs }
}

type Override = Pick<JobRunInput, 'command' | 'args' | 'shell' | 'workingDir' | 'timeoutSeconds'>

/** What one run is like: a command of its own does not get the arguments of another. */
export function overridden(settings: RunSettings, given: Override, needsCommand: boolean): RunSettings {
  if (needsCommand && given.command === undefined)
    throw invalidField('command', 'is required: a run of this environment is a command beside its program')
  const own: Partial<RunCommand> = given.command === undefined ? {} : { command: given.command, args: [] }
  return {
    ...settings,
    ...own,
    args: given.args ?? own.args ?? settings.args,
    shell: given.shell ?? settings.shell,
    workingDir: given.workingDir ?? settings.workingDir,
    timeoutSeconds: given.timeoutSeconds ?? settings.timeoutSeconds,
  }
}

/** Tokens of users are people's; those of environments, and with scopes, are programs'. */
export const triggerOf = ({ kind }: Caller): JobRunTrigger => (kind === 'USER' || kind === 'SESSION' ? 'MANUAL' : 'API')
