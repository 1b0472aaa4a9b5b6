import { z } from 'zod'
import { parseInput } from '../../calls/perform.ts'
import type { Config } from '../../config/config.ts'
import { invalidField } from '../../domain/errors.ts'

export type WriteOptions = ReturnType<typeof writeOptions>

/** Options of every write (contract §1), as arguments of a tool: MCP has neither headers nor a query for them. */
export const writeOptions = ({ BERTH_MAX_WAIT_SECONDS: most }: Config) =>
  z
    .strictObject({
      dryRun: z.boolean().optional().describe('Validate and answer as usual, but change nothing.'),
      idempotencyKey: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe('Key that makes the call safe to repeat: repeats get the first answer.'),
      expectedVersion: z
        .int()
        .min(1)
        .optional()
        .describe('Version that you have read: 3 for the ETag "v3-…". Refused when it has changed since.'),
      waitSeconds: z
        .int()
        .min(0)
        .max(most)
        .optional()
        .describe('Seconds to wait for what the call begins to end before the call is answered.'),
    })
    .describe('Options of a write.')

type Chosen = z.output<WriteOptions>

/**
 * The options of a write and the input of its command. Options are sent as one object, `options`; as older clients do,
 * each may stand beside the other arguments instead. Throws INVALID_INPUT where one is sent in both places.
 */
export function splitOptions(
  schema: WriteOptions,
  given: Record<string, unknown>,
): { options: Chosen; input: Record<string, unknown> } {
  const { options: together, dryRun, idempotencyKey, expectedVersion, waitSeconds, ...input } = given
  const { options = {} } = parseInput(z.strictObject({ options: schema.optional() }), { options: together })
  const apart = parseInput(schema, { dryRun, idempotencyKey, expectedVersion, waitSeconds })
  for (const [name, value] of Object.entries(apart)) {
    if (value !== undefined && name in options) throw invalidField(name, 'is sent twice: once is in options')
  }
  return { options: { ...options, ...definedOf(apart) }, input }
}

const definedOf = (options: Chosen): Chosen =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
