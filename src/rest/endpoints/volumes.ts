import { z } from 'zod'
import { id } from '../../services/kernel/input.ts'
import { listAnswer, listOf } from '../protocol/lists.ts'
import { paging } from '../protocol/query.ts'
import { read } from '../protocol/route.ts'

const volume = z
  .object({
    volumeId: z.string().describe('Id of the volume.'),
    appEnvId: z.string().describe('The environment that it was made for.'),
    cliEnvName: z.string().describe('CLI name of that environment.'),
    region: z.string().describe('Where its data is.'),
    path: z.string().describe('Folder it is, or was, seen at.'),
    disk: z.int().describe('Its size in MB.'),
    isAttached: z.boolean().describe('Whether an environment has it. One that none has can be deleted.'),
    createdAt: z.iso.datetime().describe('Creation time.'),
  })
  .meta({ id: 'Volume', description: 'Data that outlives containers, and the environment too.' })

export const listVolumes = read({
  name: 'listVolumes',
  about: 'The volumes of an account, also those whose environment was deleted.',
  query: z.strictObject({ accountId: id('account').optional(), ...paging }),
  answer: listAnswer('volumes', volume),
  async run({ services, caller }, { accountId, ...slice }) {
    const volumes = await services.volumes.list(caller, accountId, slice)
    return listOf('volumes', volumes, ({ id: volumeId, appEnvId, cliEnvName, regionCode, path, diskMb, ...row }) => ({
      ...{ volumeId, appEnvId, cliEnvName, region: regionCode, path, disk: diskMb },
      isAttached: row.appEnv !== null,
      createdAt: row.createdAt.toISOString(),
    }))
  },
})
