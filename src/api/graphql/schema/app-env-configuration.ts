import { ORDER } from '../../../calls/order.ts'
import type { RecordOf } from '../../../calls/resource.ts'
import { variableRecords } from '../../../services/app-env/app-env-record.ts'
import { appEnv } from '../../../services/app-env/app-env-status-fields.ts'
import { type OpenVariable, variable } from '../../../services/app-env/variable-fields.ts'
import { pendingChangesOf } from '../../../services/configuration/configured.ts'
import { pendingChanges } from '../../../services/configuration/pending-change-fields.ts'
import {
  type OpenServiceCredentials,
  serviceCredentials,
} from '../../../services/service-credentials/service-credentials-fields.ts'
import type { LoadedAppEnv } from '../../../services/targets/load-app-env.ts'
import { builder } from '../builder.ts'
import { recordType, relationOf, wordsOf } from '../derive/resource-fields.ts'
import { AppEnv } from './app-env.ts'
import { Node } from './node.ts'

const Variable = recordType<OpenVariable>(variable, [Node])

type PendingChanges = RecordOf<typeof pendingChanges.answer>

/** All that the comparison reads, so that any number of environments is compared after one load. */
const comparedColumns = {
  pendingImage: true,
  containers: true,
  replicasDesired: true,
  zClouds: true,
  cpu: true,
  memoryMb: true,
  volume: true,
  presetVersion: true,
  healthCheck: true,
  gitBranch: true,
  pullRequest: true,
  startupConfig: true,
  releaseCommand: true,
  containerSettings: true,
  typeConfig: true,
  app: true,
  account: true,
  currentContent: true,
  variables: { orderBy: ORDER.variable },
} as const

builder.prismaObjectFields(AppEnv, (t) => ({
  pendingChanges: t.field({
    type: recordType<PendingChanges>(pendingChanges),
    ...wordsOf(appEnv, 'pendingChanges'),
    select: comparedColumns,
    resolve: (row, _args, { vault }) =>
      pendingChanges.answer.record(pendingChangesOf(row as unknown as LoadedAppEnv, vault)),
  }),
  credentials: t.field({
    type: recordType<OpenServiceCredentials>(serviceCredentials),
    ...relationOf(appEnv, 'credentials'),
    nullable: true,
    resolve: ({ id }, _args, { services, caller, requestId }) =>
      services.appEnvs.credentials(caller, { appEnvId: id }, { requestId }),
  }),
  variables: t.field({
    type: [Variable],
    ...wordsOf(appEnv, 'envVars'),
    args: {
      reveal: t.arg.boolean({
        description: 'Whether to show the values of secrets. Admins only; leaves an audit entry. Default: false.',
      }),
    },
    select: { account: true, variables: { orderBy: ORDER.variable } },
    async resolve({ id, account, variables }, { reveal }, { services, caller, vault, requestId }) {
      if (!reveal) return variableRecords(variables, vault, account, false)
      const { record } = await services.appEnvs.record(caller, { appEnvId: id }, { decrypt: true, requestId })
      return record.envVars
    },
  }),
}))
