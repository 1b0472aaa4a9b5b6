import type { RecordOf } from '../../../calls/resource.ts'
import { token } from '../../../services/token/token-fields.ts'
import { recordType } from '../derive/resource-fields.ts'
import { Node } from './node.ts'

export const Token = recordType<RecordOf<typeof token.answer>>(token, [Node])
