import { assertAllRolesAnswer, buildFiles, whileOthersAsk } from '../support/hostile-source.ts'
import type { TrustCase } from '../trust-case.ts'

const DEPTH = 7
/** Of the reader, where the engine builds; of the builder of the account, which reads it itself, within its own memory. */
const REASONS = ['DOCKERFILE_INVALID', 'BUILD_FAILED']

/** Each ARG refers ten times to the one before. */
function nestedArguments(): string {
  const value = (depth: number) => (depth === 0 ? 'x'.repeat(100) : `\${A${depth - 1}}`.repeat(10))
  const lines = Array.from({ length: DEPTH + 1 }, (_, depth) => `ARG A${depth}="${value(depth)}"`)
  return [...lines, `FROM a:\${A${DEPTH}}`, ''].join('\n')
}

export const trustCase: TrustCase = {
  number: 1,
  title: 'ARG values nested seven deep end their own build',
  async run(berth) {
    const Dockerfile = nestedArguments()
    const { result, others } = await whileOthersAsk(berth, () => buildFiles(berth, { Dockerfile }))
    const { status, reason } = result
    if (status !== 'FAILED' || !REASONS.includes(reason ?? ''))
      throw new Error(`The build ended with ${status} ${reason}`)
    await assertAllRolesAnswer(berth)
    const slowest = `the slowest of ${others.count} requests of others took ${others.slowestMs} ms`
    return `${Dockerfile.length} bytes: ${reason}; ${slowest}`
  },
}
