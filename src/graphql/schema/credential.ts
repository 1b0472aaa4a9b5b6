import {
  createCredential,
  credentialRecord,
  deleteCredential,
  updateCredential,
} from '../../services/credential/credential-commands.ts'
import { builder } from '../builder.ts'
import { type Answer, commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { CredentialTypeEnum } from './enums.ts'
import { findableAsNode, Node } from './node.ts'
import { connectionOf, pageRequest } from './page.ts'
import { messageField } from './payload-fields.ts'

type Record = ReturnType<typeof credentialRecord>

type Found = Parameters<typeof credentialRecord>[0]

/** Answers of services call it credentialId, as REST does. */
const asCredential = (found: Found) => {
  const record: Record = credentialRecord(found)
  return { ...record, id: record.credentialId, version: found.version }
}

export const Credential = builder.objectRef<ReturnType<typeof asCredential>>('Credential').implement({
  description: 'A login that apps refer to, such as that of a container registry. Never its secrets.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    accountId: t.exposeID('accountId', { description: 'The account that owns it.' }),
    type: t.expose('type', { type: CredentialTypeEnum, description: 'What it opens.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    data: t.field({ type: 'JSON', description: 'Its fields, without the secret ones.', resolve: ({ data }) => data }),
    version: t.exposeInt('version', {
      description: 'Grows with every change; what `expectedVersion` is compared with.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

findableAsNode('cred', 'Credential', async ({ services, caller }, id) =>
  asCredential(await services.credentials.get(caller, id)),
)

builder.queryFields((t) => ({
  credential: t.field({
    type: Credential,
    nullable: true,
    description: 'One credential.',
    args: { id: t.arg.id({ required: true, description: 'Id of the credential.' }) },
    resolve: async (_root, { id }, { services, caller }) => asCredential(await services.credentials.get(caller, id)),
  }),
  credentials: t.connection({
    type: Credential,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The credentials of an account; of your current account when accountId is omitted.',
    args: { accountId: t.arg.id({ description: 'Id of the account.' }) },
    async resolve(_root, { accountId, ...page }, { services, caller }) {
      const found = await services.credentials.list(caller, accountId ?? undefined, pageRequest(page, ROOT_PAGE))
      return connectionOf({ ...found, rows: found.rows.map(asCredential) }, ({ id }) => id, page.after)
    },
  }),
}))

/** What was created or changed; a dry run has created nothing that could be read. */
function credentialById<Result extends { credentialId: string }>(t: PayloadBuilder<Result>, isNew: boolean) {
  return t.field({
    type: Credential,
    nullable: true,
    description: 'The credential.',
    resolve: async (answer, _args, { services, caller }) => {
      const { result, dryRun } = answer as Answer<Result>
      return isNew && dryRun ? null : asCredential(await services.credentials.get(caller, result.credentialId))
    },
  })
}

commandMutation(createCredential, { payload: (t) => ({ credential: credentialById(t, true) }) })
commandMutation(updateCredential, { versioned: true, payload: (t) => ({ credential: credentialById(t, false) }) })
commandMutation(deleteCredential, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
