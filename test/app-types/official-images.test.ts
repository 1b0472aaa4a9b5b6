import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Engine, EngineCommand } from '../../src/app-types/engines/engine.ts'
import { engineFacts } from '../../src/app-types/engines/engines.ts'
import { ENGINES } from '../../src/app-types/engines/list.ts'
import { CANDIDATES, OFFICIAL, type OfficialImage } from './official-images.ts'

const credentials = { user: 'berth', password: 'a-password', adminPassword: 'another-one' }

const containers = (engine: Engine) =>
  engine.versions.map((version) => {
    const facts = engineFacts(engine, version, credentials, {})
    return { version: version.version, dataPath: facts.dataPath, ...engine.container(facts) }
  })

function commandsOf({ health, rotate, backup, inPlaceUpgrades }: Engine): string[] {
  const upgrades = inPlaceUpgrades.flatMap(({ before, after }) => [before, after])
  const all = [health, rotate, backup.save.command, backup.restore.command, backup.afterRestore, backup.verify]
  return [...all, ...upgrades].filter((one): one is EngineCommand => Boolean(one)).map((one) => one.join('\n'))
}

/** Words that a shell would run: not parts of longer names, of options, paths or variables. */
const calls = (command: string, program: string): boolean =>
  new RegExp(`(^|[\\s|!(])${program}(\\s|$)`, 'm').test(command)

test('the facts are of every engine', () => {
  expect(Object.keys(OFFICIAL).toSorted()).toEqual(ENGINES.map(({ name }) => name).toSorted())
})

describe.each(ENGINES.map((engine) => [engine.title, engine, OFFICIAL[engine.name] as OfficialImage] as const))(
  '%s is described as its official image is documented',
  (_title, engine, image) => {
    test('user, ports and volume', () => {
      expect(engine.hardening.user).toBe(image.user)
      for (const port of [engine.port, ...engine.otherPorts.map((other) => other.port)])
        expect(image.exposed).toContain(port)
      for (const { version, dataPath } of containers(engine))
        expect(dataPath).toBe(typeof image.data === 'string' ? image.data : image.data[version])
    })

    test('variables, arguments and configuration files', () => {
      for (const {
        arguments: [first],
        environment,
        files,
      } of containers(engine)) {
        expect(image.variables).toEqual(expect.arrayContaining(Object.keys(environment)))
        if (first !== undefined && !first.startsWith('-')) expect(first).toBe(image.server)
        for (const { path } of files) expect(image.configuration).toContain(dirname(path))
      }
    })

    test('what is written beside the volume, where the root is read-only', () => {
      const { readOnlyRoot, tmpfs } = engine.hardening
      expect(readOnlyRoot).toBe(image.written !== null)
      for (const folder of image.written ?? []) expect(tmpfs).toContain(folder)
    })

    test('programs that commands call', () => {
      const commands = commandsOf(engine)
      const called = CANDIDATES.filter((program) => commands.some((command) => calls(command, program)))
      expect(image.programs).toEqual(expect.arrayContaining(called))
      // The engine's own client, or else nothing was found at all; CouchDB's image has none.
      if (engine.name === 'COUCHDB') expect(commands.join()).toContain('/dev/tcp/127.0.0.1/5984')
      else expect(called.length).toBeGreaterThan(0)
    })

    test('connection URLs', () => {
      expect(engine.url(credentials, { host: 'shop-db', port: engine.port })).toMatch(image.url)
    })

    test('health, which no server has that only initialises the volume', () => {
      const health = engine.health.join('\n')
      if (image.initialisesOn === '127.0.0.1') {
        expect(health).toContain('127.0.0.2')
        expect(health).not.toContain('127.0.0.1')
      }
      // Backups are verified in a container without a network, where its own name does not resolve.
      expect(health).not.toContain('hostname')
      if (image.initialisesOn === 'socket') expect(health).toContain('127.0.0.1')
    })
  },
)
