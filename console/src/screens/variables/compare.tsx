import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { MASK } from '../../../../src/domain/mask.ts'
import { type Variable, variableChanges, withChanges } from '../../../../text/variable-changes.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import type { Head } from '../../environment/environment-page.tsx'
import { useData } from '../../graphql/use-data.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { formatTime } from '../../ui/time.tsx'
import { OtherEnvironments, VariablesOf, VariablesOfVersion, Versions } from './documents.ts'
import styles from './variables.module.css'
import { type Editing, newKey, variablesOf } from './variables-draft.ts'

interface CompareProps {
  environment: Head
  draft: Editing
  missing: string | null
}

/** The draft beside another environment, or an earlier version: what differs, to be copied over by name. */
export function Compare({ environment, draft, missing }: CompareProps) {
  const { account, app, cliEnvName: env } = environment
  const [parameters, setParameters] = useSearchParams()
  const chosen = parameters.get('with') ?? ''
  const environments = useData(OtherEnvironments, { variables: { accountId: account.id } })
  const versions = useData(Versions, { variables: { env } })
  const others = (environments.data?.appEnvs?.nodes ?? []).filter(
    (one) => one.cliEnvName !== env && one.dockerPresetVersion === null,
  )
  const own = others.filter((one) => one.app.id === app.id)
  const foreign = others.filter((one) => one.app.id !== app.id)
  return (
    <Section
      title="Compare"
      isFlush
      actions={
        <select
          className="control"
          aria-label="Compare with"
          value={chosen}
          onChange={(event) => setParameters(event.target.value ? { with: event.target.value } : {}, { replace: true })}
        >
          <option value="">Choose with what</option>
          <optgroup label="Environments of this app">
            {own.map((one) => (
              <option key={one.id} value={one.cliEnvName}>
                {visibleText(one.name)}
              </option>
            ))}
          </optgroup>
          <optgroup label="Versions of this environment">
            {versions.data?.deployments?.nodes.map(({ id, version, createdAt }) => (
              <option key={id} value={id}>
                Version {version}, {formatTime(createdAt)}
              </option>
            ))}
          </optgroup>
          <optgroup label="Other environments">
            {foreign.map((one) => (
              <option key={one.id} value={one.cliEnvName}>
                {visibleText(one.app.name)} · {visibleText(one.name)}
              </option>
            ))}
          </optgroup>
        </select>
      }
    >
      {chosen === '' ? (
        <Empty title="With another environment, or with an earlier version">
          <p>What differs is listed by name. What you choose is copied into your draft.</p>
        </Empty>
      ) : chosen.startsWith('con_') ? (
        <WithVersion key={chosen} id={chosen} draft={draft} missing={missing} />
      ) : (
        <WithEnvironment key={chosen} env={chosen} draft={draft} missing={missing} />
      )}
    </Section>
  )
}

interface SideProps {
  draft: Editing
  missing: string | null
}

function WithEnvironment({ env, ...rest }: SideProps & { env: string }) {
  const { data, refusals, refetch } = useData(VariablesOf, { variables: { env } })
  if (refusals[0]) return <Refused refusal={refusals[0]} onRetry={refetch} />
  if (!data?.appEnv) return <Skeleton />
  return <Differences there={data.appEnv.variables} {...rest} />
}

function WithVersion({ id, ...rest }: SideProps & { id: string }) {
  const { data, refusals, refetch } = useData(VariablesOfVersion, { variables: { id } })
  if (refusals[0]) return <Refused refusal={refusals[0]} onRetry={refetch} />
  if (!data?.deployment) return <Skeleton />
  if (!data.deployment.configuration) return <Empty title="It never ran, so nothing is kept of what it ran with" />
  return <Differences there={data.deployment.configuration.variables} {...rest} />
}

function Differences({ there, draft, missing }: SideProps & { there: readonly Variable[] }) {
  const [names, setNames] = useState<ReadonlySet<string>>(new Set())
  const { added, changed, removed, untouched } = variableChanges(variablesOf(draft.rows), there)
  const all = [
    ...added.map((to) => ({ name: to.name, from: undefined, to })),
    ...changed,
    ...removed.map((from) => ({ name: from.name, from, to: undefined })),
  ].sort((one, other) => one.name.localeCompare(other.name))
  const toggle = (name: string) =>
    setNames((before) => {
      const next = new Set(before)
      if (!next.delete(name)) next.add(name)
      return next
    })
  const copy = () => {
    const keys = new Map(draft.rows.map(({ name, key }) => [name, key]))
    const isChosen = ({ name }: { name: string }) => names.has(name)
    const next = withChanges(variablesOf(draft.rows), {
      added: added.filter(isChosen),
      changed: changed.filter(isChosen),
      removed: removed.filter(isChosen),
    })
    draft.changeRows(next.map((one) => ({ ...one, key: keys.get(one.name) ?? newKey() })))
    setNames(new Set())
  }
  if (all.length === 0)
    return (
      <Empty title="The same names and values">
        <p>Values of secrets are not compared.</p>
      </Empty>
    )
  return (
    <>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">In your draft</th>
            <th scope="col">There</th>
          </tr>
        </thead>
        <tbody>
          {all.map(({ name, from, to }) => {
            const isUnknown = to?.isSecret === true && to.value === MASK
            return (
              <tr key={name}>
                <th scope="row">
                  <label className={styles.choice}>
                    <input
                      type="checkbox"
                      checked={names.has(name)}
                      disabled={missing !== null || isUnknown}
                      onChange={() => toggle(name)}
                    />
                    <code>{visibleText(name)}</code>
                  </label>
                </th>
                <td>
                  <Side of={from} />
                </td>
                <td>
                  <Side of={to} />
                  {isUnknown && <span className="soft">: set its value yourself</span>}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <div className={styles.foot}>
        <Button missing={missing ?? (names.size === 0 ? 'No name is chosen' : null)} onClick={copy}>
          Copy {names.size || ''} into your draft
        </Button>
        <span className="soft">{untouched.length} are the same. Values of secrets are not compared.</span>
      </div>
    </>
  )
}

function Side({ of }: { of: Variable | undefined }) {
  if (!of) return <span className="soft">none</span>
  if (of.isSecret) return <span className="soft">a secret</span>
  return of.value === '' ? <span className="soft">empty</span> : <code>{visibleText(of.value)}</code>
}
