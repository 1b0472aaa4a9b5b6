import { expect } from 'vitest'
import type { ChecklistProof } from '../checklist-proof.ts'

const FIELDS = `import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, text, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { Volume } from '../../storage/database/generated/prisma/client.ts'

const field = fieldsOf<Volume>()

export const disk = resource({
  name: 'Disk',
  id: 'Disk',
  description: 'What a volume is to those who look at its size alone.',
  examples: { volumeId: exampleId('vol'), capacityMb: 4096 },
  fields: {
    volumeId: field.column('id', text, 'Id of the volume.', { inGraphQL: { name: 'id' } }),
    capacityMb: field.column('diskMb', whole, 'Size of the disk in MB.'),
  },
})
`
const QUERIES = `import { accountOrCurrent, type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { exampleId } from '../../calls/examples.ts'
import { id } from '../../calls/input.ts'
import { collectedQuery, recordQuery } from '../../calls/query.ts'
import { findByKey } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { requireAccount } from '../targets/load-account.ts'
import { disk } from './disk-fields.ts'

const disks = collection({
  model: 'Volume',
  async scope(database, caller, { accountId }: { accountId?: string | undefined }) {
    const owner = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
    permit(caller, 'appEnv:read', { accountId: owner })
    return { accountId: owner, deletedAt: null }
  },
})

async function findDisk(database: Database, caller: Caller, volumeId: string) {
  const found = await findByKey(database, 'Volume', { where: { id: volumeId } })
  if (!found) throw notFound('volume', volumeId)
  permit(caller, 'appEnv:read', { accountId: found.accountId, appEnvId: found.appEnvId })
  return disk.answer.record(found)
}

export const getDisk = recordQuery({
  name: 'getDisk',
  path: '/disk',
  permission: 'appEnv:read',
  about: 'The disk of a volume.',
  input: { volumeId: id('volume') },
  of: disk,
  find: ({ database, caller }, { volumeId }) => findDisk(database, caller, volumeId),
})

export const listDisks = collectedQuery({
  name: 'listDisks',
  path: '/disks',
  permission: 'appEnv:read',
  about: 'The disks of an account, newest first.',
  example: { request: { accountId: exampleId('acc') } },
  input: { accountId: id('account').optional() },
  of: disk,
  from: disks,
  wanted: { select: disk.answer.select },
  records: (rows) => rows.map((row) => disk.answer.record(row)),
  cursorOf: ({ volumeId }) => volumeId,
})
`
const COMMANDS = `import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { notFound } from '../../domain/errors.ts'

export const resizeDisk = command({
  name: 'resizeDisk',
  rest: { method: 'PATCH', path: '/disk', answer: messageAnswer },
  versioned: true,
  about: 'Give a disk another size.',
  example: { request: { capacityMb: 8192 }, answer: { message: 'The disk has 8192 MB' } },
  input: z.strictObject({
    volumeId: id('volume'),
    capacityMb: z.int().min(1).max(10_000).describe('Size of the disk in MB.'),
  }),
  permission: 'appEnv:change',
  async target({ tx }, { volumeId }) {
    const found = await tx.volume.findFirst({ where: { id: volumeId, deletedAt: null } })
    if (!found) throw notFound('volume', volumeId)
    const { accountId, appEnvId, version } = found
    return { type: 'volume' as const, id: volumeId, accountId, appEnvId, version }
  },
  async execute({ tx }, { volumeId, capacityMb }) {
    await tx.volume.update({ where: { id: volumeId }, data: { diskMb: capacityMb, version: { increment: 1 } } })
    return { message: \`The disk has \${capacityMb} MB\` }
  },
})
`
const GROUP = `  { name: 'Disks', description: 'Volumes, by their size.', calls: [getDisk, listDisks, resizeDisk] },`
const FOLDER = 'src/services/disk'
const CATALOGUE = 'src/services/catalogue.ts'
const CASES = 'test/parity/setting-cases.ts'

/** A noun of rows that are there already. A column, and so a table, is the checklist of a field. */
export const noun: ChecklistProof = {
  heading: 'A noun',
  follow(copy) {
    copy.write(`${FOLDER}/disk-fields.ts`, FIELDS)
    copy.write(`${FOLDER}/disk-queries.ts`, QUERIES)
    copy.write(`${FOLDER}/disk-commands.ts`, COMMANDS)
    copy.replace(CATALOGUE, "  {\n    name: 'Services',", `${GROUP}\n  {\n    name: 'Services',`, [
      "import { resizeDisk } from './disk/disk-commands.ts'",
      "import { getDisk, listDisks } from './disk/disk-queries.ts'",
    ])
    copy.addLine(CASES, "parityCase('deleteVolume that an environment has'", PARITY_CASE, [
      "import { resizeDisk } from '../../src/services/disk/disk-commands.ts'",
    ])
  },
  edits: [CATALOGUE, `${FOLDER}/disk-commands.ts`, `${FOLDER}/disk-fields.ts`, `${FOLDER}/disk-queries.ts`, CASES],
  expectOutcome({ sdl, openapi }) {
    const tags = openapi.tags.map(({ name }: { name: string }) => name)
    expect(tags.slice(tags.indexOf('Volumes'))).toEqual(expect.arrayContaining(['Volumes', 'Disks', 'Services']))
    expect(openapi.tags).toContainEqual({ name: 'Disks', description: 'Volumes, by their size.' })

    const { get, patch } = openapi.paths['/disk']
    const { get: list } = openapi.paths['/disks']
    for (const operation of [get, patch, list]) expect(operation.tags).toEqual(['Disks'])

    const volumeId = get.parameters[0].example
    expect(volumeId).toMatch(/^vol_/)
    expect(answerOf(get)).toEqual({ volumeId, capacityMb: 4096 })
    expect(answerOf(list).disks).toEqual([{ volumeId, capacityMb: 4096 }])
    expect(list.parameters).toContainEqual(expect.objectContaining({ name: 'accountId', example: expect.any(String) }))
    expect(patch.requestBody.content['application/json'].example).toEqual({ volumeId, capacityMb: 8192 })
    expect(answerOf(patch)).toEqual({ message: 'The disk has 8192 MB' })

    expect(sdl).toMatch(/^type Disk \{[^}]*"""Size of the disk in MB\."""\n {2}capacityMb: Int!\n/m)
    expect(sdl).toMatch(/^ {2}disk\(/m)
    expect(sdl).toMatch(/^ {2}disks\(/m)
    expect(sdl).toMatch(/^ {2}resizeDisk\(\n.*\n {4}input: ResizeDiskInput!/m)
  },
  forgotten: [],
}

// biome-ignore lint/suspicious/noExplicitAny: the document is read at every depth.
const answerOf = (operation: any) => operation.responses[200].content['application/json'].example

const PARITY_CASE = `  parityCase('resizeDisk', 'accepted', async (world) => ({
    command: resizeDisk,
    input: { volumeId: await volumeOf(world, await deployed(world)), capacityMb: 2048 },
  })),`
