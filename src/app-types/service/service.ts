import { z } from 'zod'
import type { AppType, Preset } from '../app-type.ts'
import { urlsOfEngine } from '../connection-urls.ts'
import type { Engine } from '../engines/engine.ts'
import { settingDefaults } from '../engines/engines.ts'
import { ENGINES } from '../engines/list.ts'

const MAX_TEXT = 200

/** Names and bounds depend on the preset: `engineProblems` checks them. */
const databaseSettings = z
  .record(z.string().max(MAX_TEXT), z.union([z.number(), z.boolean(), z.string().max(MAX_TEXT)]))
  .describe('Settings of a managed service by name. Their types and bounds are in the database presets.')

const presetOf = (engine: Engine): Preset => ({ kind: 'ENGINE', name: engine.name, engine })
const [first, ...others] = ENGINES

const OF_THE_PRESET = 'is decided by the preset of a managed service'
const NO_SOURCE = 'is for apps that are built from source; a managed service runs the image of its preset'
const NO_HEALTH_CHECK = 'cannot be set for a managed service, which has the health check of its engine'
const DISK_INSTEAD = 'is not for managed services: send disk and withPersistence for an environment'

/** Databases, caches and brokers. */
export const service: AppType = {
  name: 'SERVICE',
  title: 'Databases & Services',
  about: 'A database, cache or broker.',
  wireName: 'db',
  aliases: ['isDatabase', 'Database', 'DB'],
  flags: ['isDatabase', 'Database', 'DB'],
  logType: 'DATABASE',
  presets: [presetOf(first), ...others.map(presetOf)],
  defaultPreset: null,
  workload: {
    kind: 'CONTINUOUS',
    routing: 'TCP',
    // Its engine is asked instead: a server accepts connections before it serves clients.
    probing: null,
    scaling: { replicas: (containers) => containers, autoscales: false },
  },
  requiresPort: false,
  connectionUrls: urlsOfEngine,
  acceptsImage: () => false,
  allowsVolume: false,
  config: {
    field: 'databaseSettings',
    schema: databaseSettings,
    effective: (set, engine) => ({ ...(engine && settingDefaults(engine)), ...set }),
    isChangedWithApp: false,
  },
  runs: null,
  refuses: {
    useImage: OF_THE_PRESET,
    image: OF_THE_PRESET,
    builder: NO_SOURCE,
    buildArgs: NO_SOURCE,
    buildTarget: NO_SOURCE,
    contextDir: NO_SOURCE,
    dockerfilePath: NO_SOURCE,
    customDockerfileContent: NO_SOURCE,
    gitProvider: NO_SOURCE,
    gitNamespace: NO_SOURCE,
    gitRepo: NO_SOURCE,
    gitInstallationId: NO_SOURCE,
    isCliDeployment: NO_SOURCE,
    buildPullAccountSecretId: NO_SOURCE,
    branch: NO_SOURCE,
    gitBranch: NO_SOURCE,
    healthCheckPath: NO_HEALTH_CHECK,
    healthCheckPort: NO_HEALTH_CHECK,
    healthCheckHeaders: NO_HEALTH_CHECK,
    healthCheck: NO_HEALTH_CHECK,
    useVolume: DISK_INSTEAD,
    volumePath: DISK_INSTEAD,
    volume: DISK_INSTEAD,
    startupConfig: OF_THE_PRESET,
    releaseCommand: OF_THE_PRESET,
    containerSettings: OF_THE_PRESET,
    envVars: 'is not for managed services, which have databaseSettings',
    variables: 'is not for managed services, which have databaseSettings',
  },
  refusesHealthCheck: {
    NONE: NO_HEALTH_CHECK,
    TCP: NO_HEALTH_CHECK,
    HTTP: NO_HEALTH_CHECK,
    COMMAND: NO_HEALTH_CHECK,
  },
  checkPlan() {},
  checkAccount() {},
  checkRegion() {},
}
