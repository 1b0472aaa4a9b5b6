import { z } from 'zod'
import type { Config } from '../../config/config.ts'

/** Options of every write (contract §1), as arguments of a tool: MCP has neither headers nor a query for them. */
export const callOptions = ({ BERTH_MAX_WAIT_SECONDS: most }: Config) =>
  z.object({
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
