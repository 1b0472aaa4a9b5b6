import type { AppType } from '../app-type.ts'
import { urlsOver } from '../connection-urls.ts'
import { jobRuns, withRunDefaults } from '../run-settings.ts'
import { concurrencyPolicy, jobConfig } from './job-config.ts'

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
