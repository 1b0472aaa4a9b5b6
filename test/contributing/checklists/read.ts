import { expect } from 'vitest'
import type { ChecklistProof } from '../checklist-proof.ts'

const QUERY = `import { notFound } from '../../domain/errors.ts'
import { volume } from '../../resources/volume.ts'
import { permit } from '../kernel/caller.ts'
import { id } from '../kernel/input.ts'
import { query } from '../kernel/query.ts'
import { findRow, withColumns } from '../kernel/read.ts'

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
    copy.addLine(CATALOGUE, 'listVolumes,', '  getVolume,', ["import { getVolume } from './volume/get-volume.ts'"])
  },
  edits: [FILE, CATALOGUE],
  expectOutcome({ sdl, openapi }) {
    const { get } = openapi.paths['/volume']
    expect(get).toMatchObject({ operationId: 'getVolume', description: 'A volume, by its id.' })
    expect(sdl).toMatch(/^ {2}"""A volume, by its id\."""\n {2}volume\(\n.*\n {4}volumeId: ID!\n {2}\): Volume$/m)
  },
  forgotten: [],
}
