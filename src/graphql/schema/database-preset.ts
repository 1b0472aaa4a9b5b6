import { databasePreset } from '../../resources/database-preset.ts'
import type { RecordOf } from '../../resources/resource.ts'
import { builder } from '../builder.ts'
import { recordType } from '../derive/resource-fields.ts'

const DatabasePreset = recordType<RecordOf<typeof databasePreset.answer>>(databasePreset)

builder.queryField('databasePresets', (t) =>
  t.field({
    type: [DatabasePreset],
    description: 'The databases, caches and brokers that apps can be created from.',
    resolve: (_root, _args, { services, caller }) =>
      services.databasePresets.list(caller).map((engine) => databasePreset.answer.record(engine)),
  }),
)
