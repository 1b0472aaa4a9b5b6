import { fieldsOf, flag, text } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { Region } from '../../storage/database/generated/prisma/client.ts'
import { engineReachable } from './region-engine-fields.ts'

const field = fieldsOf<Region>()

export const region = resource({
  name: 'Region',
  id: 'Region',
  description: 'A place where environments run.',
  examples: {
    name: 'This machine',
    functionsSupported: true,
    domain: 'berth.localhost',
  },
  fields: {
    region: field.column('code', text, 'Code of the region, which `region` takes when an environment is created.', {
      inGraphQL: { name: 'code' },
    }),
    name: field.column('name', text, 'Name of the region.'),
    functionsSupported: field.column('functionsSupported', flag, 'Whether Functions run in the region.'),
    sandboxAddonReady: field.column('sandboxAddonReady', flag, 'Whether the sandbox add-on of the region is ready.'),
    publicGatewayReady: field.column('publicGatewayReady', flag, 'Whether the public gateway of the region is ready.'),
    domain: field.column('domain', text, 'Domain under which environments get their automatic host.'),
    engineReachable,
  },
})
