import type { RecordOf } from '../../resources/resource.ts'
import { token } from '../../resources/token.ts'
import { recordType } from '../derive/resource-fields.ts'
import { Node } from './node.ts'

export const Token = recordType<RecordOf<typeof token.answer>>(token, [Node])
