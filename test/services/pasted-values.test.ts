import { expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../src/api/rest/routes.ts'
import type { AnyCommand } from '../../src/calls/command.ts'

/** Fields that people copy from another page, each with a value that is right. */
const PASTED: Readonly<Record<string, string>> = {
  branch: 'main',
  code: 'a1b2c3',
  engine: 'tcp://10.0.0.7:2376',
  gitBranch: 'main',
  gitInstallationId: '4711',
  gitNamespace: 'ada',
  gitRepo: 'https://git.example.com/ada/shop',
  host: 'shop.example.com',
  image: 'registry.example.com/shop:1.0',
  reachAddress: '10.0.0.7',
  registryPassword: 'secret-of-the-registry',
  registryServer: 'registry.example.com',
  registryUsername: 'ada',
  statusApiUrl: 'https://git.example.com/api/v1',
  statusToken: 'token-of-the-host',
  url: 'https://example.com/hook',
}

/** Texts of which the description speaks of such things, and which are something else. */
const OTHERS: Readonly<Record<string, string>> = {
  compose: 'a file',
  customDockerfileContent: 'a file',
  dockerPresetVersion: 'chosen from a list',
  email: 'refused by its format',
  envName: 'an address of Berth’s own, which is not found',
  fileExtension: 'chosen from a list',
  name: 'trimmed as every name',
  registryEmail: 'refused by its format',
  secret: 'of Berth’s own, which is not found',
  storageKey: 'of Berth’s own, which is not found',
}

const COPIED = /address|\bURL\b|host name|token|branch|repositor|registry|image reference|redirect/i

const commands: ReadonlyMap<string, AnyCommand> = new Map(
  routes.flatMap((route) => ('read' in route ? [] : [[route.command.name, route.command as AnyCommand] as const])),
)

/** Texts on the first level of each command. */
const texts = [...commands].flatMap(([command, { input }]) =>
  Object.entries(input.shape as Record<string, z.ZodType>).flatMap(([field, schema]) => {
    const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
      type?: string
      enum?: unknown
      anyOf?: { type?: string }[]
    }
    const isText = [shape, ...(shape.anyOf ?? [])].some(({ type }) => type === 'string') && !shape.enum
    return isText ? [{ command, field, schema }] : []
  }),
)

test('every text that is copied from elsewhere is known', () => {
  const copied = texts.filter(({ field, schema }) => COPIED.test(schema.description ?? '') && !/Id$/.test(field))
  const unknown = copied.filter(({ field }) => !(field in PASTED) && !(field in OTHERS))
  expect(unknown.map(({ command, field }) => `${command}.${field}`)).toEqual([])
})

const cases = texts.filter(({ field }) => field in PASTED)

test.for(cases)('$command takes its $field with blanks and a line end around it', ({ field, schema }) => {
  const value = PASTED[field] ?? ''
  expect(schema.safeParse(value)).toEqual({ success: true, data: value })
  expect(schema.safeParse(` \t${value}\r\n`)).toEqual({ success: true, data: value })
})

test('the proof of a git installation is taken so, too', () => {
  const proof = commands.get('connectGitInstallation')?.input.shape.proof as z.ZodType
  expect(proof.safeParse({ userToken: ' ghu_a1b2c3\n' })).toEqual({ success: true, data: { userToken: 'ghu_a1b2c3' } })
})

test('the data of a credential is taken so, too', () => {
  const data = commands.get('createCredential')?.input.shape.data as z.ZodType
  expect(data.safeParse({ username: 'ada', password: ' s3cret\n' })).toEqual({
    success: true,
    data: { username: 'ada', password: 's3cret' },
  })
})
