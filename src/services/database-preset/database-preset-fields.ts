import { z } from 'zod'
import type { Bounds, Engine, EngineSetting, EngineVersion } from '../../app-types/engines/engine.ts'
import { portsOf, versionName } from '../../app-types/engines/engines.ts'
import { enumeration } from '../../calls/enumeration.ts'
import { fieldsOf, flag, json, text, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import { metricSeries } from '../metric/metric-fields.ts'

/** Everything that the API shows of an engine. Commands and container stay inside. */

export const settingType = enumeration('DatabaseSettingType', 'Kind of value that a setting of a service takes.', {
  INTEGER: 'A whole number from `min` to `max`.',
  NUMBER: 'A number from `min` to `max`.',
  BOOLEAN: 'true or false.',
  ENUM: 'One of the `options`.',
})

interface NamedVersion {
  engine: Engine
  version: EngineVersion
}

const version = fieldsOf<NamedVersion>()

const databaseVersion = resource({
  name: 'DatabaseVersion',
  description: 'A version of a database, cache or broker.',
  fields: {
    dockerPresetVersion: version.from({}, text, 'Name of the version, `<PRESET>_<VERSION>`.', (row: NamedVersion) =>
      versionName(row.engine, row.version),
    ),
    label: version.from({}, text, 'Name of the version for people.', (row: NamedVersion) => row.version.label),
    image: version.from({}, text, 'Official image that runs the version.', (row: NamedVersion) => row.version.image),
  },
})

const bound = fieldsOf<Bounds>()

const limit = resource({
  name: 'DatabaseLimit',
  description: 'Range of a quantity that a service can have.',
  fields: {
    min: bound.column('min', whole, 'Smallest quantity that is accepted.'),
    default: bound.column('default', whole, 'Quantity when none is given.'),
    max: bound.column('max', whole, 'Largest quantity that is accepted.'),
  },
})

const limited = fieldsOf<Engine['limits']>()

const limits = resource({
  name: 'DatabaseLimits',
  description: 'Limits of a service, besides those of the account.',
  fields: {
    disk: limited.from({}, limit.answer.type, 'Size of the volume in MB.', ({ diskMb }: Engine['limits']) => diskMb),
    containers: limited.column('containers', limit.answer.type, 'Number of containers.'),
  },
})

type EnginePort = ReturnType<typeof portsOf>[number]

const listening = fieldsOf<EnginePort>()

const databasePort = resource({
  name: 'DatabasePort',
  description: 'A port that a database, cache or broker listens on.',
  fields: {
    port: listening.column('port', whole, 'Number of the port, which `port` of an app takes.'),
    description: listening.from({}, text, 'Purpose of the port.', ({ about }: EnginePort) => about),
  },
})

const setting = fieldsOf<EngineSetting>()
const rangeOf = (row: EngineSetting) => ('min' in row ? row : { min: null, max: null })
/** Limits in bytes are larger than an Int of GraphQL. */
const asFloat = { inGraphQL: { type: 'Float' } }

const databaseSetting = resource({
  name: 'DatabaseSetting',
  description: 'A setting of a database, cache or broker.',
  fields: {
    name: setting.column('name', text, 'Name of the setting, as the documentation of the engine calls it.'),
    type: setting.column('type', settingType.type, 'Kind of value that the setting takes.'),
    default: setting.from({}, json, 'Value of the setting when none is given.', (row: EngineSetting) => row.default),
    min: setting.from(
      {},
      z.number().nullable(),
      'Smallest number; null unless the setting is a number.',
      (row: EngineSetting) => rangeOf(row).min,
      asFloat,
    ),
    max: setting.from(
      {},
      z.number().nullable(),
      'Largest number; null unless the setting is a number.',
      (row: EngineSetting) => rangeOf(row).max,
      asFloat,
    ),
    options: setting.from(
      {},
      z.array(text).nullable(),
      'Values to choose from; null unless the setting is an enum.',
      (row: EngineSetting) => (row.type === 'ENUM' ? [...row.options] : null),
    ),
    description: setting.column('description', text, 'What the setting does.'),
  },
})

const field = fieldsOf<Engine>()

export const databasePreset = resource({
  name: 'DatabasePreset',
  id: 'DatabasePreset',
  description: 'A database, cache or broker, with its versions, limits and settings.',
  fields: {
    dockerPreset: field.from({}, text, 'Name of the preset, which `dockerPreset` takes.', ({ name }: Engine) => name),
    name: field.from({}, text, 'Name of the service for people.', ({ title }: Engine) => title),
    connectionProtocol: field.from({}, text, 'Scheme of the connection URLs.', ({ protocol }: Engine) => protocol),
    ports: field.from(
      {},
      z.array(databasePort.answer.type),
      'Ports that the service listens on; that of its connection URLs first.',
      (engine: Engine) => portsOf(engine).map((row) => databasePort.answer.record(row)),
    ),
    defaultVersion: field.from(
      {},
      text,
      'Name of the default version.',
      (engine: Engine) => `${engine.name}_${engine.defaultVersion}`,
    ),
    versions: field.from(
      {},
      z.array(databaseVersion.answer.type),
      'Supported versions, newest first.',
      (engine: Engine) => engine.versions.map((version) => databaseVersion.answer.record({ engine, version })),
    ),
    limits: field.from({}, limits.answer.type, 'Limits of disk and containers.', (engine: Engine) =>
      limits.answer.record(engine.limits),
    ),
    settings: field.from({}, z.array(databaseSetting.answer.type), 'Settings that can be changed.', (engine: Engine) =>
      engine.settings.map((row) => databaseSetting.answer.record(row)),
    ),
    metrics: field.from(
      {},
      z.array(metricSeries.answer.type),
      'Series that the engine reports, beside CPU and memory of its containers.',
      ({ metrics }: Engine) => metrics.series.map((row) => metricSeries.answer.record(row)),
    ),
    supportsBackups: field.from({}, flag, 'Whether the service can be backed up and restored.', () => true),
  },
})
