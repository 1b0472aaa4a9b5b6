import type { StartupConfig } from '../domain/configuration.ts'
import type { RunSettings } from '../domain/job-run.ts'

/** What contract §4.4 says of fields that nobody sets. */
const DEFAULTS = {
  timeoutSeconds: 3600,
  ttlSecondsAfterFinished: 86_400,
  backoffLimit: 0,
  maxConcurrency: 1,
  concurrencyPolicy: 'QUEUE',
} as const

/** One-off commands of other types are asked for by people, who should not wait for each other. */
const ONE_OFF_CONCURRENCY = 10

/** The runs of a job: `jobConfig` as it was applied, then the startup command of the environment, then the image's. */
export function jobRuns(config: Partial<RunSettings>, startup: StartupConfig | null): RunSettings {
  const own = config.command === undefined ? startup : null
  return {
    ...DEFAULTS,
    ...config,
    command: config.command ?? own?.command ?? null,
    args: config.args ?? own?.args ?? [],
    shell: config.shell ?? own?.shell ?? true,
    workingDir: config.workingDir ?? own?.workingDir ?? null,
  }
}

/** A command beside a program that runs all the time. Each names its own. */
export const oneOffRuns = (): RunSettings => ({
  ...DEFAULTS,
  ...{ command: null, args: [], shell: true, workingDir: null },
  maxConcurrency: ONE_OFF_CONCURRENCY,
})
