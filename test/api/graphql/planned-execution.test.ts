import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { buildSchema, parse } from 'graphql'
import { expect, test } from 'vitest'
import { plannedExecution } from '../../../src/api/graphql/execution/planned-execution.ts'

const MB = 1_048_576

function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}

test('names of operations that are not in a document leave nothing behind', () => {
  let execute: (args: unknown) => unknown = () => null
  const hook = {
    executeFn: () => 'as usual',
    setExecuteFn(fn: typeof execute) {
      execute = fn
    },
  }
  plannedExecution().onExecute?.(hook as never)
  const document = parse('{ __typename }')
  const schema = buildSchema('type Query { a: String }')
  const before = heldBytes()
  for (let index = 0; index < 400; index += 1) {
    const operationName = Buffer.alloc(100_000, `${index} `).toString('latin1')
    expect(execute({ document, schema, operationName, contextValue: { refusal: null } })).toBe('as usual')
  }
  expect(heldBytes() - before).toBeLessThan(10 * MB)
  // The document is what everything is kept with.
  expect(document.kind).toBe('Document')
})
