import { z } from 'zod'
import {
  isLabelKey,
  isLabelValue,
  LABEL_KEY_RULE,
  MAX_LABEL_KEY_LENGTH,
  MAX_LABEL_VALUE_LENGTH,
  MAX_LABELS,
} from '../../domain/labels.ts'

const key = z.string().refine(isLabelKey, LABEL_KEY_RULE)

const value = z
  .string()
  .max(MAX_LABEL_VALUE_LENGTH)
  .refine(isLabelValue, 'must be one line of text, without control characters')

/** A change may remove as many as it sets. */
const MAX_CHANGES = 2 * MAX_LABELS

const LIMITS = `At most ${MAX_LABELS} labels, keys of at most ${MAX_LABEL_KEY_LENGTH} characters, values of at most ${MAX_LABEL_VALUE_LENGTH}. No secrets: members, webhooks and the audit log see them.`

/** Labels of something new. */
export const labels = z
  .record(key, value)
  .refine((sent) => Object.keys(sent).length <= MAX_LABELS, `must be at most ${MAX_LABELS} labels`)
  .describe(`Labels by key, to group and to filter by. ${LIMITS}`)

/** A JSON merge patch: two callers that set different labels do not undo each other's. */
export const labelChanges = z
  .record(key, value.nullable())
  .refine((sent) => Object.keys(sent).length <= MAX_CHANGES, `must name at most ${MAX_CHANGES} labels`)
  .nullable()
  .describe(
    `Labels to set, by key. Null as a value removes that label; labels that are not sent stay. Null in place of the object removes all. ${LIMITS}`,
  )
