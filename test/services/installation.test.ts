import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openInstallation } from '../../src/services/installation.ts'
import { newKey } from '../../src/storage/secrets/keys.ts'
import { newSecret } from '../../src/storage/secrets/token-secret.ts'
import { createVault } from '../../src/storage/secrets/vault.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let held: TestDatabase
const vault = createVault(newKey())
const open = () => openInstallation(held.database, vault, readConfig({}), newSecret('USER'))

beforeAll(async () => {
  held = await createTestDatabase()
  await open()
})
afterAll(() => held.drop())

test('an installation with an app of a type that this version does not run is not opened', async () => {
  const { id: accountId } = await held.database.account.findFirstOrThrow()
  const app = { accountId, name: 'Old', slug: 'old', type: 'GONE', dockerPreset: 'GONE' }
  const { id } = await held.database.app.create({ data: { id: 'app_gone', ...app } })
  await expect(open()).rejects.toThrow('The app "Old" has the type GONE, which this version does not run; it runs APP')
  await held.database.app.update({ where: { id }, data: { deletedAt: new Date() } })
  await expect(open()).resolves.toMatch(/^ins_/)
})
