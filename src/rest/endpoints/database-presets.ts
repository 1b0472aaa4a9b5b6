import { z } from 'zod'
import { databasePreset } from '../../resources/database-preset.ts'
import { read } from '../protocol/route.ts'

export const listDatabasePresets = read({
  name: 'listDatabasePresets',
  permission: 'catalogue:read',
  about: 'The databases, caches and brokers that apps can be created from, with versions, limits and settings.',
  query: z.strictObject({}),
  answer: z.object({
    presets: z.array(databasePreset.answer.type).describe('Presets, one for each database, cache and broker.'),
  }),
  async run({ services, caller }) {
    return { presets: services.databasePresets.list(caller).map((engine) => databasePreset.answer.record(engine)) }
  },
})
