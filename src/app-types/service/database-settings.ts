import { z } from 'zod'

const MAX_TEXT = 200

/** Names and bounds depend on the preset: `engineProblems` checks them. */
export const databaseSettings = z
  .record(z.string().max(MAX_TEXT), z.union([z.number(), z.boolean(), z.string().max(MAX_TEXT)]))
  .describe('Settings of a managed service by name. Their types and bounds are in the database presets.')
