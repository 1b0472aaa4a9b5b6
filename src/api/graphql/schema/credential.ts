import { pick, type RecordOf } from '../../../calls/resource.ts'
import { createCredential, updateCredential } from '../../../services/credential/credential-commands.ts'
import { credential, savedUntried, testedCredential } from '../../../services/credential/credential-fields.ts'
import { type credentialRecord, getCredential } from '../../../services/credential/credential-queries.ts'
import { testCredential } from '../../../services/credential/test-credential.ts'
import { type Answer, commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { recordType } from '../derive/resource-fields.ts'
import { Node } from './node.ts'
import { outcomeFields } from './payload-fields.ts'

const Credential = recordType<RecordOf<typeof credentialRecord>>(credential, [Node])

/** What was created or changed; a dry run has created nothing that could be read. */
function credentialById<Result extends { credentialId: string }>(t: PayloadBuilder<Result>, isNew: boolean) {
  return t.field({
    type: Credential,
    nullable: true,
    description: 'Credential that was created or changed.',
    resolve: (answer, _args, context) => {
      const { result, dryRun } = answer as Answer<Result>
      return isNew && dryRun
        ? null
        : context.services.find(getCredential, context, { credentialId: result.credentialId })
    },
  })
}

const warning = (t: unknown) => outcomeFields(t, { warning: savedUntried })

commandMutation(createCredential, (t) => ({ credential: credentialById(t, true), ...warning(t) }))
commandMutation(updateCredential, (t) => ({ credential: credentialById(t, false), ...warning(t) }))
commandMutation(testCredential, (t) => ({
  credential: credentialById(t, false),
  ...outcomeFields(t, pick(testedCredential, 'accepted', 'message')),
}))
