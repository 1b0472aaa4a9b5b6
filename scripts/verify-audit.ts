// npm run audit:verify             recomputes the audit log; ends with 1 when something was changed, removed or added
// npm run audit:verify -- --seal   seals the heads as they are, after you know why one did not hold
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, readConfig } from '../src/config/config.ts'
import { openMasterKey, openVault } from '../src/platform/master-key.ts'
import { type AuditChain, verifyAudit } from '../src/services/audit/verify-audit.ts'
import { createDatabase, type Database } from '../src/storage/database/client.ts'
import { startEmbeddedPostgres } from '../src/storage/database/embedded.ts'
import { sealAuditHeads } from '../src/storage/events/audit-heads.ts'
import type { Vault } from '../src/storage/secrets/vault.ts'

const { values: options } = parseArgs({ options: { seal: { type: 'boolean', default: false } } })

async function main(config: Config): Promise<boolean> {
  await using undo = new AsyncDisposableStack()
  const dataDir = resolve(config.BERTH_DATA_DIR)
  let url = config.DATABASE_URL
  if (!url) {
    const server = await startEmbeddedPostgres({ dataDir })
    undo.defer(() => server.stop())
    url = server.url
  }
  const database = createDatabase({ url, poolSize: 2, applicationName: 'berth-audit' })
  undo.defer(() => database.$disconnect())
  const installation = await database.installation.findFirst()
  if (!installation) throw new Error('There is no installation in this database.')
  const { keyCheck, masterKeyId } = installation
  const vault = await openVault(database, await openMasterKey(config, dataDir, database))
  if (!vault.passesCheck(keyCheck))
    throw new Error(`The master key is not the one of this database (${masterKeyId}): heads cannot be checked with it.`)
  if (options.seal) await database.$transaction((tx) => sealAuditHeads(tx, vault))
  return await print(database, vault)
}

async function print(database: Database, vault: Vault): Promise<boolean> {
  const accounts = new Map((await database.account.findMany()).map(({ id, name }) => [id, name]))
  let [chains, entries, broken] = [0, 0, 0]
  for await (const chain of verifyAudit(database, vault)) {
    const name = chain.id === 'installation' ? 'the installation' : (accounts.get(chain.id) ?? 'a deleted account')
    console.log(`${chain.broken ? '✗' : '✓'} ${chain.id} (${name}): ${described(chain)}`)
    chains += 1
    entries += chain.entries
    if (chain.broken) broken += 1
  }
  console.log(
    broken === 0 ? `All ${chains} chains hold: ${entries} entries.` : `${broken} of ${chains} chains do not hold.`,
  )
  return broken === 0
}

function described({ entries, firstAt, lastAt, lastHash, broken }: AuditChain): string {
  const range =
    entries === 0 ? 'no entries' : `${entries} entries, ${firstAt?.toISOString()} to ${lastAt?.toISOString()}`
  if (broken) return `${range}; broken at ${broken.sequence}: ${broken.problem}`
  return entries === 0 ? range : `${range}, last hash ${lastHash}`
}

try {
  process.exitCode = (await main(readConfig(process.env))) ? 0 : 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}
