import { z } from 'zod'
import { permit } from '../../calls/caller.ts'
import { type CommandContext, command, type Target } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { conflict, invalidInput } from '../../domain/errors.ts'
import { readInputs, withGenerated } from '../../solutions/input-values.ts'
import { lockAccount } from '../targets/load-account.ts'
import { createComponents, namesOf, renderNote } from './create-components.ts'
import { progress, randomText, resultOf } from './install.ts'
import { solutionInputs } from './install-solution.ts'
import {
  type Declared,
  declarationOf,
  getSolution,
  type LoadedInstallation,
  lockSolutionInstallation,
  sealDeclaration,
} from './load-installation.ts'
import { goOn, presentOf } from './resume-installation.ts'
import { upgraded } from './solution-installation-fields.ts'
import { changeComponent, requireUpgradable } from './upgrade-component.ts'

type UpgradeTarget = Target & { installation: LoadedInstallation }

export const upgradeInstallation = command({
  name: 'upgradeInstallation',
  rest: { method: 'POST', path: '/solutions/installation/upgrade', answer: upgraded },
  versioned: true,
  waits: true,
  about:
    'Bring an installation to the present revision of its solution. What changes in its apps becomes pending changes; components that are new are deployed; what was changed by hand is kept.',
  example: {
    request: { inputs: {} },
    answer: { revision: 2, changed: ['app: image'], kept: ['app: WORDPRESS_DB_HOST'] },
  },
  input: z.strictObject({ installationId: id('installation'), inputs: solutionInputs }),
  permission: 'solution:install',
  defaultWaitSeconds: 45,
  progress,
  async target({ tx }, { installationId }): Promise<UpgradeTarget> {
    const installation = await lockSolutionInstallation(tx, installationId)
    const { id: found, accountId, version } = installation
    return { type: 'installation', id: found, accountId, version, installation }
  },
  async execute(context, input, { installation }) {
    permit(context.caller, 'appEnv:operate', { accountId: installation.accountId })
    const before = await declarationOf(context, installation)
    const next = nextOf(installation, before, input.inputs)
    requireUpgradable(before.solution, next.solution)
    const { changed, kept } = await upgrade(context, installation, before, next)
    context.auditDetails({
      solutionSlug: next.solution.slug,
      from: installation.revision,
      to: next.solution.revision,
      inputs: Object.keys(input.inputs),
      changed,
      kept,
    })
    const installed = await resultOf(context.tx, installation.id)
    context.created(...Object.values(installed))
    return { ...installed, revision: next.solution.revision, changed, kept }
  },
})

function nextOf(installation: LoadedInstallation, before: Declared, given: Record<string, unknown>): Declared {
  const solution = getSolution(installation.solutionSlug)
  if (installation.status !== 'INSTALLED')
    throw conflict(
      'INSTALLATION_UNFINISHED',
      `The installation is ${installation.status}; wait, or repeat its request with installationId, then upgrade it`,
    )
  if (solution.revision <= installation.revision)
    throw conflict('ALREADY_CURRENT', `Revision ${installation.revision} of ${solution.name} is the present one`)
  // What was answered before need not be answered again.
  const known = new Set(solution.inputs.flatMap(({ name }) => (before.values[name] === undefined ? [] : [name])))
  const asked = solution.inputs.map((one) =>
    known.has(one.name) ? { ...one, required: false, default: undefined } : one,
  )
  const { values, problems } = readInputs({ inputs: asked }, given)
  if (problems.length > 0) throw invalidInput(problems)
  const kept = Object.fromEntries([...known].map((name) => [name, before.values[name] ?? '']))
  return { solution, values: withGenerated(solution, { ...kept, ...values }, randomText) }
}

async function upgrade(
  context: CommandContext,
  installation: LoadedInstallation,
  before: Declared,
  next: Declared,
): Promise<{ changed: string[]; kept: string[] }> {
  const { tx } = context
  const { id: installationId, accountId, appName, regionCode: region } = installation
  await lockAccount(tx, accountId)
  const account = await tx.account.findUniqueOrThrow({ where: { id: accountId }, include: { plan: true } })
  const installing = { installationId, account, appName, region, ...next }
  const present = await presentOf(context, installation)
  const missing = next.solution.components.filter(({ key }) => !present.get(key)?.appEnvId)
  const gone = before.solution.components.filter(({ key }) => !next.solution.components.some((one) => one.key === key))
  const created = await createComponents(context, installing, present, (key) => missing.some((one) => one.key === key))
  const names = await namesOf(tx, created)
  const [changed, kept] = [
    missing.map(({ key }) => `${key} is new`),
    gone.map(({ key }) => `${key} is no longer part of the solution, and stays`),
  ]
  for (const { key, appId, appEnvId } of created) {
    const component = next.solution.components.find((one) => one.key === key)
    const old = before.solution.components.find((one) => one.key === key)
    if (!component || !old || missing.includes(component)) continue
    const merged = await changeComponent(context, { appId, appEnvId, old, component, before, next, names })
    changed.push(...merged.changed)
    kept.push(...merged.kept)
  }
  await tx.solutionInstallation.update({
    where: { id: installationId },
    data: {
      revision: next.solution.revision,
      sealedInputs: sealDeclaration(context, account, installationId, next),
      postInstallNote: await renderNote(context, installing, created),
    },
  })
  await goOn(context, installation, created)
  return { changed, kept }
}
