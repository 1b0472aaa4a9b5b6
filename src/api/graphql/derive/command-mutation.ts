import type { FieldMap, InputFieldMap } from '@pothos/core'
import { alternativesInWords } from '../../../calls/alternatives.ts'
import type { AnyCommand, CallOptions, ResultOf } from '../../../calls/command.ts'
import { dryRun as shownOfDryRun } from '../../../calls/outcome.ts'
import { builder } from '../builder.ts'
import type { GraphQLContext } from '../context.ts'
import { inputFields, withRecords } from './input-types.ts'
import { described } from './resource-fields.ts'
import { pascal } from './zod-definition.ts'

/** Source of a mutation's payload. */
export interface Answer<Result> {
  result: Result & { changes?: unknown }
  replayed: boolean
  dryRun: boolean
  /** What was sent. */
  input: Readonly<Record<string, unknown>>
}

type Payload<Result> = (t: PayloadBuilder<Result>) => FieldMap

/** Those whose payload is written by hand, because it has records of GraphQL. */
const written = new Set<AnyCommand>()

export type PayloadBuilder<Result> = PothosSchemaTypes.ObjectFieldBuilder<
  (typeof builder)['$inferSchemaTypes'],
  Answer<Result>
>

type InputBuilder = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]['fields']>>[0]

/** Options of every write (contract §1), as GraphQL names them. */
type Control = Partial<Pick<CallOptions, 'idempotencyKey' | 'expectedVersion' | 'waitSeconds' | 'dryRun'>>

/** Turns a service's command into a mutation: one `input` named after it, one payload, and no rules of its own. */
export function commandMutation<C extends AnyCommand>(command: C, payloadFields: Payload<ResultOf<C>>): void {
  written.add(command)
  const name = pascal(command.name)
  const input = builder.inputType(`${name}Input`, {
    description: [`Input of \`${command.name}\`.`, ...alternativesInWords(command.input.shape)].join(' '),
    fields: (t) => ({ ...inputFields(t, command.input), ...controlFields(t, command) }),
  })
  const payload = builder.objectRef<Answer<ResultOf<C>>>(`${name}Payload`).implement({
    description: `Answer of \`${command.name}\`.`,
    fields: (t) => ({
      ...payloadFields(t as unknown as PayloadBuilder<ResultOf<C>>),
      ...deletedId(t as never, command),
      ...answerFields(t as never),
    }),
  })
  builder.mutationField(command.name, (t) =>
    t.field({
      type: payload,
      description: command.about,
      extensions: { dangerous: command.dangerous === true, permission: command.permission },
      args: { input: t.arg({ type: input, required: true, description: 'Input of the mutation.' }) },
      resolve: (_root, args, context) => perform(command, args.input as Record<string, unknown>, context),
    }),
  )
}

/** Whether its payload is written by hand. */
export const hasOwnPayload = (command: AnyCommand): boolean => written.has(command)

async function perform<C extends AnyCommand>(
  command: C,
  input: Record<string, unknown>,
  { services, caller, requestId, address, signalOf }: GraphQLContext,
): Promise<Answer<ResultOf<C>>> {
  const { idempotencyKey, expectedVersion, waitSeconds, dryRun, ...fields } = input
  const control = given({ idempotencyKey, expectedVersion, waitSeconds, dryRun })
  const signal = control.waitSeconds ? signalOf?.() : undefined
  const performed = await services.perform(caller, command, withRecords(command.input, fields), {
    ...control,
    requestId,
    address,
    signal,
    api: 'graphql',
  })
  return { ...performed, dryRun: control.dryRun === true, input: fields } as Answer<ResultOf<C>>
}

/** A null says no more than a field that was left out. */
const given = (control: Record<keyof Control, unknown>): Control =>
  Object.fromEntries(Object.entries(control).filter(([, value]) => value !== null && value !== undefined))

function controlFields(t: InputBuilder, { versioned, waits }: AnyCommand) {
  const fields: InputFieldMap = {
    idempotencyKey: t.string({
      description: 'Key that makes the call safe to repeat: repeats get the first answer. At most 255 characters.',
    }),
    dryRun: t.boolean({ description: 'Validate and answer as usual, but change nothing.' }),
  }
  if (versioned)
    fields.expectedVersion = t.int({
      description: 'Version that you have read; the call is refused when the record has changed since.',
    })
  if (waits)
    fields.waitSeconds = t.int({
      description: 'Seconds to wait for what the call begins to end before the call is answered.',
    })
  return fields
}

/** `deleteApp` answers deletedAppId: clients take the object of that id out of what they keep. */
function deletedId(t: PayloadBuilder<object>, { name, input }: AnyCommand): FieldMap {
  const noun = /^(?:delete|remove)(\w+)$/.exec(name)?.[1]
  const field = Object.keys(input.shape).find((one) => pascal(one).replace(/Key$/, 'Id') === `${noun}Id`)
  if (!noun || !field) return {}
  return {
    [`deleted${noun}Id`]: t.id({
      nullable: true,
      description: 'Id of what is deleted, where the call named it by its id; null after a dry run.',
      resolve: (answer) => (answer.dryRun ? null : ((answer.input[field] as string | undefined) ?? null)),
    }),
  }
}

const answerFields = (t: PayloadBuilder<object>): FieldMap => ({
  dryRun: t.boolean({
    ...described('Outcome', 'dryRun', shownOfDryRun.dryRun.description),
    resolve: (answer) => answer.dryRun,
  }),
  changes: t.field({
    type: 'JSON',
    nullable: true,
    ...described('Outcome', 'changes', shownOfDryRun.changes.description),
    resolve: ({ result, dryRun }) => (dryRun ? result.changes : null),
  }),
  idempotentReplayed: t.boolean({
    description: 'Whether the answer is that of an earlier call with the same idempotencyKey.',
    resolve: (answer) => answer.replayed,
  }),
})
