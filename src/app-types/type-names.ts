import type { AppType } from './app-type.ts'

/** Every name that leads to a type: REST's, GraphQL's, older names and presets. */
export const namesOf = (type: AppType): string[] => [
  ...new Set([type.wireName, type.name, ...type.aliases, ...presetNamesOf(type)]),
]

export const presetNamesOf = (type: AppType): string[] =>
  type.presets.map((preset) => (typeof preset === 'string' ? preset : preset.name))
