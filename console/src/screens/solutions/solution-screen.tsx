import { useRef, useState } from 'react'
import { Link, useLocation, useParams, useSearchParams } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useAccount, useMissing } from '../../account/session.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { useDryRun } from '../../graphql/use-dry-run.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { keep, readKept, useDraft } from '../../ui/draft.ts'
import { Form, FormActions, SelectField, TextField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Empty, Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { InstallSolution, PlanSolution, SolutionChoices } from './documents.ts'
import { Graph } from './graph.tsx'
import { costOfPlan, PlanGraph, presetName } from './plan-graph.tsx'
import { planOf } from './planned.ts'
import { defaultsOf, InputFields, sentInputs, type Values } from './solution-inputs.tsx'
import styles from './solutions.module.css'

type Choices = ResultOf<typeof SolutionChoices>
type Solution = NonNullable<Choices['solutions']>[number]

/** One solution: what it consists of, what it asks for, and what installing it will create. */
export default function SolutionScreen() {
  const account = useAccount()
  const { slug = '' } = useParams<{ slug: string }>()
  const { data, refusals, isLoading, refetch } = useData(SolutionChoices, { variables: { accountId: account.id } })
  const solution = data?.solutions?.find(({ solutionSlug }) => solutionSlug === slug)
  const back = <Link href={pathTo('solutions', { account: account.slug })}>All solutions</Link>
  if (!data || !solution)
    return (
      <Page title="Solution" within={account.name} about={back}>
        {isLoading ? (
          <Skeleton lines={8} />
        ) : refusals[0] ? (
          <Refused refusal={refusals[0]} onRetry={refetch} />
        ) : (
          <Empty title={`The catalogue has no solution “${visibleText(slug)}”`} actions={back} />
        )}
      </Page>
    )
  return (
    <Page title={solution.name} within={account.name} about={solution.description} actions={back}>
      <InstallForm solution={solution} choices={data} />
    </Page>
  )
}

interface Place {
  appName: string
  region: string
}

function InstallForm({ solution, choices }: { solution: Solution; choices: Choices }) {
  const account = useAccount()
  const [parameters] = useSearchParams()
  const resumed = parameters.get('resume')
  const { solutionSlug, name, inputs, components, requiresSandbox } = solution
  const open = inputs.filter(({ secret }) => !secret)
  const draftKey = resumed ? `installation.${resumed}` : `solution.${account.id}.${solutionSlug}`
  const [place, setPlace, clearPlace] = useDraft<Place>(`${draftKey}.place`, {
    appName: parameters.get('name') ?? solutionSlug,
    region: '',
  })
  const [values, setValues, clear] = useDraft<Values>(draftKey, defaultsOf(open))
  // Secrets are in memory alone.
  const [secrets, setSecrets] = useState<Values>({})
  const [, navigate] = useLocation()
  const missing = useMissing('solution:install')
  const { send, isSending, refusal } = useWrite(InstallSolution)
  const input = {
    accountId: account.id,
    solutionSlug,
    appName: place.appName,
    ...(place.region ? { region: place.region } : {}),
    inputs: sentInputs(inputs, { ...values, ...secrets }),
    ...(resumed ? { installationId: resumed } : {}),
  }
  const isAskable = inputs.every(({ name: each, required }) => !required || { ...values, ...secrets }[each])
  const dryRun = useDryRun(PlanSolution, isAskable && place.appName.trim() && !resumed ? input : null)
  const planned = planOf(dryRun.answer?.installSolution?.changes)
  // While the API is asked again, the plan before stays: the page does not jump with each letter.
  const before = useRef(planned)
  if (planned) before.current = planned
  const plan = planned ?? (dryRun.isAsking ? before.current : null)
  const regions = choices.regions ?? []
  return (
    <>
      <Section title={plan && dryRun.isCurrent ? 'What will be installed' : 'What it consists of'}>
        {plan ? (
          <PlanGraph components={plan.components} presets={choices.databasePresets} />
        ) : (
          <Graph components={components} nameOf={(component) => component.name} height={64}>
            {(component) => (
              <>
                <p>
                  <b>{component.name}</b>
                </p>
                <p className="soft">
                  {component.dockerPreset === 'CUSTOM'
                    ? 'An app, from its image'
                    : presetName(component.dockerPreset, choices.databasePresets)}
                </p>
              </>
            )}
          </Graph>
        )}
      </Section>
      <div className={styles.layout}>
        <Form
          refusal={refusal}
          onSend={async () => {
            if (missing !== null) return false
            const installation = (await send(input))?.installSolution?.installation
            if (!installation) return false
            // To resume it, the same has to be sent again.
            keep(`installation.${installation.id}`, values)
            keep(`installation.${installation.id}.place`, place)
            if (!resumed) {
              clear()
              clearPlace()
            }
            navigate(pathTo('solutionInstallation', { account: account.slug, installationId: installation.id }))
            return true
          }}
        >
          <div className={styles.fields}>
            {resumed && (
              <p className="soft">
                What is ready stays as it is; what failed is deployed again. Send the same inputs as the first time
                {readKept(draftKey) ? ', which are filled in but for secrets' : ''}.
              </p>
            )}
            <TextField
              name="appName"
              label="Name"
              required
              value={place.appName}
              onChange={(event) => setPlace({ ...place, appName: event.target.value })}
              help={components.length > 1 ? 'Of the main app; the others are called after it.' : undefined}
            />
            {regions.length > 1 && (
              <SelectField
                name="region"
                label="Region"
                required
                value={place.region}
                onChange={(event) => setPlace({ ...place, region: event.target.value })}
                options={[
                  { value: '', label: 'Choose one' },
                  ...regions.map(({ code, name: region }) => ({ value: code, label: `${region} (${code})` })),
                ]}
              />
            )}
            <InputFields
              inputs={inputs}
              values={{ ...values, ...secrets }}
              onChange={(changed) => {
                const [each = ''] = Object.keys(changed)
                if (open.some((one) => one.name === each)) setValues({ ...values, ...changed })
                else setSecrets({ ...secrets, ...changed })
              }}
            />
            {requiresSandbox && (
              <p className="soft">
                {name} needs the entitlement SANDBOX of the account and a region that is ready for it.
              </p>
            )}
          </div>
          {!resumed && (
            <div className={styles.beside}>
              <Section title="Before you install">
                <div className="stack tight" role="status">
                  {plan && dryRun.isCurrent ? (
                    <>
                      <p className={styles.verdict}>
                        <Icon name="circleCheck" className="good" />
                        <span>Berth has checked it.</span>
                      </p>
                      <p>Costs: {costOfPlan(plan.components, choices)}</p>
                    </>
                  ) : dryRun.refusal ? (
                    <p>Not yet: {visibleText(dryRun.refusal.message)}</p>
                  ) : (
                    <p className="soft">
                      {isAskable ? 'Checking…' : 'Fill in what is required, and it says here what it costs.'}
                    </p>
                  )}
                </div>
              </Section>
            </div>
          )}
          <FormActions>
            <Button kind="primary" type="submit" icon="download" isBusy={isSending} missing={missing}>
              {resumed ? 'Go on with the installation' : `Install ${name}`}
            </Button>
          </FormActions>
        </Form>
      </div>
    </>
  )
}
