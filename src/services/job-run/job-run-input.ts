import { z } from 'zod'
import { appEnvTarget, variable, variablesOf } from '../../calls/input.ts'

const MAX_STDIN_BYTES = 1024 * 1024

/** A variable of one run: only its container reads it. */
export const runVariable = variable.omit({ type: true })

export const jobRunInput = z.strictObject({
  ...appEnvTarget,
  command: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('Command of this run alone; the configured one when omitted. Runs of other apps than jobs need one.'),
  args: z.array(z.string().max(4096)).max(100).optional().describe('Arguments of the command of this run alone.'),
  shell: z.boolean().optional().describe('Whether /bin/sh -lc runs the command of this run.'),
  workingDir: z
    .string()
    .max(1000)
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe('Working directory of this run alone.'),
  timeoutSeconds: z.int().min(1).max(604_800).optional().describe('Seconds after which this run is ended.'),
  envVars: variablesOf(runVariable).optional().describe('Variables that this run has besides those of its version.'),
  stdin: z
    .string()
    .max(MAX_STDIN_BYTES)
    .refine((text) => Buffer.byteLength(text) <= MAX_STDIN_BYTES, 'must be at most 1 MiB')
    .optional()
    .describe('Text that the command reads from its standard input, at most 1 MiB. The image needs /bin/sh for it.'),
})

export type JobRunInput = z.output<typeof jobRunInput>
