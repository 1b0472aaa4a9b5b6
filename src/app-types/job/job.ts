import { z } from 'zod'
import type { AppType } from '../app-type.ts'
import { urlsOver } from '../connection-urls.ts'
import { jobRuns, withRunDefaults } from '../run-settings.ts'

const whole = (min: number, max: number, about: string) => z.number().int().min(min).max(max).optional().describe(about)

const concurrencyPolicy = {
  name: 'ConcurrencyPolicy',
  about: 'What happens to a job run beyond the limit.',
  values: {
    QUEUE: 'The run waits for another to end.',
    REJECT: 'The run is refused.',
    REPLACE: 'The run replaces a running one.',
  },
}

const jobConfig = z
  .strictObject({
    command: z.string().min(1).max(4096).optional().describe('Command of a default run.'),
    args: z.array(z.string().max(4096)).max(100).optional().describe('Arguments of the command.'),
    shell: z.boolean().optional().describe('Run the command by /bin/sh -lc. Default true.'),
    workingDir: z.string().max(1000).startsWith('/').optional().describe('Folder that the command runs in.'),
    timeoutSeconds: whole(1, 604_800, 'Longest run. Default 3600.'),
    ttlSecondsAfterFinished: whole(0, 2_592_000, 'Time for which a finished run’s container is kept. Default 86400.'),
    backoffLimit: whole(0, 20, 'Repeats of a failed run. Default 0.'),
    maxConcurrency: whole(1, 100, 'Runs at a time. Default 1.'),
    concurrencyPolicy: z
      .enum(['QUEUE', 'REJECT', 'REPLACE'])
      .optional()
      .describe('What happens to a run beyond maxConcurrency. Default QUEUE.'),
  })
  .describe('Defaults of a Job app’s runs.')

/** A finite command: nothing to route to and nothing to probe (§1 rule 2). */
export const job: AppType = {
  name: 'JOB',
  title: 'Job',
  about: 'A finite command.',
  wireName: 'job',
  aliases: ['Job'],
  logType: 'JOB',
  presets: [{ kind: 'OWN_DOCKERFILE', name: 'JOB', dockerfilePath: null }],
  defaultPreset: 'JOB',
  workload: { kind: 'ON_DEMAND' },
  requiresPort: false,
  connectionUrls: urlsOver('http'),
  acceptsImage: ({ useImage }) => useImage,
  allowsVolume: false,
  config: {
    field: 'jobConfig',
    schema: jobConfig,
    effective: withRunDefaults,
    isChangedWithApp: true,
    enums: [concurrencyPolicy],
  },
  runs: { settings: jobRuns, needsCommand: false },
  refuses: { releaseCommand: 'is for apps whose containers go on running; a job runs its own command' },
  checkPlan() {},
  checkAccount() {},
  checkRegion() {},
}
