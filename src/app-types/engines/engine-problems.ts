import type { FieldProblem } from '../../domain/errors.ts'
import type { Bounds, Engine, EngineSetting } from './engine.ts'
import { engineVersionProblem, portsOf } from './engines.ts'

/** The fields of an environment that only an engine has. All are optional, and unchecked until now. */
export interface EngineInput {
  dockerPresetVersion?: unknown
  containers?: unknown
  /** In MB. */
  disk?: unknown
  databaseSettings?: unknown
}

/** What the engine does not accept of the input: each problem names its field and what is allowed there. */
export function engineProblems(engine: Engine, input: EngineInput): FieldProblem[] {
  const { containers, diskMb } = engine.limits
  return [
    ...versionProblems(engine, input.dockerPresetVersion),
    ...problemAt('containers', input.containers, (value) => wholeProblem(value, containers)),
    ...problemAt('disk', input.disk, (value) => wholeProblem(value, diskMb, ' MB')),
    ...settingsProblems(engine, input.databaseSettings),
  ]
}

/** The same for the settings alone, which are also set for all environments of an app. */
export const settingProblems = (engine: Engine, input: Pick<EngineInput, 'databaseSettings'>): FieldProblem[] =>
  settingsProblems(engine, input.databaseSettings)

/** A managed service listens on the ports of its preset, whichever of them a client names. */
export const portProblems = (engine: Engine, { port }: { port?: number | undefined }): FieldProblem[] =>
  problemAt('port', port, (value) => {
    const ports = portsOf(engine)
    if (ports.some((one) => one.port === value)) return null
    const listed = ports.map((one) => one.port).join(' or ')
    return `must be ${listed}, as GET /database-presets lists for ${engine.name}; or omit it`
  })

function problemAt(field: string, value: unknown, check: (value: unknown) => string | null): FieldProblem[] {
  const message = value === undefined ? null : check(value)
  return message === null ? [] : [{ field, message }]
}

const versionProblems = (engine: Engine, given: unknown): FieldProblem[] =>
  problemAt('dockerPresetVersion', given, (value) =>
    engineVersionProblem(engine, typeof value === 'string' ? value : ''),
  )

type Range = Pick<Bounds, 'min' | 'max'>

const isWithin = (value: number, { min, max }: Range) => value >= min && value <= max

function wholeProblem(value: unknown, range: Range, unit = ''): string | null {
  if (Number.isSafeInteger(value) && isWithin(value as number, range)) return null
  return range.min === range.max
    ? `must be ${range.min}${unit}`
    : `must be a whole number from ${range.min} to ${range.max}${unit}`
}

function settingsProblems({ title, settings }: Engine, given: unknown): FieldProblem[] {
  if (given === undefined) return []
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return [{ field: 'databaseSettings', message: 'must be an object with settings by their names' }]
  return Object.entries(given).flatMap(([name, value]) => {
    const setting = settings.find((one) => one.name === name)
    return problemAt(`databaseSettings.${name}`, value, (value) => {
      if (setting) return settingProblem(setting, value)
      return `is not a setting of ${title}, which has ${settings.map((one) => one.name).join(', ')}`
    })
  })
}

function settingProblem(setting: EngineSetting, value: unknown): string | null {
  switch (setting.type) {
    case 'INTEGER':
      return wholeProblem(value, setting)
    case 'NUMBER':
      // NaN is within no range.
      return typeof value === 'number' && isWithin(value, setting)
        ? null
        : `must be a number from ${setting.min} to ${setting.max}`
    case 'BOOLEAN':
      return typeof value === 'boolean' ? null : 'must be true or false'
    case 'ENUM':
      return setting.options.some((option) => option === value) ? null : `must be one of ${setting.options.join(', ')}`
  }
}
