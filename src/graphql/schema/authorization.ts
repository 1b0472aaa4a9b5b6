import { revokeAuthorization } from '../../services/oauth/authorization-commands.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { messageField } from './payload-fields.ts'

commandMutation(revokeAuthorization, { payload: (t) => ({ message: messageField(t) }) })
