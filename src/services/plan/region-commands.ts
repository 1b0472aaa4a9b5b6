import { z } from 'zod'
import { type CommandContext, command, type Target } from '../../calls/command.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { optionally, regionCode, regionDomain, regionFields } from './plan-input.ts'
import { engineAfter, engineOfNew, regionEngineFields } from './region-engine.ts'
import { region } from './region-fields.ts'

const regionTarget = (code: string): Target => ({ type: 'region', id: code, accountId: null })

export const createRegion = command({
  name: 'createRegion',
  rest: { method: 'POST', path: '/region', answer: region.answer },
  about: 'Create a region, with what it can do. Only the installation’s admin may.',
  example: {
    request: { region: 'north', name: 'North', functionsSupported: true, domain: 'north.example.com' },
    answer: { region: 'north', name: 'North' },
  },
  input: z.strictObject({
    region: regionCode,
    ...regionFields,
    sandboxAddonReady: regionFields.sandboxAddonReady.default(false),
    publicGatewayReady: regionFields.publicGatewayReady.default(false),
    domain: regionDomain,
    ...regionEngineFields,
  }),
  permission: 'installation:manage',
  target: async (_context, { region }) => regionTarget(region),
  async execute({ tx, auditDetails }, { region: code, engine, reachAddress, ...fields }) {
    const own = engineOfNew({ engine, reachAddress })
    if (await tx.region.findUnique({ where: { code } }))
      throw conflict('CODE_TAKEN', `There is a region "${code}" already: update it instead`)
    const created = await tx.region.create({ data: { code, ...fields, ...own }, include })
    auditDetails({ region: code, ...fields, ...own })
    return shown(created)
  },
})

export const updateRegion = command({
  name: 'updateRegion',
  rest: { method: 'PUT', path: '/region', answer: region.answer },
  about: 'Change the name or the capabilities of a region. What runs there keeps running.',
  example: { request: { region: 'local', sandboxAddonReady: true } },
  input: z.strictObject({ region: regionCode, ...optionally(regionFields), ...regionEngineFields }),
  permission: 'installation:manage',
  target: (context, { region }) => lockRegion(context, region),
  async execute({ tx, auditDetails }, { region: code, ...fields }) {
    const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
    const before = await tx.region.findUniqueOrThrow({ where: { code } })
    await engineAfter(tx, code, before, fields)
    const updated = await tx.region.update({ where: { code }, data: sent, include })
    auditDetails(sent)
    return shown(updated)
  },
})

async function lockRegion({ tx }: CommandContext, code: string): Promise<Target> {
  const found = await tx.$queryRaw<unknown[]>`SELECT 1 FROM region WHERE code = ${code} FOR UPDATE`
  if (found.length === 0) throw notFound('region', code)
  return regionTarget(code)
}

const include = { hosts: { select: { reachable: true } } } as const

interface Row {
  code: string
  name: string
  functionsSupported: boolean
  sandboxAddonReady: boolean
  publicGatewayReady: boolean
  domain: string
  hosts: { reachable: boolean }[]
}

const shown = ({ code: region, name, functionsSupported, sandboxAddonReady, publicGatewayReady, ...row }: Row) => ({
  region,
  name,
  functionsSupported,
  sandboxAddonReady,
  publicGatewayReady,
  domain: row.domain,
  engineReachable: row.hosts[0]?.reachable ?? null,
})
