import { fieldsOf, text, time, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { BuildCache } from '../../storage/database/generated/prisma/client.ts'

const BYTES_PER_MB = 1024 * 1024

/** With the environment that was asked for: all of an account on one engine have the same. */
export type BuildCacheOfAppEnv = { appEnvId: string } & Pick<
  BuildCache,
  'sizeBytes' | 'measuredAt' | 'clearRequestedAt' | 'clearedAt'
>

const field = fieldsOf<BuildCacheOfAppEnv>()

export const buildCache = resource({
  name: 'BuildCache',
  id: 'BuildCache',
  description: 'Build cache: one for all environments of an account on a container engine.',
  examples: {
    sizeMb: 1840,
    clearRequestedAt: null,
    clearedAt: null,
  },
  fields: {
    appEnvId: field.given('appEnvId', text, 'Id of the environment whose builds use the cache.'),
    sizeMb: field.from(
      {},
      whole.nullable(),
      'Size of the build cache in MB, as reported by the last build. Null: no build has reported it.',
      ({ sizeBytes, measuredAt }: BuildCacheOfAppEnv) => measuredAt && Math.ceil(Number(sizeBytes) / BYTES_PER_MB),
    ),
    measuredAt: field.given('measuredAt', time.nullable(), 'Time at which the size was measured.'),
    clearRequestedAt: field.given(
      'clearRequestedAt',
      time.nullable(),
      'Time since which the build cache is to be cleared; null unless it is.',
    ),
    clearedAt: field.given('clearedAt', time.nullable(), 'Time at which the build cache was last cleared by a call.'),
  },
})
