import { getOperationAST } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { executionCounts, plannedExecution } from '../../src/api/graphql/execution/planned-execution.ts'
import { createServices } from '../../src/services/services.ts'
import { createDatabase } from '../../src/storage/database/client.ts'
import { withoutReader } from '../../src/storage/database/reads/reader.ts'
import type { World } from './world.ts'

type Hook = Parameters<NonNullable<Plugin['onExecute']>>[0]
type Args = Parameters<Parameters<Hook['setExecuteFn']>[0]>[0]

/** What a worker or a clock changes between two reads is the same in one of these. */
const ATTEMPTS = 20

const counts = { same: 0, repeated: 0 }

/**
 * With BERTH_TEST_BOTH_WAYS=1, every query that a test asks is executed a second time, by Yoga's own executor over Prisma alone,
 * and fails where the answers differ. Null otherwise: the queries of all tests twice cost minutes.
 */
export function bothWays({ url, config, vault, wakeups, limits }: World) {
  if (!process.env.BERTH_TEST_BOTH_WAYS) return null
  const database = createDatabase({ url, poolSize: 4 })
  withoutReader(database)
  const services = createServices({ database, config, vault, wakeups, limits })

  let usual: (args: Args) => unknown = () => {}
  // Before any other, it gets what Yoga would execute with, whose words for a variable of the wrong type are not graphql-js's.
  const remembering: Plugin = {
    onExecute({ executeFn }) {
      usual = executeFn
    },
  }

  async function compared(args: Args, executeFn: (args: Args) => unknown) {
    const plain = { ...args, contextValue: { ...(args.contextValue as object), services } } as Args
    for (let attempt = 1; ; attempt += 1) {
      const actual = await executeFn(args)
      const [now, alone] = [textOf(actual), textOf(await usual(plain))]
      if (now === alone) {
        counts[attempt === 1 ? 'same' : 'repeated'] += 1
        return actual
      }
      if (attempt === ATTEMPTS) throw new Error(`The two ways answer differently:\n${now}\n${alone}`)
    }
  }

  const comparing: Plugin = {
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn((args: Args) => {
        const isQuery = getOperationAST(args.document, args.operationName)?.operation === 'query'
        return isQuery ? compared(args, executeFn) : executeFn(args)
      })
    },
  }
  return {
    execution: [remembering, plannedExecution(), comparing],
    async close() {
      await database.$disconnect()
      const { planned, asUsual } = executionCounts
      console.log(`Both ways: ${counts.same + counts.repeated} equal, ${counts.repeated} of them on repeating`)
      console.log(`Both ways: ${planned} executed by plans, ${asUsual} as usual`)
    },
  }
}

/** Errors of fields that are resolved side by side come in any order. */
function textOf(result: unknown): string {
  const { data, errors = [] } = result as { data?: unknown; errors?: readonly { message: string; path?: unknown }[] }
  return JSON.stringify({ data, errors: errors.map(({ message, path }) => JSON.stringify({ message, path })).sort() })
}
