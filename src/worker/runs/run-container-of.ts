import { commandLine } from '../../domain/command-line.ts'
import { recordedConfiguration, type SealedVariable } from '../../domain/configuration.ts'
import type { RunSnapshot } from '../../domain/job-run.ts'
import { resourcesOf } from '../../domain/resources.ts'
import type { RunContainer } from '../../engines/runtime/container-runtime.ts'
import { containerVariables } from '../version/variables.ts'
import type { LoadedRun, RunContext } from './run-context.ts'

/** In a folder that no image has. */
const STDIN = '/run/berth-input/stdin'

/** What the engine is to create for an attempt, with its secrets opened: never logged, never stored. */
export async function runContainerOf(context: RunContext, loaded: LoadedRun, attempt: number): Promise<RunContainer> {
  const { run, snapshot, content, appEnv } = loaded
  if (!content.imageDigest) throw new Error(`The image of ${content.id} is not pinned`)
  const configuration = recordedConfiguration(content)
  const stdin = run.stdin as unknown as SealedVariable | null
  return {
    accountId: run.accountId,
    appId: appEnv.appId,
    appEnvId: run.appEnvId,
    contentId: content.id,
    runId: run.id,
    attempt,
    generation: context.lease.claim.token,
    requestId: run.requestId,
    pinnedImage: content.imageDigest,
    command: commandOf(snapshot, stdin !== null),
    workingDir: snapshot.workingDir,
    environment: {
      ...(await containerVariables(context, appEnv, content, snapshot.envVars)),
      BERTH_JOB_RUN_ID: run.id,
      BERTH_JOB_ATTEMPT: String(attempt),
    },
    files: stdin ? [{ path: STDIN, content: context.vault.forAccount(appEnv.account).openVariable(stdin) }] : [],
    settings: configuration.containerSettings ?? null,
    resources: resourcesOf(configuration),
    // Under no name of the environment, which means what serves.
    group: appEnv.networkGroup === null ? null : { id: appEnv.networkGroup, aliases: [] },
  }
}

/** Input is a file, so that an attempt that is taken over by another worker reads the same, and all of it. */
function commandOf({ command, args, shell }: RunSnapshot, hasInput: boolean): RunContainer['command'] {
  if (command === null) return args.length > 0 ? { entrypoint: [], args } : null
  const line = commandLine({ command, args, shell })
  if (!hasInput) return line
  return { entrypoint: ['/bin/sh', '-c'], args: [`exec "$@" < ${STDIN}`, 'sh', ...line.entrypoint, ...line.args] }
}
