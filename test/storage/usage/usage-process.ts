import { enableFaultInjection } from '../../../src/fault-injection/failpoint.ts'
import { createDatabase } from '../../../src/storage/database/client.ts'
import { alertBudgets } from '../../../src/storage/usage/budgets.ts'
import { freezeStatements } from '../../../src/storage/usage/statements.ts'
import { carryOut, revived } from './scripted-day.ts'

/** Meters a script from its beginning, and then looks at budgets or closes months, unless it is killed before. */
const { url, ordersFolder, looks = [], alertAt, freezeAt } = JSON.parse(process.argv[2] ?? '{}')
enableFaultInjection(ordersFolder)
const database = createDatabase({ url, poolSize: 3 })
await carryOut(database, revived(looks))
if (alertAt) await alertBudgets(database, new Date(alertAt), 'EUR')
if (freezeAt) await freezeStatements(database, { now: new Date(freezeAt), currency: 'EUR' })
await database.$disconnect()
