// Loaded into the Berth under test, before it: counts what only its own process can see, and answers when asked.
import { isObjectType } from 'graphql'
import { schema } from '../../src/api/graphql/schema.ts'

export interface Testimony {
  /** Calls of resolvers so far. */
  resolvers: number
  /** In bytes. */
  heap: number
  /** Sockets, timers and the like that keep the process busy. */
  resources: number
}

let resolvers = 0

for (const type of Object.values(schema.getTypeMap())) {
  if (!isObjectType(type) || type.name.startsWith('__')) continue
  for (const field of Object.values(type.getFields())) {
    field.resolve &&= counted(field.resolve)
    field.subscribe &&= counted(field.subscribe)
  }
}

function counted<Args extends unknown[], Result>(resolve: (...args: Args) => Result) {
  return (...args: Args): Result => {
    resolvers += 1
    return resolve(...args)
  }
}

process.on('message', (question) => {
  if (question !== 'testify' && question !== 'collect and testify') return
  if (question !== 'testify') globalThis.gc?.()
  const resources = process.getActiveResourcesInfo().filter((name) => /TCP|Pipe/.test(name)).length
  process.send?.({ resolvers, heap: process.memoryUsage().heapUsed, resources } satisfies Testimony)
})
