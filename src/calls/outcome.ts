import { z } from 'zod'
import { fieldsOf, text } from './field.ts'
import { answer } from './resource.ts'

const field = fieldsOf<{ message: string; warning: string | undefined }>()

export const message = field.given('message', text, 'Summary of what was done.')

/** What most commands answer that change something. */
export const messageAnswer = answer({ message }, { id: 'Message', description: 'What a call has done.' })

export const warning = field.given(
  'warning',
  text.optional(),
  'Data that is lost when the changes are applied; left out where none is.',
)

/** What a dry run adds to any answer. */
export const dryRun = {
  dryRun: fieldsOf<{ dryRun: true | undefined }>().given(
    'dryRun',
    z.literal(true).optional(),
    'Whether the call was a dry run, which changed nothing.',
  ),
  changes: fieldsOf<{ changes: Record<string, unknown> | undefined }>().given(
    'changes',
    z.record(z.string(), z.unknown()).optional(),
    'Changes that the call would make. Only in the answer to a dry run.',
  ),
}
