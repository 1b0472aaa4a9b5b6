import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import type { Arrival } from './context.ts'
import { publicResult } from './errors.ts'

const isStream = (result: object): result is AsyncIterable<ExecutionResult> => Symbol.asyncIterator in result

/** Masks the errors in every answer of Yoga's own HTTP layer, including SSE. */
export function publicErrorsPlugin(log: Logger): Plugin {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      const { requestId } = (serverContext as unknown as { arrival: Arrival }).arrival
      const tools = { requestId, log }
      if (Array.isArray(result)) return
      if (!isStream(result)) return setResult(publicResult(result as ExecutionResult, tools))
      setResult(each(result, (one) => publicResult(one, tools)))
    },
  }
}

async function* each(
  stream: AsyncIterable<ExecutionResult>,
  change: (result: ExecutionResult) => ExecutionResult,
): AsyncGenerator<ExecutionResult> {
  try {
    for await (const result of stream) yield change(result)
  } catch (error) {
    const asGraphQL = error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error })
    yield change({ errors: [asGraphQL] })
  }
}
