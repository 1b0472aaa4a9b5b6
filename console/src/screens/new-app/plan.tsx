import type { ReactNode } from 'react'
import { cliEnvNameOf, slugOf } from '../../../../src/domain/names.ts'
import { resourcesOf } from '../../../../src/domain/resources.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { computeMicros, priceText, volumeMicros } from '../../account/monthly-price.ts'
import { useAccount } from '../../account/session.tsx'
import { type DryRun, useDryRun } from '../../graphql/use-dry-run.ts'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Section } from '../../ui/page.tsx'
import { Announced } from '../../ui/toast.tsx'
import { PlanApp } from './documents.ts'
import styles from './new-app.module.css'
import { type AppInput, type Fields, type Source, takesNoPort } from './new-app-input.ts'
import type { Choices } from './source-fields.tsx'

interface PlanProps {
  source: Source
  fields: Fields
  /** Null while there is too little to ask about. */
  input: AppInput | null
  choices: Choices
}

/** What will be created, where it answers, what it costs; and whether the API would do it as things are. */
export function Plan({ source, fields, input, choices }: PlanProps) {
  const account = useAccount()
  const dryRun = useDryRun(PlanApp, input)
  const region = regionOf(fields, choices)
  const environment = fields['appEnv.name'] ?? ''
  const { cpu, memoryMb } = resourcesOf({ zClouds: Number(fields['appEnv.zClouds'] ?? 1) })
  const hasAddress = source !== 'service' && !takesNoPort(fields) && slugOf(fields.name ?? '') !== ''
  const host =
    region && `${cliEnvNameOf(account.slug, slugOf(fields.name ?? ''), slugOf(environment))}.${region.domain}`
  const rows: [name: string, value: ReactNode][] = input
    ? [
        ['App', <b key="app">{visibleText(fields.name ?? '')}</b>],
        ['Environment', visibleText(environment)],
        ...(hasAddress && host ? ([['Address', <code key="host">{host}</code>]] as [string, ReactNode][]) : []),
        ['Runs', runsText(source, fields)],
        ['Size', `${cpu} CPU, ${memoryMb.toLocaleString('en')} MB, 1 container`],
        ...(region ? ([['Region', visibleText(region.name)]] as [string, ReactNode][]) : []),
        ['Costs', costText(source, fields, choices)],
      ]
    : []
  return (
    <div className={styles.plan}>
      <Section title="What will be created" actions={input && <Copy text={asCurl(input)} label="Copy as curl" />}>
        {input ? (
          <div className="stack">
            <dl>
              {rows.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            <Verdict dryRun={dryRun} changes={dryRun.answer?.createApp?.changes} />
            <Announced text={dryRun.refusal ? 'It cannot be created yet' : 'It can be created'} />
          </div>
        ) : (
          <p className="soft">
            Fill in the form, and it says here what will be created, where it answers and what it costs.
          </p>
        )}
      </Section>
    </div>
  )
}

/** The chosen one; the only one where there is no choice. */
function regionOf(fields: Fields, { regions }: Choices) {
  if (regions?.length === 1) return regions[0]
  return regions?.find(({ code }) => code === fields['appEnv.region'])
}

function runsText(source: Source, { image, gitRepo, 'appEnv.branch': branch, port, dockerPreset }: Fields): ReactNode {
  const at = takesNoPort({ dockerPreset: dockerPreset ?? '' }) || !port ? '' : `, port ${port}`
  if (source === 'image') return <code>{visibleText(`${image}${at}`)}</code>
  if (source === 'git') return visibleText(`A build of ${gitRepo}, branch ${branch || '…'}${at}`)
  return source === 'upload'
    ? `A build of what you upload${at}`
    : 'A managed service, with a user and a password of its own'
}

function costText(source: Source, fields: Fields, { account, plans, usage, databasePresets }: Choices): string {
  const plan = plans?.find(({ code }) => code === account?.plan)
  if (!plan) return 'The plan of the account is not known'
  const zClouds = Number(fields['appEnv.zClouds'] ?? 1)
  const currency = usage?.currency ?? null
  const preset = databasePresets?.find(({ dockerPreset }) => dockerPreset === fields.dockerPreset)
  const disk = source === 'service' ? Number(fields['appEnv.disk'] || preset?.limits.disk.default || 0) : 0
  const micros = computeMicros(plan, zClouds) + volumeMicros(plan, disk)
  if (micros === 0n) return `Nothing, on the plan ${plan.name}`
  if (fields.dockerPreset === 'JOB')
    return `${priceText(BigInt(plan.jobZCloudHourPrice) * BigInt(zClouds), currency)} for each hour of a run`
  const upTo = fields.dockerPreset === 'FUNCTION' ? 'At most ' : ''
  return `${upTo}${priceText(micros, currency)} a month`
}

const KINDS: Readonly<Record<string, string>> = {
  DEPLOY_IMAGE: 'Berth has checked it. It is deployed at once.',
  BUILD: 'Berth has checked it. It is built and deployed at once.',
}

function Verdict({ dryRun: { refusal, isCurrent }, changes }: { dryRun: DryRun<unknown>; changes: unknown }) {
  if (!isCurrent) return <p className="soft">Checking…</p>
  if (refusal)
    return (
      <p className={styles.verdict}>
        <Icon name="circleAlert" className="warn" />
        <span>Not yet: {visibleText(refusal.message)}</span>
      </p>
    )
  const { kind } = (changes ?? {}) as { kind?: string }
  return (
    <p className={styles.verdict}>
      <Icon name="circleCheck" className="good" />
      <span>{KINDS[kind ?? ''] ?? 'Berth has checked it.'}</span>
    </p>
  )
}

/** The same call of the REST API, for a shell. */
const asCurl = (input: AppInput): string =>
  [
    `curl ${location.origin}/api/public/v1/app`,
    `-H "authorization: Bearer $BERTH_TOKEN" -H 'content-type: application/json'`,
    `-d '${JSON.stringify(input).replaceAll("'", "'\\''")}'`,
  ].join(' \\\n  ')
