import type { AnyQuery } from '../../../calls/query.ts'
import { COMMANDS, QUERIES } from '../../../services/catalogue.ts'
import { commandMutation, hasOwnPayload, type PayloadBuilder } from '../derive/command-mutation.ts'
import { recordType } from '../derive/resource-fields.ts'
import { outcomeFields } from './payload-fields.ts'

type RecordQuery = Extract<AnyQuery, { kind: 'one' }>

const RECORDS = QUERIES.filter(
  (query): query is RecordQuery => query.kind === 'one' && query.isRecord && query.inGraphQL !== null,
)

/** Its fields may have ids that a dry run has left out. */
const nounField = (t: PayloadBuilder<object>, { of }: RecordQuery) =>
  t.field({
    type: recordType(of) as never,
    nullable: true,
    description: `${of.description} Null after a dry run.`,
    resolve: ({ result, dryRun }) => (dryRun ? null : result) as never,
  })

// After all others: the mutations of commands without a payload of their own answer what they answer over REST.
for (const command of COMMANDS.filter((one) => !hasOwnPayload(one))) {
  const { rest, name } = command
  if (!rest) throw new Error(`${name} has no answer over REST, and no payload of its own`)
  const noun = RECORDS.find(({ of }) => of.answer === rest.answer)
  commandMutation(command, (t) =>
    noun ? { [noun.inGraphQL as string]: nounField(t, noun) } : outcomeFields(t, rest.answer.fields),
  )
}
