import { z } from 'zod'
import { fieldsOf, flag, shownAs, text, time, VERSION, whole } from '../../calls/field.ts'
import { ORDER } from '../../calls/order.ts'
import { answer, resource } from '../../calls/resource.ts'
import type { AutoScaling } from '../../domain/autoscaling.ts'
import type { ReleaseCommand } from '../../domain/configuration.ts'
import { publicUrl } from '../../domain/public-url.ts'
import { explicitResources, resourcesOf } from '../../domain/resources.ts'
import type { AppEnv, HostStatus, Volume } from '../../storage/database/generated/prisma/client.ts'
import { appEnvTypeConfigFields } from '../app-type/app-type-fields.ts'
import { backupSchedule } from '../backup/backup-schedule-fields.ts'
import { pendingChange, pendingChanges } from '../configuration/pending-change-fields.ts'
import {
  externalAccess,
  shownExternalAccess,
  type WithExternalAccess,
  withExternalAccess,
} from '../external-access/external-access-fields.ts'
import { ownHealthCheck } from '../health-check/health-check-fields.ts'
import { labelsField } from '../label/label-fields.ts'
import { referred } from '../targets/app-env-reference.ts'
import { mountedVolume } from '../volume/volume-fields.ts'
import { shownContainerSettings } from './container-settings-fields.ts'
import { pullRequest } from './pull-request-envs-fields.ts'
import { type OpenVariable, variable } from './variable-fields.ts'

const scaled = fieldsOf<AutoScaling>()

/** How `autoScaling` was set. */
const scaledByLoad = resource({
  name: 'AutoScaling',
  id: 'AutoScaling',
  description: 'How the number of containers follows the load.',
  fields: {
    enabled: scaled.column('enabled', flag, 'Whether the number of containers follows the load.'),
    min: scaled.column('min', whole, 'Minimum number of containers.'),
    max: scaled.column('max', whole, 'Maximum number of containers.'),
    cpuPercent: scaled.column('cpuPercent', whole, 'Target CPU use, in percent.'),
    memoryPercent: scaled.given('memoryPercent', whole.optional(), 'Target memory use, in percent.'),
    upWindowSeconds: scaled.column('upWindowSeconds', whole, 'Time above the target before containers are added.'),
    downWindowSeconds: scaled.column(
      'downWindowSeconds',
      whole,
      'Time below the target before containers are removed.',
    ),
  },
})

type Sized = Pick<AppEnv, 'containers' | 'zClouds' | 'cpu' | 'memoryMb'>

const sizeOf = (appEnv: Sized) => resourcesOf({ zClouds: appEnv.zClouds, resources: explicitResources(appEnv) })

const size = { zClouds: true, cpu: true, memoryMb: true }
const sized = fieldsOf<Sized>()

export const allotted = resource({
  name: 'Resources',
  id: 'Resources',
  description: 'CPU and memory that an environment is allotted.',
  examples: {
    zClouds: 1,
    cpu: 1,
    memory: 512,
  },
  fields: {
    containers: sized.column('containers', whole, 'Number of containers of the environment.'),
    zClouds: sized.column('zClouds', z.number(), 'CPU and memory of one container, in zClouds.'),
    cpu: sized.from(size, z.number(), 'CPU of one container, in zCPU.', (row: Sized) => sizeOf(row).cpu),
    memory: sized.from(size, z.number(), 'Memory of one container, in MB.', (row: Sized) => sizeOf(row).memoryMb, {
      inGraphQL: { type: 'Int' },
    }),
  },
})

interface Startup {
  command: string
  args: string[]
  shell: boolean
  workingDir: string | null
}

const started = fieldsOf<Startup>()

export const startupConfig = resource({
  name: 'StartupConfig',
  id: 'StartupConfig',
  description: 'Command that replaces the one of the image.',
  fields: {
    command: started.column(
      'command',
      text.nullable(),
      'Command that replaces the image’s entry point; null: the entry point stays, and gets the arguments.',
    ),
    args: started.column('args', z.array(text), 'Arguments of the command.'),
    shell: started.column('shell', flag, 'Whether /bin/sh -lc runs the command.'),
    workingDir: started.column('workingDir', text.nullable(), 'Working directory of the command.'),
  },
})

const released = fieldsOf<ReleaseCommand>()

export const releaseCommand = resource({
  name: 'ReleaseCommand',
  id: 'ReleaseCommand',
  description: 'Command that each new version runs once before its containers start.',
  fields: {
    command: released.column('command', text, 'Command that each new version runs before its containers start.'),
    args: released.column('args', z.array(text), 'Arguments of the command.'),
    shell: released.column('shell', flag, 'Whether /bin/sh -lc runs the command.'),
    workingDir: released.column('workingDir', text.nullable(), 'Working directory of the command.'),
    timeoutSeconds: released.column('timeoutSeconds', whole, 'Seconds after which the command is ended.'),
  },
})

/** An environment with what its services add: its changes are compared and its variables opened there. */
export interface DescribedAppEnv extends AppEnv {
  pendingChanges: z.output<typeof pendingChange.answer.type>[]
  envVars: OpenVariable[]
}

const field = fieldsOf<AppEnv>()
const added = fieldsOf<DescribedAppEnv>()

/** §2.4. */
const listed = {
  appEnvId: referred.appEnvId,
  appId: field.column('appId', text, 'Id of the app that the environment is an instance of.', { only: 'rest' }),
  name: referred.name,
  slug: field.column('slug', text, 'Slug of the environment: its part of host names and CLI names.'),
  region: field.column('regionCode', text, 'Region that the environment runs in.', {
    inGraphQL: { isResolvedThere: true },
  }),
  gitBranch: referred.gitBranch,
  deploymentName: field.column('deploymentName', text, 'Name of the environment on the platform.'),
  cliEnvName: field.column('cliEnvName', text, 'CLI name of the environment, which `envName` takes.'),
  hosts: field.from(
    { hosts: { select: { host: true }, orderBy: ORDER.host } },
    z.array(text),
    'Host names that lead to the environment.',
    ({ hosts }: { hosts: readonly { host: string }[] }) => hosts.map(({ host }) => host),
    { inGraphQL: { isResolvedThere: true } },
  ),
  url: field.from(
    { hosts: { select: { host: true, status: true }, orderBy: ORDER.host } },
    text.nullable(),
    'Address of the environment, with scheme and port: that of its first valid host. Null if it has none.',
    ({ hosts }: { hosts: readonly { host: string; status: HostStatus }[] }, { config }) => {
      const valid = hosts.find(({ status }) => status === 'VALID')
      return valid ? publicUrl(config, valid.host) : null
    },
  ),
  status: referred.status,
  resources: field.from(
    allotted.answer.select,
    allotted.answer.type,
    'CPU and memory that the environment is allotted.',
    (row: Sized, context) => allotted.answer.record(row, context),
  ),
  createdAt: field.column('createdAt', time, 'Time at which the environment was created.'),
  updatedAt: field.column('updatedAt', time, 'Time at which the environment was last changed.'),
}

const configuration = {
  accountId: field.column('accountId', text, 'Id of the account that owns the environment.', { only: 'rest' }),
  allowUserCliToken: field.column(
    'allowUserCliToken',
    flag,
    'Whether user tokens act as the environment’s token in the CLI.',
  ),
  preventDestroy: field.column('preventDestroy', flag, 'Whether deleting the environment is refused.'),
  pullRequest: field.json(
    'pullRequest',
    pullRequest.answer.type.nullable(),
    'Pull request of the environment; null for an environment that users created.',
  ),
  expiresAt: field.column(
    'expiresAt',
    time.nullable(),
    'Time at which the environment is deleted automatically; null for never.',
  ),
  startupConfig: field.json(
    'startupConfig',
    startupConfig.answer.type.nullable(),
    'Command that replaces the one of the image.',
  ),
  releaseCommand: field.json(
    'releaseCommand',
    releaseCommand.answer.type.nullable(),
    'Command that each new version runs once before its containers start; null: none.',
  ),
  containerSettings: field.json(
    'containerSettings',
    shownContainerSettings.answer.type.nullable(),
    'Settings of the containers; null: those of the image and of the engine.',
  ),
  networkAliases: field.column(
    'networkAliases',
    z.array(text),
    'Names by which the other parts of a solution installation reach the environment.',
  ),
  ...appEnvTypeConfigFields,
  dockerPresetVersion: field.column(
    'presetVersion',
    text.nullable(),
    'Version of a managed service, `<PRESET>_<VERSION>`; null for other apps.',
  ),
  backupSchedule: field.json(
    'backupSchedule',
    backupSchedule.answer.type.nullable(),
    'Schedule of the backups of a managed service, and how long they are kept; null for none.',
  ),
  nextBackupAt: field.column(
    'nextBackupAt',
    time.nullable(),
    'Time of the next scheduled backup; null without a schedule.',
  ),
  volume: field.from(
    { volume: true },
    mountedVolume.answer.type.nullable(),
    'Volume of the environment, if it has one.',
    ({ volume }: { volume: Volume | null }, context) => (volume ? mountedVolume.answer.record(volume, context) : null),
  ),
  externalAccess: field.from(
    withExternalAccess,
    externalAccess.answer.type.nullable(),
    'How clients from outside reach a managed service, if that was ever configured.',
    (row: WithExternalAccess, context) => {
      const shown = shownExternalAccess(context.config, row)
      return shown && externalAccess.answer.record(shown, context)
    },
  ),
  healthCheck: field.json(
    'healthCheck',
    ownHealthCheck.answer.type.nullable(),
    'Health check and probes that the environment sets for itself.',
  ),
  autoScaling: field.json(
    'autoScaling',
    scaledByLoad.answer.type.nullable(),
    'How the number of containers follows the load.',
  ),
  labels: labelsField('environment'),
}

export const current = {
  currentContentId: field.column('currentContentId', text.nullable(), 'Id of the version that serves.', {
    only: 'rest',
  }),
  currentVersion: field.from(
    { currentContent: { select: { version: true } } },
    whole.nullable(),
    'Number of the version that serves.',
    ({ currentContent }: { currentContent: { version: number } | null }) => currentContent?.version ?? null,
  ),
}

export const appEnvFields = {
  ...listed,
  ...configuration,
  pendingChanges: added.given(
    'pendingChanges',
    z.array(pendingChange.answer.type),
    'What is configured and does not run yet.',
    { only: 'rest' },
  ),
  ...current,
  envVars: added.given('envVars', z.array(variable.answer.type), 'Environment variables, by name.', {
    inGraphQL: { name: 'variables', isResolvedThere: true },
  }),
}

/** Contract §3, GET /app-env. */
export const appEnvAnswer = answer(appEnvFields, {
  id: 'AppEnv',
  description: 'A deployed instance of an app, such as production.',
})

/** The status is lower case in lists (§2.4), and upper case everywhere else (§3). */
const lowerCase = z.enum(['pending', 'updating', 'running', 'stopped'])

export const appEnvListItem = answer(
  {
    ...listed,
    status: shownAs(listed.status, lowerCase, (status) => status.toLowerCase() as z.output<typeof lowerCase>),
  },
  { id: 'AppEnvListItem', description: 'An environment, as lists show it.' },
)

export const versionOfAppEnv = field.column('version', whole, VERSION)

/** As GraphQL has it, which groups the changes. */
export const pendingSummary = shownAs(
  appEnvFields.pendingChanges,
  pendingChanges.answer.type,
  (changes, context) => pendingChanges.answer.record(changes, context),
  { inGraphQL: { isResolvedThere: true } },
)
