import { ENGINES } from '../../app-types/engines/list.ts'
import { userOf } from '../../calls/caller.ts'
import { wholeListQuery } from '../../calls/query.ts'
import { databasePreset } from './database-preset-fields.ts'

/** The first one, with two of its settings. */
const examplePresets = ENGINES.slice(0, 1).map((engine) =>
  databasePreset.answer.record({ ...engine, settings: engine.settings.slice(0, 2) }),
)

/** The engines of this version, for every user: they belong to no account. */
export const listDatabasePresets = wholeListQuery({
  name: 'listDatabasePresets',
  path: '/database-presets',
  permission: 'catalogue:read',
  about: 'The databases, caches and brokers that apps can be created from, with versions, limits and settings.',
  example: { answer: { presets: examplePresets } },
  input: {},
  of: databasePreset,
  isRecord: true,
  items: 'presets',
  itemsAbout: 'Presets, one for each database, cache and broker.',
  async all({ caller }) {
    userOf(caller)
    return ENGINES.map((engine) => databasePreset.answer.record(engine))
  },
})
