import type { AnnouncedAppType } from '../app-type.ts'
import { ENGINES } from '../engines/list.ts'

/** Databases, caches and brokers. */
export const service: AnnouncedAppType = {
  isAvailable: false,
  name: 'SERVICE',
  title: 'Databases & Services',
  about: 'A database, cache or broker.',
  wireName: 'db',
  aliases: ['isDatabase', 'Database', 'DB'],
  logType: 'DATABASE',
  presets: ENGINES.map(({ name }) => name),
  defaultPreset: null,
}
