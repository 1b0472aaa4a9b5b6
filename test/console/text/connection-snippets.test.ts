import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EngineCredentials } from '../../../src/app-types/engines/engine.ts'
import { ENGINES } from '../../../src/app-types/engines/list.ts'
import { commandsOf, partsOf, programsOf } from '../../../text/connection-snippets.ts'
import { shellWord } from '../../../text/shell-word.ts'

describe('connection URLs', () => {
  test('are read as their engine writes them, whatever the password is', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ENGINES), fc.string({ unit: 'grapheme', minLength: 1 }), (engine, password) => {
        const url = engine.url({ user: 'berth', password } as EngineCredentials, { host: 'db', port: engine.port })
        expect(partsOf(url)).toMatchObject({ host: 'db', user: 'berth', password, scheme: engine.protocol })
      }),
    )
  })

  test('of every engine have commands or programs that connect', () => {
    for (const { protocol, url, port } of ENGINES) {
      const commands = commandsOf(url({ user: 'u', password: 'p' } as EngineCredentials, { host: 'db', port }))
      expect([...commands, ...programsOf(protocol, 'URL')].length, protocol).toBeGreaterThan(1)
      for (const { code } of programsOf(protocol, 'SHOP_URL')) expect(code).toContain('SHOP_URL')
    }
  })

  test('that are none have no commands', () => {
    expect([partsOf('nonsense'), commandsOf('nonsense'), commandsOf('postgresql://')]).toEqual([null, [], []])
  })
})

test('a word of a shell is read by a shell as the text that it was', () => {
  const texts = fc.sample(
    fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
    50,
  )
  const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${['first', ...texts].map(shellWord).join(' ')}`])
  expect(printed.toString().split('\0').slice(0, -1)).toEqual(['first', ...texts])
})
