import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, text, time, VERSION, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { Volume } from '../../storage/database/generated/prisma/client.ts'

const field = fieldsOf<Volume>()

const size = field.column('diskMb', whole, 'Size of the volume in MB.')

const used = field.column(
  'usedMb',
  whole.nullable(),
  'Size of the data in MB when it was last measured; null before the first time.',
)

export const volume = resource({
  name: 'Volume',
  id: 'Volume',
  description: 'Data that outlives the containers of an environment, and the environment itself.',
  examples: {
    volumeId: exampleId('vol'),
    used: 300,
    isAttached: true,
  },
  fields: {
    volumeId: field.column('id', text, 'Id of the volume.', { inGraphQL: { name: 'id' } }),
    appEnvId: field.column('appEnvId', text, 'Id of the environment that the volume was created for.'),
    cliEnvName: field.column('cliEnvName', text, 'CLI name of the environment that the volume was created for.'),
    region: field.column('regionCode', text, 'Code of the region that holds the data.'),
    path: field.column('path', text, 'Path at which containers mount the volume, or last did.'),
    disk: size,
    used,
    isAttached: field.from(
      { appEnv: { select: { id: true } } },
      flag,
      'Whether an environment uses the volume. Only a volume that none uses can be deleted.',
      ({ appEnv }: { appEnv: { id: string } | null }) => appEnv !== null,
    ),
    createdAt: field.column('createdAt', time, 'Time at which the volume was created.'),
  },
  graphqlFields: { version: field.column('version', whole, VERSION) },
})

/** As the record of its environment shows it. */
export const mountedVolume = resource({
  name: 'MountedVolume',
  description: 'The volume of an environment.',
  fields: {
    volumeId: field.column('id', text, 'Id of the volume.'),
    path: field.column('path', text, 'Path at which containers mount the volume.'),
    disk: size,
    used,
  },
})
