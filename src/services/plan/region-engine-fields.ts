import { EXAMPLE_TIME } from '../../calls/examples.ts'
import { fieldsOf, flag, text, time } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { Region } from '../../storage/database/generated/prisma/client.ts'

const field = fieldsOf<Region>()

interface SeenEngine {
  name: string
  engineVersion: string | null
  reachable: boolean
  reason: string | null
  observedAt: Date | string
}

/** One row at most: workers write it under the region's code. */
interface WithEngine {
  hosts: readonly Partial<SeenEngine>[]
}

const seen = (column: keyof SeenEngine) => ({ hosts: { select: { [column]: true } } })

/** As workers last saw it; null before the first time. */
export const engineReachable = field.from(
  seen('reachable'),
  flag.nullable(),
  'Whether the container engine of the region answered when it was last asked; null before the first time.',
  ({ hosts }: WithEngine) => hosts[0]?.reachable ?? null,
)

export const regionEngine = resource({
  name: 'RegionEngine',
  id: 'RegionEngine',
  description: 'The container engine on which environments of a region run.',
  examples: {
    engine: 'tcp://10.0.0.7:2376',
    reachAddress: '10.0.0.7',
    engineReason: null,
    engineVersion: '28.1.1',
    engineObservedAt: EXAMPLE_TIME,
  },
  fields: {
    region: field.column('code', text, 'Code of the region.'),
    engine: field.column(
      'engine',
      text.nullable(),
      'Address of the region’s own container engine; null: the engine of the installation.',
    ),
    reachAddress: field.column(
      'reachAddress',
      text.nullable(),
      'IP address of the engine’s machine on which containers are published; null: as `BERTH_REACH` says.',
    ),
    engineReachable,
    engineReason: field.from(
      seen('reason'),
      text.nullable(),
      'Why the engine did not answer; null when it did.',
      ({ hosts }: WithEngine) => hosts[0]?.reason ?? null,
    ),
    engineVersion: field.from(
      seen('engineVersion'),
      text.nullable(),
      'Version of the engine, as it last said.',
      ({ hosts }: WithEngine) => hosts[0]?.engineVersion ?? null,
    ),
    engineObservedAt: field.from(
      seen('observedAt'),
      time.nullable(),
      'Time at which a worker last asked the engine.',
      ({ hosts }: WithEngine) => {
        const at = hosts[0]?.observedAt
        return at instanceof Date ? at.toISOString() : (at ?? null)
      },
    ),
  },
})
