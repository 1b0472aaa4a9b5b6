import { expect, test } from 'vitest'
import { withheldFrom } from '../../scripts/supervisor/withheld-settings.mjs'
import { SECRET } from '../../src/config/secret-files.ts'

test('a process that is only an ingress gets no secret but the way to its database, neither itself nor its file', () => {
  const withheld = withheldFrom(['ingress'])
  const kept = [...SECRET].filter((name) => withheld[name] !== '' || withheld[`${name}_FILE`] !== '')
  expect(kept).toEqual(['DATABASE_URL', 'DATABASE_PASSWORD'])
})

test('the other processes get what they are given', () => {
  expect(withheldFrom(['api', 'worker'])).toEqual({})
  expect(withheldFrom(['api', 'worker', 'ingress'])).toEqual({})
})
