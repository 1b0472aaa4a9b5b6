import { credential, credentialUsage } from '../../resources/credential.ts'
import { savedUntried, testedCredential } from '../../resources/outcome.ts'
import { pick, type RecordOf } from '../../resources/resource.ts'
import { createCredential, updateCredential } from '../../services/credential/credential-commands.ts'
import { deleteCredential } from '../../services/credential/delete-credential.ts'
import { testCredential } from '../../services/credential/test-credential.ts'
import type { Services } from '../../services/services.ts'
import { builder } from '../builder.ts'
import { type Answer, commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { recordType } from '../derive/resource-fields.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { findableAsNode, Node } from './node.ts'
import { connectionOf, pageRequest } from './page.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

type CredentialRecord = Awaited<ReturnType<Services['credentials']['get']>>

const Credential = recordType<CredentialRecord>(credential, [Node])

const CredentialUsage = recordType<RecordOf<typeof credentialUsage.answer>>(credentialUsage)

findableAsNode('cred', 'Credential', ({ services, caller }, id) => services.credentials.get(caller, id))

builder.queryFields((t) => ({
  credential: t.field({
    type: Credential,
    nullable: true,
    description: 'A credential, by its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the credential.' }) },
    resolve: (_root, { id }, { services, caller }) => services.credentials.get(caller, id),
  }),
  credentialUsages: t.field({
    type: [CredentialUsage],
    description:
      'What uses a credential and would miss it, at most 100 of each kind, in the newest 1,000 environments of the account. Builds whose base images a default pulls are not counted.',
    args: { credentialId: t.arg.id({ required: true, description: 'Id of the credential.' }) },
    resolve: (_root, { credentialId }, { services, caller }) => services.credentials.usages(caller, credentialId),
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

const warning = (t: unknown) => outcomeFields(t, { warning: savedUntried })

commandMutation(createCredential, { payload: (t) => ({ credential: credentialById(t, true), ...warning(t) }) })
commandMutation(updateCredential, {
  versioned: true,
  payload: (t) => ({ credential: credentialById(t, false), ...warning(t) }),
})
commandMutation(testCredential, {
  versioned: true,
  payload: (t) => ({
    credential: credentialById(t, false),
    ...outcomeFields(t, pick(testedCredential, 'accepted', 'message')),
  }),
})
commandMutation(deleteCredential, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
