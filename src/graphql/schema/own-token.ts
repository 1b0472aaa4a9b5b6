import type { RecordOf } from '../../resources/resource.ts'
import { appEnvToken, userToken } from '../../resources/token.ts'
import { builder } from '../builder.ts'
import { recordType } from '../derive/resource-fields.ts'
import { addressArgs, addressOf } from './address.ts'

const UserToken = recordType<RecordOf<typeof userToken.answer>>(userToken)
const AppEnvToken = recordType<RecordOf<typeof appEnvToken.answer>>(appEnvToken)

builder.queryFields((t) => ({
  userToken: t.field({
    type: UserToken,
    description: 'The user behind the token of the call, and what the token may do.',
    resolve: (_root, _args, { services, caller }) => services.tokens.ofUser(caller),
  }),
  appEnvToken: t.field({
    type: AppEnvToken,
    nullable: true,
    description: 'An environment that you may operate, and its newest token. One of the two arguments is required.',
    args: {
      ...addressArgs(t.arg),
    },
    resolve: (_root, { appEnvId, envName }, { services, caller }) =>
      services.tokens.ofAppEnv(caller, addressOf({ appEnvId, envName })),
  }),
}))
