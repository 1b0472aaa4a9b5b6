import { deleteVolume } from '../../services/volume/delete-volume.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { messageField } from './payload-fields.ts'

export const Volume = builder.prismaObject('Volume', {
  description: 'Data that outlives the containers of an environment, and the environment too.',
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    appEnvId: t.exposeID('appEnvId', { description: 'Id of the environment that it was made for.' }),
    cliEnvName: t.exposeString('cliEnvName', { description: 'CLI name of that environment.' }),
    region: t.exposeString('regionCode', { description: 'Code of the region that its data is in.' }),
    path: t.exposeString('path', { description: 'Folder it is, or was, seen at.' }),
    disk: t.exposeInt('diskMb', { description: 'Its size in MB.' }),
    isAttached: t.boolean({
      description: 'Whether an environment has it. One that none has can be deleted.',
      select: { appEnv: { select: { id: true } } },
      resolve: ({ appEnv }) => appEnv !== null,
    }),
    version: t.exposeInt('version', {
      description: 'Grows with every change; what `expectedVersion` is compared with.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
})

builder.queryFields((t) => ({
  volumes: t.prismaConnection({
    type: Volume,
    cursor: 'id',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The volumes of an account, oldest first, also those whose environment was deleted.',
    args: { accountId: t.arg.id({ description: 'Id of the account; your current one when omitted.' }) },
    resolve: async (query, _root, { accountId }, { services, caller }) => {
      const where = await services.volumes.scope(caller, accountId)
      return services.database.volume.findMany({ ...query, where, orderBy: { id: 'asc' } })
    },
  }),
}))

commandMutation(deleteVolume, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
