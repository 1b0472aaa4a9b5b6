import type { StartupConfig } from '../domain/configuration.ts'
import type { RunSettings } from '../domain/job-run.ts'

/** Defaults of fields, by contract §4.4. */
const DEFAULTS = {
  command: null,
  args: [],
  // In the container of the run, by /bin/sh -lc, as its owner wrote it; the platform spawns nothing for it.
  shell: true,
  workingDir: null,
  timeoutSeconds: 3600,
  ttlSecondsAfterFinished: 86_400,
  backoffLimit: 0,
  maxConcurrency: 1,
  concurrencyPolicy: 'QUEUE',
} satisfies RunSettings

/** One-off commands of other types are asked for by people, who should not wait for each other. */
const ONE_OFF_CONCURRENCY = 10

/** `jobConfig` with the defaults of what it leaves out. A command has none: the image's own, or the startup command, runs. */
export function withRunDefaults(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { command: _command, workingDir: _workingDir, ...defaults } = DEFAULTS
  return { ...defaults, ...config }
}

/** The runs of a job: `jobConfig` as it was applied, then the startup command of the environment, then the image's. */
export function jobRuns(config: Partial<RunSettings>, startup: StartupConfig | null): RunSettings {
  const { command, args, shell, workingDir } = { ...DEFAULTS, ...(config.command === undefined ? startup : null) }
  return { ...DEFAULTS, command, args, shell, workingDir, ...config }
}

/** A command beside a program that runs all the time. Each names its own. */
export const oneOffRuns = (): RunSettings => ({ ...DEFAULTS, maxConcurrency: ONE_OFF_CONCURRENCY })
