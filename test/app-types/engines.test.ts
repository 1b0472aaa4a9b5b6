import { execFile } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Engine, EngineCommand, EngineCredentials, EngineSetting } from '../../src/app-types/engines/engine.ts'
import { engineFacts, engineVersion, findEngine, versionName } from '../../src/app-types/engines/engines.ts'
import { ENGINES } from '../../src/app-types/engines/list.ts'
import { documentationRow } from './documentation-row.ts'

/** §1 and §2.1 of the public interface name exactly these. */
const NAMES = ['CLICKHOUSE', 'COUCHDB', 'MONGODB', 'MYSQL', 'POSTGRESQL', 'RABBITMQ', 'REDIS']

const credentials: EngineCredentials = { user: 'someone', password: 'canary-1', adminPassword: 'canary-2' }

test('the engines are those of the public interface', () => {
  expect(ENGINES.map(({ name }) => name).toSorted()).toEqual(NAMES)
  expect(findEngine('POSTGRESQL')?.title).toBe('PostgreSQL')
  expect(findEngine('ORACLE')).toBeNull()
})

/** Values of a setting that must all be accepted by the configuration: the default, and both ends of its range. */
const extremes = (setting: EngineSetting) => {
  if (setting.type === 'BOOLEAN') return [setting.default, false, true]
  return setting.type === 'ENUM' ? [setting.default, ...setting.options] : [setting.default, setting.min, setting.max]
}

const rendered = (engine: Engine, at: number | undefined = 0) =>
  engine.versions.map((version) => {
    const values = engine.settings.map((setting) => [setting.name, extremes(setting)[at] ?? setting.default])
    return engine.container(engineFacts(engine, version, credentials, Object.fromEntries(values)))
  })

describe.each(ENGINES.map((engine) => [engine.name, engine] as const))('%s', (name, engine) => {
  test('has versions with a name, a label and an image of their own, and one is the default', () => {
    const { versions } = engine
    expect(versions.length).toBeGreaterThan(1)
    for (const key of ['version', 'label', 'image'] as const)
      expect(new Set(versions.map((version) => version[key])).size).toBe(versions.length)
    for (const version of versions) {
      expect(versionName(engine, version)).toMatch(/^[A-Z]+_\d+(_\d+)?$/)
      expect(version.label).toContain(`${engine.title} ${version.version.replace('_', '.')}`)
      // A tag of exactly this version of an official image, which has no namespace; never `latest`.
      expect(version.image).toMatch(/^[a-z]+:\d+(\.\d+)?$/)
      expect(version.image.split(':')[1]).toBe(version.version.replace('_', '.'))
      expect(engineVersion(engine, versionName(engine, version))).toBe(version)
    }
    expect(engineVersion(engine, null)?.version).toBe(engine.defaultVersion)
    expect(engineVersion(engine, `${name}_0`)).toBeNull()
    expect(engineVersion(engine, versions[0].version)).toBeNull()
  })

  test('has limits and settings whose defaults are within their bounds', () => {
    const { diskMb, containers } = engine.limits
    for (const { min, default: given, max } of [diskMb, containers]) {
      for (const value of [min, given, max]) expect(Number.isSafeInteger(value)).toBe(true)
      expect(min).toBeGreaterThan(0)
      expect(given).toBeGreaterThanOrEqual(min)
      expect(max).toBeGreaterThanOrEqual(given)
    }
    // Replicas that nothing describes would be so many engines with data of their own.
    expect(containers).toEqual({ min: 1, default: 1, max: engine.replication ? 5 : 1 })
    const { settings } = engine
    expect(settings.length).toBeGreaterThan(4)
    expect(new Set(settings.map((setting) => setting.name)).size).toBe(settings.length)
    for (const setting of settings) {
      expect(setting.description, setting.name).toMatch(/^[A-Z][^\n]{10,140}\.$/)
      if (setting.type === 'ENUM') {
        expect(new Set(setting.options).size).toBe(setting.options.length)
        expect(setting.options).toContain(setting.default)
      } else if (setting.type !== 'BOOLEAN') {
        expect(setting.min, setting.name).toBeLessThan(setting.max)
        expect(setting.default, setting.name).toBeGreaterThanOrEqual(setting.min)
        expect(setting.default, setting.name).toBeLessThanOrEqual(setting.max)
        if (setting.type === 'INTEGER')
          for (const value of extremes(setting)) expect(Number.isSafeInteger(value), setting.name).toBe(true)
      }
    }
  })

  test('writes every setting to its container, in every version and at both ends of each range', () => {
    for (const setting of engine.settings) {
      for (const value of extremes(setting)) {
        for (const version of engine.versions) {
          const facts = engineFacts(engine, version, credentials, { [setting.name]: value })
          expect(facts.settings[setting.name]).toMatch(new RegExp(`^${value}(MB|M|mb)?$`))
          const container = JSON.stringify(engine.container(facts))
          expect(container, setting.name).toContain(facts.settings[setting.name])
          expect(container).not.toMatch(/undefined|null|NaN|\[object/)
        }
      }
    }
  })

  test('gives the secrets to the container in its environment or a file, and never as an argument', () => {
    for (const { arguments: args, environment, files } of rendered(engine)) {
      const secrets = JSON.stringify([environment, files])
      expect(secrets).toContain(credentials.password)
      expect(JSON.stringify(args)).not.toContain('canary')
      for (const { path } of files) expect(path).toMatch(/^\/[a-z/.\d-]+\.(conf|ini|xml)$/)
    }
  })

  test('has connection URLs that a client can take apart, whatever the password is', () => {
    const password = 'a:b/c@d?e#f%g'
    for (const host of ['shop-db', '203.0.113.7']) {
      const written = engine.url({ ...credentials, password }, { host, port: 12_345 })
      expect(written.startsWith(`${engine.protocol}://`)).toBe(true)
      const url = new URL(written.replace(/^[a-z]+:/, 'http:'))
      expect([url.hostname, url.port, url.username]).toEqual([host, '12345', 'someone'])
      expect(decodeURIComponent(url.password)).toBe(password)
      if (engine.database !== null) expect(url.pathname).toBe(`/${engine.database}`)
    }
    for (const port of [engine.port, ...engine.otherPorts.map((other) => other.port)]) {
      expect(port).toBeGreaterThan(1023)
      expect(port).toBeLessThan(65_536)
    }
  })

  test('keeps its data where the volume is, in every version', () => {
    for (const version of engine.versions) {
      const { dataPath } = engineFacts(engine, version, credentials, {})
      expect(dataPath).toMatch(/^(\/[a-z]+)+$/)
      expect(engine.hardening.tmpfs).not.toContain(dataPath)
      const container = engine.container(engineFacts(engine, version, credentials, {}))
      const { PGDATA } = container.environment
      if (PGDATA) expect(PGDATA.startsWith(`${dataPath}/`)).toBe(true)
    }
  })

  test('runs as a user without privileges, and without capabilities', () => {
    const { user, capabilities, tmpfs, readOnlyRoot } = engine.hardening
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(capabilities).toEqual([])
    expect(tmpfs).toContain('/tmp')
    expect(readOnlyRoot).toBe(['POSTGRESQL', 'MYSQL', 'MONGODB', 'REDIS'].includes(name))
    expect(engine.stopSeconds).toBeGreaterThanOrEqual(30)
  })

  test('has commands that a shell can read, and that hold no secret', async () => {
    const { save, restore, afterRestore, verify } = engine.backup
    const upgrades = engine.inPlaceUpgrades.flatMap(({ before, after }) => [before, after])
    const all = [engine.health, save.command, restore.command, afterRestore, verify, engine.rotate, ...upgrades]
    for (const command of all.filter((one): one is EngineCommand => Boolean(one))) {
      expect(command.every((word) => word.length > 0)).toBe(true)
      if (command[0] !== 'bash') continue
      const { stderr } = await promisify(execFile)('bash', ['-n', ...command.slice(1)])
      expect(stderr).toBe('')
    }
    // From the environment of the command, or else it would set the passwords that the container was made with.
    expect(engine.rotate.join(' ')).toMatch(/\$NEW_PASSWORD|\bNEW_PASSWORD } = process\.env/)
    expect(engine.backup.covers).toMatch(/^[A-Z].{20,}\.$/)
  })

  test('upgrades in place from an older version to a newer one, and never back', () => {
    const order = engine.versions.map(({ version }) => version)
    for (const { from, to } of engine.inPlaceUpgrades) {
      expect(order).toEqual(expect.arrayContaining([from, to]))
      expect(order.indexOf(to), 'the newest version is the first').toBeLessThan(order.indexOf(from))
    }
  })
})

test('what is rendered stays as it was', async () => {
  const [postgresql, redis] = ['POSTGRESQL', 'REDIS'].map((name) => rendered(findEngine(name) as Engine)[0])
  expect(postgresql?.arguments.slice(0, 4)).toEqual(['-c', 'max_connections=100', '-c', 'shared_buffers=128MB'])
  expect(postgresql?.environment).toMatchObject({ PGDATA: '/var/lib/postgresql/18/docker', POSTGRES_USER: 'someone' })
  expect(redis?.files[0]?.content).toMatch(/^dir \/data\nappendonly yes\nrequirepass canary-1\nmaxmemory 384mb\n/)
  const [xml] = rendered(findEngine('CLICKHOUSE') as Engine)[0]?.files ?? []
  expect(xml?.content).toContain('<logger><console>1</console><level>information</level></logger>')
  expect(xml?.content.match(/<logger>/g)).toHaveLength(1)
  expect(rendered(findEngine('MYSQL') as Engine)[0]?.arguments).toContain('--innodb-buffer-pool-size=128M')
  expect(rendered(findEngine('COUCHDB') as Engine)[0]?.files[0]?.content).toContain('[log]\nlevel = info\n')
})

test('no code outside of src/app-types/engines names an engine', async () => {
  const source = join(import.meta.dirname, '../../src')
  const names = new RegExp(ENGINES.map(({ name }) => `['"\`]${name}\\b`).join('|'))
  const found: string[] = []
  for await (const file of glob('**/*.ts', { cwd: source })) {
    // A solution names the engines of its components, as a client of the API does.
    if (/^(app-types\/engines|database\/generated|solutions\/catalogue)\//.test(file)) continue
    const lines = (await readFile(join(source, file), 'utf8')).split('\n')
    for (const [index, line] of lines.entries()) if (names.test(line)) found.push(`${file}:${index + 1}`)
  }
  expect(found).toEqual([])
})

test('the documentation lists every engine as it is', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/design/app-types.md'), 'utf8')
  for (const engine of ENGINES) expect(page).toContain(`${documentationRow(engine)}\n`)
})
