import { z } from 'zod'
import { typeConfigAnswers } from '../../app-types/type-config.ts'
import { appEnvListItem } from '../../services/app-env/app-env-record.ts'
import { appEnvTarget, id } from '../../services/kernel/input.ts'
import { listAnswer, listOf } from '../protocol/lists.ts'
import { paging } from '../protocol/query.ts'
import { read, Versioned } from '../protocol/route.ts'

const resources = z
  .object({
    containers: z.int().describe('Number of container replicas.'),
    zClouds: z.number().describe('CPU and memory of one container, in zClouds.'),
    cpu: z.number().describe('CPU allocation in zCPU units.'),
    memory: z.number().describe('Memory in MB.'),
  })
  .meta({ id: 'Resources', description: 'What the environment is allotted.' })

/** §2.4. */
const fields = {
  appEnvId: z.string().describe('Environment id.'),
  appId: z.string().describe('Owning app id.'),
  name: z.string().describe('Environment name.'),
  slug: z.string().describe('Environment slug.'),
  region: z.string().describe('Deployment region.'),
  gitBranch: z.string().nullable().describe('Git branch used.'),
  deploymentName: z.string().describe('Name of the deployment on the platform.'),
  cliEnvName: z.string().describe('CLI environment name: the envName of lifecycle operations.'),
  hosts: z.array(z.string()).describe('Hostnames of the environment.'),
  status: z.enum(['pending', 'updating', 'running', 'stopped']).describe('Current status.'),
  resources,
  createdAt: z.iso.datetime().describe('Creation time.'),
  updatedAt: z.iso.datetime().describe('Last update time.'),
}

const appEnvItem = z.object(fields).meta({ id: 'AppEnvListItem', description: 'An app environment, in a list.' })

const pendingChange = z
  .object({
    kind: z.enum(['BUILD', 'DEPLOY', 'SCALE']).describe('What applying it takes.'),
    field: z.string().describe('What is changed.'),
    from: z.unknown().describe('What runs now. Secrets are masked.'),
    to: z.unknown().describe('What is configured. Secrets are masked.'),
  })
  .meta({ id: 'PendingChange', description: 'A difference between what is configured and what runs.' })

export const variable = z
  .object({
    _id: z.string().describe('Id of the variable.'),
    name: z.string().describe('Name.'),
    value: z.string().describe('Value; ***SECRET*** in place of a secret one.'),
    type: z.enum(['DEPLOY', 'BUILD', 'BOTH']).describe('Who reads it.'),
    isSecret: z.boolean().describe('Whether the value is masked.'),
  })
  .meta({ id: 'Variable', description: 'An environment variable.' })

const startup = z.object({
  command: z.string().describe('The command.'),
  args: z.array(z.string()).describe('Its arguments.'),
  shell: z.boolean().describe('Whether /bin/sh -lc runs it.'),
  workingDir: z.string().nullable().describe('Folder it runs in.'),
})

const mounted = z.object({
  volumeId: z.string().describe('Id of the volume.'),
  path: z.string().describe('Folder it is seen at.'),
  disk: z.int().describe('Its size in MB.'),
})

export const appEnvStatus = z.enum(['PENDING', 'UPDATING', 'RUNNING', 'STOPPED']).describe('Current status.')

/** Contract §3, GET /app-env. */
const record = {
  ...fields,
  status: appEnvStatus,
  accountId: z.string().describe('Account that owns it.'),
  allowUserCliToken: z.boolean().describe('Whether user tokens act as its token in the CLI.'),
  preventDestroy: z.boolean().describe('Whether deleting it is refused.'),
  startupConfig: startup.nullable().describe('Startup command override.'),
  ...typeConfigAnswers(),
  databaseSettings: z.record(z.string(), z.unknown()).nullable().describe('Settings of a managed service.'),
  volume: mounted.nullable().describe('Its volume.'),
  healthCheck: z.record(z.string(), z.unknown()).nullable().describe('What of the health check is its own.'),
  autoScaling: z.record(z.string(), z.unknown()).nullable().describe('How its containers follow the load.'),
  pendingChanges: z.array(pendingChange).describe('What is configured and does not run yet.'),
  currentContentId: z.string().nullable().describe('The version that serves.'),
  currentVersion: z.int().nullable().describe('Its number.'),
  envVars: z.array(variable).describe('Environment variables.'),
}

const appEnvAnswer = z.object(record).meta({ id: 'AppEnv', description: 'An app environment.' })

export const createdAppEnv = z.object({ appEnvId: fields.appEnvId })

/** What became of applyImmediately. */
export const applied = {
  appliedImmediately: z.boolean().describe('Whether a deployment was started.'),
  notAppliedReason: z.string().optional().describe('Why none was, where applyImmediately asked for one.'),
}

export const updatedAppEnv = z.object({ ...record, ...applied })

export const getAppEnv = read({
  name: 'getAppEnv',
  about: 'An app environment, by appEnvId or envName.',
  query: z.strictObject({
    ...appEnvTarget,
    decrypt: z
      .boolean()
      .default(false)
      .describe('Show the values of secret variables. Admins only; leaves an audit entry.'),
  }),
  answer: appEnvAnswer,
  isSingle: true,
  async run({ services, caller, requestId }, { decrypt, ...address }) {
    const found = await services.appEnvs.record(caller, address, { decrypt, requestId })
    return new Versioned(found.record as z.output<typeof appEnvAnswer>, found.version)
  },
})

export const listAppEnvs = read({
  name: 'listAppEnvs',
  about: 'The environments of an app or an account; of your current account when neither is given.',
  query: z.strictObject({ accountId: id('account').optional(), appId: id('app').optional(), ...paging }),
  answer: listAnswer('appEnvs', appEnvItem),
  async run({ services, caller }, { accountId, appId, ...slice }) {
    const appEnvs = await services.appEnvs.list(caller, { accountId, appId }, slice)
    return listOf('appEnvs', appEnvs, (appEnv) => appEnvListItem(appEnv, appEnv.hosts) as z.output<typeof appEnvItem>)
  },
})
