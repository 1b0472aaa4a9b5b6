import { credential } from '../../resources/credential.ts'
import { createCredential, deleteCredential, updateCredential } from '../../services/credential/credential-commands.ts'
import type { Services } from '../../services/services.ts'
import { builder } from '../builder.ts'
import { type Answer, commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { recordType } from '../derive/resource-fields.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { findableAsNode, Node } from './node.ts'
import { connectionOf, pageRequest } from './page.ts'
import { messageField } from './payload-fields.ts'

type CredentialRecord = Awaited<ReturnType<Services['credentials']['get']>>

const Credential = recordType<CredentialRecord>(credential, [Node])

findableAsNode('cred', 'Credential', ({ services, caller }, id) => services.credentials.get(caller, id))

builder.queryFields((t) => ({
  credential: t.field({
    type: Credential,
    nullable: true,
    description: 'A credential, by its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the credential.' }) },
    resolve: (_root, { id }, { services, caller }) => services.credentials.get(caller, id),
  }),
  credentials: t.connection({
    type: Credential,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The credentials of an account; of your current account when accountId is omitted.',
    args: { accountId: t.arg.id({ description: 'Id of the account.' }) },
    async resolve(_root, { accountId, ...page }, { services, caller }) {
      const filter = { accountId: accountId ?? undefined }
      const found = await services.credentials.list(caller, filter, pageRequest(page, ROOT_PAGE))
      return connectionOf(found, ({ credentialId }) => credentialId, page.after)
    },
  }),
}))

/** What was created or changed; a dry run has created nothing that could be read. */
function credentialById<Result extends { credentialId: string }>(t: PayloadBuilder<Result>, isNew: boolean) {
  return t.field({
    type: Credential,
    nullable: true,
    description: 'Credential that was created or changed.',
    resolve: (answer, _args, { services, caller }) => {
      const { result, dryRun } = answer as Answer<Result>
      return isNew && dryRun ? null : services.credentials.get(caller, result.credentialId)
    },
  })
}

commandMutation(createCredential, { payload: (t) => ({ credential: credentialById(t, true) }) })
commandMutation(updateCredential, { versioned: true, payload: (t) => ({ credential: credentialById(t, false) }) })
commandMutation(deleteCredential, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
