import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { changedBuildResources } from '../../domain/build-resources.ts'
import { DomainError, type FieldProblem } from '../../domain/errors.ts'
import { readFields } from '../../domain/field-problems.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Region } from '../../storage/database/generated/prisma/client.ts'
import { INSTALLATION_EVENTS } from '../../storage/events/event.ts'
import { record } from '../../storage/events/record.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import { buildColumns, contradictions } from './build-resources.ts'
import { planCode, planDefaults, planFields, regionCode, regionDomain, regionFields } from './plan-input.ts'
import { engineAfter, engineOfNew, regionEngineFields } from './region-engine.ts'

const MAX_BYTES = 1024 * 1024

const FILE = z.strictObject({
  plans: z
    .array(z.strictObject({ plan: planCode, ...planFields, ...planDefaults }))
    .max(1000)
    .default([]),
  regions: z
    .array(
      z.strictObject({ region: regionCode, ...regionFields, domain: regionDomain.optional(), ...regionEngineFields }),
    )
    .max(1000)
    .default([]),
})

export type PlansFile = z.output<typeof FILE>

/** Plans and regions as the file has them. Throws an error that names the file, each field and its rule. */
export async function readPlansFile(path: string): Promise<PlansFile> {
  const refused = (why: string) => new Error(`BERTH_PLANS_FILE (${path}) ${why}. Berth does not start.`)
  const text = await readFile(path, 'utf8').catch((error) => {
    throw refused(`cannot be read: ${error.code ?? error.message}`)
  })
  if (text.length > MAX_BYTES) throw refused('is larger than 1 MB')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw refused(`is not JSON: ${(error as Error).message}`)
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw refused('must hold an object with plans, regions or both')
  const { data, problems = [] } = readFields(FILE, json)
  const all = [...problems, ...(data ? [...repeated(data), ...contradicting(data)] : [])]
  if (!data || all.length > 0)
    throw refused(`is not valid: ${all.map(({ field, message }) => `${field} ${message}`).join('; ')}`)
  return data
}

const contradicting = ({ plans }: PlansFile): FieldProblem[] =>
  plans.flatMap((plan, at) =>
    contradictions(plan).map(({ field, message }) => ({ field: `plans.${at}.${field}`, message })),
  )

function repeated({ plans, regions }: PlansFile): FieldProblem[] {
  const twice = (codes: string[], field: string) =>
    codes.flatMap((code, at) =>
      codes.indexOf(code) < at ? [{ field: field.replace('#', String(at)), message: `"${code}" is there twice` }] : [],
    )
  return [
    ...twice(
      plans.map(({ plan }) => plan),
      'plans.#.plan',
    ),
    ...twice(
      regions.map(({ region }) => region),
      'regions.#.region',
    ),
  ]
}

interface Applied {
  vault: Vault
  installationId: string
  /** The region whose domain is a setting. */
  firstRegion: string
}

/** Creates what is missing and changes what differs; leaves the rest alone. Nothing is written the second time. */
export async function applyPlansFile(tx: Transaction, file: PlansFile, applied: Applied): Promise<void> {
  const plans: string[] = []
  for (const { plan: code, ...fields } of file.plans) {
    const present = await tx.plan.findUnique({ where: { code } })
    const builds = {
      buildResources: changedBuildResources(null, fields.buildResources),
      maxBuildResources: changedBuildResources(null, fields.maxBuildResources),
    }
    if (present && !differs(present, { ...fields, ...builds })) continue
    const all = { ...fields, ...buildColumns(null, fields) }
    await tx.plan.upsert({ where: { code }, create: { code, ...all }, update: all })
    plans.push(code)
  }
  const regions: string[] = []
  for (const [at, { region: code, domain, engine, reachAddress, ...fields }] of file.regions.entries()) {
    await tx.$queryRaw`SELECT 1 FROM region WHERE code = ${code} FOR UPDATE`
    const present = await tx.region.findUnique({ where: { code } })
    const field = `BERTH_PLANS_FILE: regions.${at}.domain`
    if (code === applied.firstRegion && domain !== undefined)
      throw new Error(`${field} of the region ${code} is BERTH_DOMAIN: leave it out. Berth does not start.`)
    const own = domain ?? present?.domain
    if (own === undefined) throw new Error(`${field} is required for a new region. Berth does not start.`)
    const its = await engineOf(tx, { at, code, present, sent: { engine, reachAddress } })
    const all = { ...fields, ...its, domain: own }
    if (present && !differs(present, all)) continue
    await tx.region.upsert({ where: { code }, create: { code, ...all }, update: all })
    regions.push(code)
  }
  if (plans.length + regions.length > 0) await audit(tx, applied, { plans, regions })
}

interface RegionInFile {
  at: number
  code: string
  present: Region | null
  sent: Parameters<typeof engineOfNew>[0]
}

async function engineOf(tx: Transaction, { at, code, present, sent }: RegionInFile) {
  try {
    return present ? await engineAfter(tx, code, present, sent) : engineOfNew(sent)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw new Error(`BERTH_PLANS_FILE: regions.${at}: ${error.message}. Berth does not start.`)
  }
}

const differs = (row: object, fields: object): boolean =>
  Object.entries(fields).some(([key, value]) => !isDeepStrictEqual((row as Record<string, unknown>)[key], value))

const audit = (tx: Transaction, { vault, installationId }: Applied, details: Record<string, unknown>): Promise<void> =>
  record(tx, INSTALLATION_EVENTS, [], {
    entry: {
      action: 'applyPlansFile',
      actorType: 'SYSTEM',
      actorId: null,
      tokenId: null,
      targetType: 'installation',
      targetId: installationId,
      requestId: 'start',
      details,
    },
    heads: vault,
  })
