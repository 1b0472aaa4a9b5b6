import { expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../src/api/rest/routes.ts'
import { ADDRESS_FIELDS, addressIn } from '../../src/calls/address.ts'
import { approveAuthorization, refuseAuthorization } from '../../src/services/oauth/consent-commands.ts'
import { endSession } from '../../src/services/session/session-commands.ts'

const MAX_ADDRESS_LENGTH = 200

const written = routes.flatMap((route) => ('command' in route ? [route.command] : []))
const commands = [...new Set([...written, approveAuthorization, refuseAuthorization, endSession])]

type Schema = { type?: string; maxLength?: number; pattern?: string; anyOf?: Schema[] }

/** Whether a text of the schema is short, by its length or by a pattern that bounds each of its parts. */
const isShort = ({ type, maxLength, pattern, anyOf }: Schema): boolean =>
  anyOf
    ? anyOf.every(isShort)
    : type === 'null' ||
      (type === 'string' && ((maxLength ?? Infinity) <= MAX_ADDRESS_LENGTH || /^\^[^*+]*\$$/.test(pattern ?? '')))

test('what a command reads before the permission is checked are short texts', () => {
  const long: string[] = []
  let fields = 0
  for (const { name, input } of commands) {
    const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
    for (const field of ADDRESS_FIELDS) {
      const schema = properties[field] as Schema | undefined
      if (!schema) continue
      fields += 1
      if (!isShort(schema)) long.push(`${name}.${field}: ${JSON.stringify(schema)}`)
    }
  }
  console.info(`addresses: ${commands.length} commands, ${fields} fields`)
  expect(long).toEqual([])
})

test('each field of an address names the target of some command', () => {
  const used = new Set(commands.flatMap(({ input }) => Object.keys(input.shape)))
  expect(ADDRESS_FIELDS.filter((field) => !used.has(field))).toEqual([])
})

test('an address has nothing else of an input', () => {
  expect(addressIn({ accountId: 'acc_1', compose: 'services: {}', variables: {} })).toEqual({ accountId: 'acc_1' })
})
