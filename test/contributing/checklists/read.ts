import { expect } from 'vitest'
import type { ChecklistProof } from '../checklist-proof.ts'

const QUERY = `import { notFound } from '../../domain/errors.ts'
import { permit } from '../../calls/caller.ts'
import { id } from '../../calls/input.ts'
import { query } from '../../calls/query.ts'
import { findRow, withColumns } from '../../calls/read.ts'
import { volume } from './volume-fields.ts'

export const getVolume = query({
  name: 'getVolume',
  path: '/volume',
  permission: 'appEnv:read',
  about: 'A volume, by its id.',
  input: { volumeId: id('volume') },
  of: volume,
  version: true,
  async find({ database, caller }, { volumeId }, wanted) {
    const where = { id: volumeId, deletedAt: null }
    const found = await findRow(database, 'Volume', { ...withColumns(wanted, 'accountId', 'appEnvId'), where })
    if (!found) throw notFound('volume', volumeId)
    permit(caller, 'appEnv:read', { accountId: found.accountId, appEnvId: found.appEnvId })
    return found
  },
})
`
const FILE = 'src/services/volume/get-volume.ts'
const CATALOGUE = 'src/services/catalogue.ts'

export const read: ChecklistProof = {
  heading: 'A read',
  follow(copy) {
    copy.write(FILE, QUERY)
    copy.replace(CATALOGUE, 'calls: [listVolumes,', 'calls: [getVolume, listVolumes,', [
      "import { getVolume } from './volume/get-volume.ts'",
    ])
  },
  edits: [FILE, CATALOGUE],
  expectOutcome({ sdl, openapi }) {
    const { get } = openapi.paths['/volume']
    expect(get).toMatchObject({
      operationId: 'getVolume',
      description: 'A volume, by its id.',
      tags: ['Volumes'],
    })
    expect(sdl).toMatch(/^ {2}"""A volume, by its id\."""\n {2}volume\(\n.*\n {4}volumeId: ID!\n {2}\): Volume$/m)
  },
  forgotten: [],
}
