import { z } from 'zod'
import { fieldsOf } from '../../calls/field.ts'
import { ORDER } from '../../calls/order.ts'
import { type Label, labelsOf } from '../../domain/labels.ts'

interface Labelled {
  labels: readonly Label[]
}

/** What people group it by. */
export const labelsField = (noun: string) =>
  fieldsOf<Labelled>().from(
    { labels: { select: { key: true, value: true }, orderBy: ORDER.label } },
    z.record(z.string(), z.string()),
    `Labels of the ${noun}, by key.`,
    ({ labels }: Labelled) => labelsOf(labels),
  )
