import { pod } from '../../resources/pod.ts'
import type { RecordOf } from '../../resources/resource.ts'
import { builder } from '../builder.ts'
import { recordType } from '../derive/resource-fields.ts'
import { addressArgs, addressOf } from './address.ts'

const Pod = recordType<RecordOf<typeof pod.answer>>(pod)

builder.queryField('pods', (t) =>
  t.field({
    type: [Pod],
    description: 'The containers of an environment, as they were last observed. One of the two arguments is required.',
    args: {
      ...addressArgs(t.arg),
    },
    resolve: (_root, { appEnvId, envName }, { services, caller }) =>
      services.pods.list(caller, addressOf({ appEnvId, envName })),
  }),
)
