import { expect } from 'vitest'
import type { ChecklistProof } from '../checklist-proof.ts'

const COMMAND = `import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { notFound } from '../../domain/errors.ts'

export const growVolume = command({
  name: 'growVolume',
  rest: { method: 'POST', path: '/volume/grow', answer: messageAnswer },
  versioned: true,
  about: 'Give a volume another MB.',
  example: { answer: { message: 'The volume has another MB' } },
  input: z.strictObject({ volumeId: id('volume') }),
  permission: 'appEnv:change',
  async target({ tx }, { volumeId }) {
    const volume = await tx.volume.findFirst({ where: { id: volumeId, deletedAt: null } })
    if (!volume) throw notFound('volume', volumeId)
    const { accountId, appEnvId, version } = volume
    return { type: 'volume' as const, id: volumeId, accountId, appEnvId, version }
  },
  async execute({ tx }, { volumeId }) {
    await tx.volume.update({ where: { id: volumeId }, data: { diskMb: { increment: 1 }, version: { increment: 1 } } })
    return { message: 'The volume has another MB' }
  },
})
`
const FILE = 'src/services/volume/grow-volume.ts'
const CATALOGUE = 'src/services/catalogue.ts'
const CASES = 'test/parity/setting-cases.ts'

export const otherWrite: ChecklistProof = {
  heading: 'Any other write',
  follow(copy) {
    copy.write(FILE, COMMAND)
    copy.replace(CATALOGUE, 'deleteVolume],', 'deleteVolume, growVolume],', [
      "import { growVolume } from './volume/grow-volume.ts'",
    ])
    copy.addLine(CASES, "parityCase('deleteVolume that is not there'", PARITY_CASE, [
      "import { growVolume } from '../../src/services/volume/grow-volume.ts'",
    ])
  },
  edits: [CATALOGUE, FILE, CASES],
  expectOutcome({ sdl, openapi }) {
    const { post } = openapi.paths['/volume/grow']
    expect(post).toMatchObject({ operationId: 'growVolume', description: 'Give a volume another MB.' })
    expect(post.tags).toEqual(['Volumes'])
    const { example } = post.responses[200].content['application/json']
    expect(example).toEqual({ message: 'The volume has another MB' })
    expect(post.parameters).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' })
    expect(sdl).toMatch(/^ {2}growVolume\(\n.*\n {4}input: GrowVolumeInput!/m)
    expect(sdl).toMatch(/^input GrowVolumeInput \{[^}]*volumeId: ID!/m)
  },
  forgotten: [],
}

const PARITY_CASE = `  parityCase('growVolume', 'accepted', async (world) => ({
    command: growVolume,
    input: { volumeId: await volumeOf(world, await deployed(world)) },
  })),`
