import type { FieldMap } from '@pothos/core'
import type { Fields } from '../../../calls/field.ts'
import { message } from '../../../calls/outcome.ts'
import { getAccount } from '../../../services/account/account-queries.ts'
import { getApp } from '../../../services/app/app-queries.ts'
import { getOperation } from '../../../services/operation/operation-queries.ts'
import type { Answer, PayloadBuilder } from '../derive/command-mutation.ts'
import { described, recordFields } from '../derive/resource-fields.ts'
import { Account } from './account.ts'
import { App } from './app.ts'
import { AppEnv } from './app-env.ts'
import { Operation } from './operation.ts'

interface AnsweredAppEnv {
  appEnvId: string
  name: string
  status: string
}

/** Fields of which the answer itself is the source; `accountId` only serves fields that are not among them. */
const ANSWERED_FIELDS = new Set(['id', 'accountId', 'name', 'status'])

/**
 * The environment as it was left. Id, name and status are those of the answer, as in REST (§2.5): the right to
 * operate includes them, and a fast worker does not change them. Other fields are read, if the caller may.
 */
export function appEnvField<Result extends { appEnv: AnsweredAppEnv }>(t: PayloadBuilder<Result>) {
  return t.prismaField({
    type: AppEnv,
    nullable: true,
    description: 'Environment, with the status that the call gave it.',
    resolve: async (query, answer, _args, { services, caller }) => {
      const { appEnvId: id, name, status } = (answer as Answer<Result>).result.appEnv
      const answered = { id, name, status }
      if (Object.keys(query.select ?? {}).every((column) => ANSWERED_FIELDS.has(column))) return answered as never
      const appEnv = await services.appEnvs.observe(caller, { appEnvId: id }, query)
      return { ...appEnv, ...answered } as never
    },
  })
}

/** The operation that came of it. A dry run makes none. */
export function operationField<Result extends { operationId: string | null }>(t: PayloadBuilder<Result>) {
  return t.prismaField({
    type: Operation,
    nullable: true,
    description: 'Operation that carries out the call; null when there was nothing to do, and after a dry run.',
    resolve: (query, answer, _args, context) => {
      const { operationId } = (answer as Answer<Result>).result
      const isNone = operationId === null || (answer as Answer<Result>).dryRun
      return isNone ? null : context.services.find(getOperation, context, { operationId }, query)
    },
  })
}

/** What was created or changed; a dry run has created nothing that could be read. */
export function appEnvById<Result extends { appEnvId?: string }>(t: PayloadBuilder<Result>, isNew: boolean) {
  return t.prismaField({
    type: AppEnv,
    nullable: true,
    description: 'Environment that was created or changed.',
    resolve: (query, answer, _args, { services, caller }) => {
      const { result, dryRun } = answer as Answer<Result>
      const { appEnvId } = result
      return appEnvId === undefined || (isNew && dryRun) ? null : services.appEnvs.observe(caller, { appEnvId }, query)
    },
  })
}

export function appById<Result extends { appId: string }>(t: PayloadBuilder<Result>, isNew: boolean) {
  return t.prismaField({
    type: App,
    nullable: true,
    description: 'App that was created or changed.',
    resolve: (query, answer, _args, context) => {
      const { result, dryRun } = answer as Answer<Result>
      return isNew && dryRun ? null : context.services.find(getApp, context, { appId: result.appId }, query)
    },
  })
}

export function accountById<Result extends { accountId: string }>(t: PayloadBuilder<Result>, isNew: boolean) {
  return t.prismaField({
    type: Account,
    nullable: true,
    description: 'Account that was created or selected.',
    resolve: async (query, answer, _args, { services, caller: known, authorization, requestId }) => {
      const { result, dryRun } = answer as Answer<Result>
      if (isNew && dryRun) return null
      // The creator of an account becomes its member by this call, so the caller is loaded again.
      const caller = isNew ? await services.authenticate(authorization) : known
      return services.find(getAccount, { caller, requestId }, { accountId: result.accountId }, query)
    },
  })
}

export const messageField = <Result extends { message: string }>(t: PayloadBuilder<Result>) =>
  t.string({ ...described('Outcome', 'message', message.description), resolve: ({ result }) => result.message })

/** Fields of a command's answer that are shown as they are. */
export const outcomeFields = (t: unknown, fields: Fields): FieldMap =>
  recordFields(t, 'Outcome', fields, ({ result }: Answer<object>) => result)
