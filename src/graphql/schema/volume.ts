import { volume } from '../../resources/volume.ts'
import { deleteVolume } from '../../services/volume/delete-volume.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { rowFields } from '../derive/resource-fields.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { messageField } from './payload-fields.ts'

const Volume = builder.prismaObject('Volume', {
  description: volume.description,
  select: { id: true },
  fields: (t) => rowFields(t, volume),
})

builder.queryFields((t) => ({
  volumes: t.prismaConnection({
    type: Volume,
    cursor: 'id',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The volumes of an account, newest first, also those whose environment was deleted.',
    args: { accountId: t.arg.id({ description: 'Id of the account; your current one when omitted.' }) },
    resolve: (query, _root, { accountId }, { services, caller }) =>
      services.volumes.slice(caller, { accountId: accountId ?? undefined }, query),
  }),
}))

commandMutation(deleteVolume, { versioned: true, waits: true, payload: (t) => ({ message: messageField(t) }) })
