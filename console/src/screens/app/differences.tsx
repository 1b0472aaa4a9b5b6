import { useState } from 'react'
import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Changes } from '../../ui/changes.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import type { App } from './app.ts'
import { DifferenceOf } from './documents.ts'

/** How the configurations of two environments differ: variables first, because they differ most. */
export function Differences({ app }: { app: App }) {
  const environments = app.appEnvs.nodes
  const [sides, setSides] = useState<{ from?: string; to?: string }>({})
  const from = environments.find(({ id }) => id === sides.from) ?? environments[0]
  const to =
    environments.find(({ id }) => id === sides.to && id !== from?.id) ?? environments.find((one) => one !== from)
  const select = (label: string, value: string | undefined, onChange: (id: string) => void) => (
    <select className="control" aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {environments.map(({ id, name }) => (
        <option key={id} value={id}>
          {visibleText(name)}
        </option>
      ))}
    </select>
  )
  if (!from || !to) return null
  return (
    <Section
      title="What differs"
      actions={
        <>
          {select('One environment', from.id, (id) => setSides({ ...sides, from: id }))}
          <span className="soft">and</span>
          {select('The other environment', to.id, (id) => setSides({ ...sides, to: id }))}
        </>
      }
    >
      <Between key={`${from.id} ${to.id}`} from={from} to={to} />
    </Section>
  )
}

type Side = App['appEnvs']['nodes'][number]

function Between({ from, to }: { from: Side; to: Side }) {
  const { data, refusals, refetch } = useData(DifferenceOf, {
    variables: { from: from.id, to: to.id },
    readAgainOn: (event) =>
      (event.appEnvId === from.id || event.appEnvId === to.id) && event.type === 'APP_ENV_UPDATED',
  })
  if (refusals[0]) return <Refused refusal={refusals[0]} onRetry={refetch} />
  if (!data?.difference) return <Skeleton />
  const isVariable = ({ field }: { field: string }) => field.startsWith('envVars.')
  const { changes } = data.difference
  const sorted = [...changes.filter(isVariable), ...changes.filter((change) => !isVariable(change))]
  if (sorted.length === 0)
    return (
      <Empty title="Nothing that is configured differs">
        <p>Values of secrets are not compared.</p>
      </Empty>
    )
  return (
    <div className="stack tight">
      <Changes changes={sorted} from={visibleText(from.name)} to={visibleText(to.name)} />
      <p className="soft">
        Values of secrets are not compared.{' '}
        <Link href={`${pathTo('variables', { env: from.cliEnvName })}?with=${encodeURIComponent(to.cliEnvName)}`}>
          Copy variables to {visibleText(from.name)}
        </Link>
        {' or '}
        <Link href={`${pathTo('variables', { env: to.cliEnvName })}?with=${encodeURIComponent(from.cliEnvName)}`}>
          to {visibleText(to.name)}
        </Link>
        .
      </p>
    </div>
  )
}
