import { clearBuildCache } from '../../services/build-cache/clear-build-cache.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { messageField } from './payload-fields.ts'

commandMutation(clearBuildCache, { versioned: true, waits: true, payload: (t) => ({ message: messageField(t) }) })
