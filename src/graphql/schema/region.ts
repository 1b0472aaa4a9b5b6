import { builder } from '../builder.ts'

export const Region = builder.prismaObject('Region', {
  description: 'A place where environments run.',
  select: { code: true },
  fields: (t) => ({
    code: t.exposeString('code', { description: 'What `region` takes when an environment is created.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    domain: t.exposeString('domain', { description: 'Domain under which environments get their automatic host.' }),
    functionsSupported: t.exposeBoolean('functionsSupported', { description: 'Whether Functions run here.' }),
    sandboxAddonReady: t.exposeBoolean('sandboxAddonReady', { description: 'Whether the sandbox add-on is ready.' }),
    publicGatewayReady: t.exposeBoolean('publicGatewayReady', { description: 'Whether the public gateway is ready.' }),
  }),
})

builder.queryField('regions', (t) =>
  t.field({
    type: [Region],
    description: 'The regions of the installation.',
    args: { accountId: t.arg.id({ description: 'Account that would use them.' }) },
    resolve: (_root, { accountId }, { services, caller }) => services.accounts.regions(caller, accountId ?? undefined),
  }),
)
