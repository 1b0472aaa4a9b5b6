import { addHost, removeHost, validateHost } from '../../services/host/host-commands.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { HostStatusEnum } from './enums.ts'
import { appEnvById, messageField } from './payload-fields.ts'

for (const change of [addHost, validateHost]) {
  commandMutation(change, {
    payload: (t) => ({
      appEnv: appEnvById(t, false),
      hostId: t.id({
        nullable: true,
        description: 'Id of the host.',
        resolve: ({ result, dryRun }) => (dryRun && change === addHost ? null : result.hostId),
      }),
      host: t.string({ description: 'The host name.', resolve: ({ result }) => result.host }),
      status: t.field({
        type: HostStatusEnum,
        description: 'Whether it leads there.',
        resolve: ({ result }) => result.status,
      }),
      cname: t.string({
        nullable: true,
        description: 'What a CNAME record of the host is to say. One of the two records is enough.',
        resolve: ({ result }) => result.cname,
      }),
      txtName: t.string({
        nullable: true,
        description: 'Where the TXT record is to be made instead.',
        resolve: ({ result }) => result.txtName,
      }),
      txtValue: t.string({
        nullable: true,
        description: 'What it is to say.',
        resolve: ({ result }) => result.txtValue,
      }),
    }),
  })
}

commandMutation(removeHost, { payload: (t) => ({ message: messageField(t) }) })
