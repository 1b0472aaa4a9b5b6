import { buildCache } from '../../resources/build-cache.ts'
import type { RecordOf } from '../../resources/resource.ts'
import { clearBuildCache } from '../../services/build-cache/clear-build-cache.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { recordType } from '../derive/resource-fields.ts'
import { addressArgs, addressOf } from './address.ts'
import { messageField } from './payload-fields.ts'

const BuildCache = recordType<RecordOf<typeof buildCache.answer>>(buildCache)

builder.queryField('buildCache', (t) =>
  t.field({
    type: BuildCache,
    nullable: true,
    description: 'Build cache that builds of an environment use. One of the arguments is required.',
    args: addressArgs(t.arg),
    resolve: (_root, address, { services, caller }) => services.buildCaches.get(caller, addressOf(address)),
  }),
)

commandMutation(clearBuildCache, { versioned: true, waits: true, payload: (t) => ({ message: messageField(t) }) })
