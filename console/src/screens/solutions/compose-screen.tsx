import { useRef, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { parseDotenv } from '../../../../text/dotenv.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { lineOfPath } from '../../../../text/yaml-lines.ts'
import { useAccount, useMissing } from '../../account/session.tsx'
import type { ResultOf, VariablesOf } from '../../graphql/graphql.ts'
import type { Refusal } from '../../graphql/refusal.ts'
import { useData } from '../../graphql/use-data.ts'
import { type DryRun, useDryRun } from '../../graphql/use-dry-run.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { keep, useDraft } from '../../ui/draft.ts'
import { Form, FormActions, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { InstallCompose, PlanCompose, SolutionChoices } from './documents.ts'
import { costOfPlan, PlanGraph } from './plan-graph.tsx'
import { planOf } from './planned.ts'
import styles from './solutions.module.css'

type Choices = ResultOf<typeof SolutionChoices>
type Input = Omit<VariablesOf<typeof InstallCompose>['input'], 'idempotencyKey'>

interface Written {
  appName: string
  compose: string
  region: string
  gitRepo: string
  branch: string
  composeDir: string
}

const EMPTY: Written = { appName: '', compose: '', region: '', gitRepo: '', branch: '', composeDir: '' }

/** A compose file as it is: what each of its services becomes, and what is refused, by its place in the file. */
export default function ComposeScreen() {
  const account = useAccount()
  const { data, refusals, isLoading, refetch } = useData(SolutionChoices, { variables: { accountId: account.id } })
  return (
    <Page
      title="Compose file"
      within={account.name}
      about={
        <>
          Each service becomes an app. All of them share a network, on which they find each other by name. Or install a{' '}
          <Link href={pathTo('solutions', { account: account.slug })}>solution</Link>.
        </>
      }
    >
      {data ? (
        <ComposeForm choices={data} />
      ) : isLoading ? (
        <Skeleton lines={10} />
      ) : (
        refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />
      )}
    </Page>
  )
}

function inputOf(accountId: string, written: Written, variables: string, resumed: string | null): Input {
  const { appName, compose, region, gitRepo, branch, composeDir } = written
  const entries = parseDotenv(variables).entries.map(({ name, value }) => ({ key: name, value }))
  return {
    accountId,
    appName,
    compose,
    ...(region ? { region } : {}),
    ...(gitRepo ? { gitRepo } : {}),
    ...(branch ? { branch } : {}),
    ...(composeDir ? { composeDir } : {}),
    ...(entries.length > 0 ? { variables: entries } : {}),
    ...(resumed ? { installationId: resumed } : {}),
  }
}

function ComposeForm({ choices }: { choices: Choices }) {
  const account = useAccount()
  const [parameters] = useSearchParams()
  const resumed = parameters.get('resume')
  const draftKey = resumed ? `installation.${resumed}` : `compose.${account.id}`
  const [written, setWritten, clear] = useDraft<Written>(draftKey, {
    ...EMPTY,
    appName: parameters.get('name') ?? '',
  })
  // Values may be secret: they are in memory alone.
  const [variables, setVariables] = useState('')
  const [, navigate] = useLocation()
  const missing = useMissing('solution:install')
  const { send, isSending, refusal } = useWrite(InstallCompose)
  const area = useRef<HTMLDivElement>(null)
  const input = inputOf(account.id, written, variables, resumed)
  const dryRun = useDryRun(PlanCompose, written.appName.trim() && written.compose.trim() && !resumed ? input : null)
  const set = (name: keyof Written) => ({
    name,
    value: written[name],
    onChange: (event: { target: { value: string } }) => setWritten({ ...written, [name]: event.target.value }),
  })
  const goTo = (line: number) => {
    const field = area.current?.querySelector('textarea')
    if (field) selectLine(field, line)
  }
  const plan = dryRun.isCurrent ? planOf(dryRun.answer?.installCompose?.changes) : null
  const regions = choices.regions ?? []
  return (
    <>
      <div className={styles.layout}>
        <Form
          refusal={inComposeField(refusal)}
          onSend={async () => {
            if (missing !== null) return false
            const installation = (await send(input))?.installCompose?.installation
            if (!installation) return false
            // To resume it, the same has to be sent again.
            keep(`installation.${installation.id}`, written)
            if (!resumed) clear()
            navigate(pathTo('solutionInstallation', { account: account.slug, installationId: installation.id }))
            return true
          }}
        >
          <div className={styles.fields}>
            {resumed && (
              <p className="soft">
                What is ready stays as it is; what failed is deployed again. Send the same file and variables as the
                first time.
              </p>
            )}
            <TextField
              {...set('appName')}
              label="Name"
              required
              help="Of the main app; the others are called after it."
            />
            <ComposeText
              within={area}
              value={written.compose}
              onChange={(compose) => setWritten({ ...written, compose })}
            />
            <TextAreaField
              name="variables"
              label="Its variables"
              rows={4}
              value={variables}
              onChange={(event) => setVariables(event.target.value)}
              placeholder="POSTGRES_PASSWORD=…"
              help="Values for ${NAME} in the file, such as its .env: paste it."
            />
            {regions.length > 1 && (
              <SelectField
                {...set('region')}
                label="Region"
                required
                options={[
                  { value: '', label: 'Choose one' },
                  ...regions.map(({ code, name }) => ({ value: code, label: `${name} (${code})` })),
                ]}
              />
            )}
            <details className={styles.more} open={written.gitRepo !== '' || undefined}>
              <summary>Services that are built</summary>
              <div className="stack">
                <TextField
                  {...set('gitRepo')}
                  label="Repository"
                  placeholder="https://github.com/acme/shop"
                  help="In which the file lies. Services with build are built from it."
                />
                <TextField {...set('branch')} label="Branch" placeholder="main" />
                <TextField
                  {...set('composeDir')}
                  label="Folder of the file"
                  placeholder="deploy"
                  help="To which its build is relative. Empty: the root."
                />
              </div>
            </details>
          </div>
          {!resumed && (
            <div className={styles.beside}>
              <Verdict
                dryRun={dryRun}
                text={written.compose}
                cost={plan && costOfPlan(plan.components, choices)}
                noEffect={plan?.noEffect ?? []}
                onLine={goTo}
              />
            </div>
          )}
          <FormActions>
            <Button kind="primary" type="submit" icon="download" isBusy={isSending} missing={missing}>
              {resumed ? 'Go on with the installation' : 'Install it'}
            </Button>
          </FormActions>
        </Form>
      </div>
      {plan && (
        <Section title="What will be installed">
          <PlanGraph components={plan.components} presets={choices.databasePresets} />
        </Section>
      )}
    </>
  )
}

interface ComposeTextProps {
  value: string
  onChange: (text: string) => void
  within: React.RefObject<HTMLDivElement | null>
}

/** Typed, pasted, dropped, or chosen from a file. */
function ComposeText({ value, onChange, within }: ComposeTextProps) {
  const file = useRef<HTMLInputElement>(null)
  const take = async (files: FileList | null) => {
    const [first] = files ?? []
    if (first) onChange(await first.text())
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button and the field are the others
    <div
      ref={within}
      className="stack tight"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        if (event.dataTransfer.files.length === 0) return
        event.preventDefault()
        void take(event.dataTransfer.files)
      }}
    >
      <TextAreaField
        name="compose"
        label="Compose file"
        required
        rows={18}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        placeholder={'services:\n  web:\n    image: nginx:1.29\n    ports: ["8080:80"]'}
        help="Paste it, or drop a file here."
      />
      <div className="row">
        <Button icon="upload" onClick={() => file.current?.click()}>
          Choose a file
        </Button>
      </div>
      <input
        ref={file}
        type="file"
        hidden
        aria-label="A file"
        accept=".yml,.yaml,.txt"
        onChange={(event) => void take(event.target.files)}
      />
    </div>
  )
}

interface VerdictProps {
  dryRun: DryRun<unknown>
  text: string
  cost: string | null
  noEffect: readonly string[]
  onLine: (line: number) => void
}

/** What the API says of the file before anything is created. */
function Verdict({ dryRun, text, cost, noEffect, onLine }: VerdictProps) {
  const { refusal, isCurrent } = dryRun
  const problems = Object.entries(refusal?.fields ?? {})
  if (refusal)
    return (
      <Section title={problems.length > 0 ? `Refused: ${problems.length}` : 'Refused'}>
        <ul>
          {problems.map(([place, why]) => (
            <Problem key={place} place={place} why={why} text={text} onLine={onLine} />
          ))}
        </ul>
        {problems.length === 0 && <p>{visibleText(refusal.message)}</p>}
      </Section>
    )
  return (
    <Section title="Before you install">
      <div className="stack tight" role="status">
        {cost ? (
          <>
            <p className={styles.verdict}>
              <Icon name="circleCheck" className="good" />
              <span>Berth has checked it: all of it can be installed.</span>
            </p>
            <p>Costs: {cost}</p>
          </>
        ) : (
          <p className="soft">
            {isCurrent || text.trim() === ''
              ? 'Name the installation and paste a file. What it becomes, and what is refused, is shown before anything is created.'
              : 'Checking…'}
          </p>
        )}
        {noEffect.length > 0 && (
          <>
            <h3>Without effect</h3>
            <ul className={styles.list}>
              {noEffect.map((line) => (
                <li key={line}>{visibleText(line)}</li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Section>
  )
}

function Problem({
  place,
  why,
  text,
  onLine,
}: {
  place: string
  why: string
  text: string
  onLine: (line: number) => void
}) {
  const [field, ...path] = place.split('.')
  const [, named] = /\bon line (\d+)/.exec(why) ?? []
  const line = field !== 'compose' ? null : path.length > 0 ? lineOfPath(text, path) : named ? Number(named) : null
  const name = field === 'compose' ? path.join('.') || 'The file' : place
  return (
    <li className={styles.problem}>
      <Icon name="circleX" className="bad" />
      <div>
        <p>
          <code>{visibleText(name)}</code>{' '}
          {line !== null && (
            <Button kind="plain" onClick={() => onLine(line)}>
              Line {line}
            </Button>
          )}
        </p>
        <p>{visibleText(why)}</p>
      </div>
    </li>
  )
}

/** Problems of places in the file, and of single variables, at the fields that hold them. */
function inComposeField(refusal: Refusal | null): Refusal | null {
  if (!refusal) return null
  const fields: Record<string, string> = {}
  for (const [place, why] of Object.entries(refusal.fields)) {
    const [field = '', ...path] = place.split('.')
    const said = path.length > 0 ? `${path.join('.')} ${why}` : why
    fields[field] = [fields[field], said].filter(Boolean).join('; ')
  }
  return { ...refusal, fields }
}

function selectLine(field: HTMLTextAreaElement, line: number): void {
  const lines = field.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0)
  field.focus()
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  field.scrollTop = (field.scrollHeight / lines.length) * Math.max(0, line - 4)
}
