import { pick } from '../../../calls/resource.ts'
import { addHost, validateHost } from '../../../services/host/host-commands.ts'
import { host, proofFields } from '../../../services/host/host-fields.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { rowFields, rowType, wordsOf } from '../derive/resource-fields.ts'
import { Node } from './node.ts'
import { appEnvById, outcomeFields } from './payload-fields.ts'

rowType(
  host,
  builder.prismaObject('Host', {
    description: host.description,
    interfaces: [Node],
    select: { id: true },
    fields: (t) => rowFields(t, host),
  }),
)

for (const change of [addHost, validateHost]) {
  commandMutation(change, (t) => ({
    appEnv: appEnvById(t, false),
    hostId: t.id({
      nullable: true,
      ...wordsOf(host, 'hostId'),
      resolve: ({ result, dryRun }) => (dryRun && change === addHost ? null : result.hostId),
    }),
    ...outcomeFields(t, pick(host.fields, 'host', 'url', 'status')),
    ...outcomeFields(t, proofFields),
  }))
}
