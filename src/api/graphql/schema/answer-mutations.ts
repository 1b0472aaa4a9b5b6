import { COMMANDS } from '../../../services/catalogue.ts'
import { commandMutation, hasOwnPayload } from '../derive/command-mutation.ts'
import { outcomeFields } from './payload-fields.ts'

// After all others: the mutations of commands without a payload of their own answer what they answer over REST.
for (const command of COMMANDS.filter((one) => !hasOwnPayload(one))) {
  const { rest, name } = command
  if (!rest) throw new Error(`${name} has no answer over REST, and no payload of its own`)
  commandMutation(command, (t) => outcomeFields(t, rest.answer.fields))
}
