import { z } from 'zod'
import { EXAMPLE_TIME } from '../../calls/examples.ts'
import { fieldsOf, flag, text, time, whole } from '../../calls/field.ts'
import { type RecordOf, resource } from '../../calls/resource.ts'
import type { EngineHost } from '../../storage/database/generated/prisma/client.ts'

interface MachineRow
  extends Pick<
    EngineHost,
    'cpus' | 'memoryMb' | 'loadAverage' | 'memoryUsedMb' | 'diskMb' | 'diskFreeMb' | 'measuredAt'
  > {
  regions: string[]
  engine: string | null
  reachable: boolean | null
}

const field = fieldsOf<MachineRow>()
const ON_ANOTHER = 'null while unknown, and where no worker runs on the machine'

export const machine = resource({
  name: 'Machine',
  id: 'Machine',
  description: 'The machine of a container engine, as a worker measured it last.',
  examples: {
    regions: ['local'],
    engine: null,
    reachable: true,
    cpus: 8,
    memoryMb: 32_000,
    loadAverage: 1.25,
    memoryUsedMb: 12_400,
    diskMb: 460_000,
    diskFreeMb: 210_000,
    measuredAt: EXAMPLE_TIME,
  },
  fields: {
    regions: field.given('regions', z.array(text), 'Codes of the regions whose environments run on the machine.'),
    engine: field.given(
      'engine',
      text.nullable(),
      'Address of the machine’s container engine; null: the engine of the installation.',
    ),
    reachable: field.given(
      'reachable',
      flag.nullable(),
      'Whether the engine answered when it was last asked; null before the first time.',
    ),
    cpus: field.given('cpus', whole.nullable(), 'Number of processors; null while unknown.'),
    memoryMb: field.given('memoryMb', whole.nullable(), 'Memory of the machine in MB; null while unknown.'),
    loadAverage: field.given(
      'loadAverage',
      z.number().nullable(),
      `Processes that ran or waited to run, on average of the last minute; ${ON_ANOTHER}.`,
    ),
    memoryUsedMb: field.given('memoryUsedMb', whole.nullable(), `Memory that is used, in MB; ${ON_ANOTHER}.`),
    diskMb: field.given(
      'diskMb',
      whole.nullable(),
      `Size of the disk with images, containers and volumes, in MB; ${ON_ANOTHER} that sees the disk.`,
    ),
    diskFreeMb: field.given(
      'diskFreeMb',
      whole.nullable(),
      `Free space of that disk in MB; ${ON_ANOTHER} that sees the disk.`,
    ),
    measuredAt: field.given('measuredAt', time.nullable(), 'Time of the measurement; null before the first one.'),
  },
})

export type MachineRecord = RecordOf<typeof machine.answer>
