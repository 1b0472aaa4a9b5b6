import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useAccount, useMissing } from '../../account/session.tsx'
import { type Chosen, notReadable, packed, uploadSource } from '../../environment/upload.ts'
import { type Refusal, refusalOf } from '../../graphql/refusal.ts'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { useDraft } from '../../ui/draft.ts'
import { Form, FormActions } from '../../ui/form.tsx'
import { CreateApp, GitRepositories } from './documents.ts'
import { MoreSettings } from './more-settings.tsx'
import styles from './new-app.module.css'
import {
  type AppInput,
  appInputOf,
  atFields,
  DEFAULTS,
  type Fields,
  isAskable,
  type Source,
  suggestedName,
  variablesProblem,
} from './new-app-input.ts'
import { Plan } from './plan.tsx'
import { type Choices, SourceFields } from './source-fields.tsx'

/** Values of variables may be secret: they stay in memory, and are not kept over a reload. */
const heldVariables = new Map<string, string>()

const SUBMIT: Readonly<Record<Source, string>> = {
  image: 'Create and deploy',
  git: 'Create, build and deploy',
  upload: 'Create, upload and deploy',
  service: 'Create it',
}

/** The form of one source, with what it will create beside it. */
export function NewAppForm({ source, choices }: { source: Source; choices: Choices }) {
  const account = useAccount()
  const draftKey = `new-app.${account.id}.${source}`
  const [fields, setFields, clear] = useDraft<Fields>(draftKey, DEFAULTS[source])
  const [variables, setVariables] = useState(() => heldVariables.get(draftKey) ?? '')
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const missing = useMissing('app:change')
  const own = useData(GitRepositories, { variables: { accountId: account.id }, isPaused: source !== 'git' })
  const repositories = own.data?.gitRepositories?.repositories ?? []
  const input = appInputOf(source, fields, { accountId: account.id, repositories, variables })
  const creation = useCreation(source, chosen, () => {
    clear()
    heldVariables.delete(draftKey)
  })
  const refusal = atFields(creation.refusal, variables)

  const change = (changed: Fields) => setFields({ ...fields, ...suggested(fields, changed), ...changed })
  return (
    <div className={styles.layout}>
      <Form
        refusal={refusal}
        onSend={async () => {
          if (missing !== null || creation.isBusy) return false
          const wrong = variablesProblem(variables)
          if (wrong) creation.refuse(problemAt('appEnv.envVars', wrong))
          else if (source === 'upload' && !chosen)
            creation.refuse(problemAt('upload', 'Choose a folder or an archive first.'))
          else return creation.create(input)
          return false
        }}
      >
        <div className={styles.fields}>
          <SourceFields
            source={source}
            fields={fields}
            onChange={change}
            choices={choices}
            repositories={repositories}
            chosen={chosen}
            onChoose={(next) => {
              setChosen(next)
              creation.refuse(null)
              if (next && !fields.name) change({ name: next.name })
            }}
          />
          <MoreSettings
            source={source}
            fields={fields}
            onChange={change}
            choices={choices}
            variables={variables}
            onVariables={(text) => {
              setVariables(text)
              heldVariables.set(draftKey, text)
            }}
            refusal={refusal}
          />
        </div>
        <Plan source={source} fields={fields} input={isAskable(source, fields) ? input : null} choices={choices} />
        <FormActions>
          <Button kind="primary" type="submit" icon="rocket" isBusy={creation.isBusy} missing={missing}>
            {SUBMIT[source]}
          </Button>
          <span role="status" className="soft">
            {creation.step}
          </span>
          {creation.share !== null && (
            <progress className={styles.bar} value={creation.share} max={1} aria-label="Uploaded" />
          )}
        </FormActions>
      </Form>
    </div>
  )
}

/** The name follows what the app is made from, until a person writes one. */
function suggested(before: Fields, changed: Fields): Fields {
  for (const from of ['image', 'gitRepo'] as const) {
    const next = changed[from]
    if (next !== undefined && (!before.name || before.name === suggestedName(before[from] ?? '')))
      return { name: suggestedName(next) }
  }
  return {}
}

const problemAt = (field: string, message: string): Refusal =>
  refusalOf({ message, extensions: { code: 'INVALID_INPUT', fields: [{ field, message }] } })

/** Creates the app, uploads what there is to upload, and goes to the deployment. */
function useCreation(source: Source, chosen: Chosen | null, onCreated: () => void) {
  const { send, isSending, refusal } = useWrite(CreateApp)
  const [, navigate] = useLocation()
  const [step, setStep] = useState<string | null>(null)
  const [share, setShare] = useState<number | null>(null)
  const [other, setOther] = useState<Refusal | null>(null)
  /** Of an upload that was refused: the app is there, and the next try goes on with it. */
  const created = useRef<{ input: string; appEnvId: string; env: string } | null>(null)

  const createOnce = async (input: AppInput) => {
    const text = JSON.stringify(input)
    if (created.current?.input === text) return created.current
    const appEnv = (await send(input))?.createApp?.appEnv
    if (!appEnv) return null
    created.current = { input: text, appEnvId: appEnv.id, env: appEnv.cliEnvName }
    return created.current
  }
  const upload = async (input: AppInput) => {
    if (!chosen) return null
    setStep('Packing…')
    // Before anything is created: a file that cannot be read leaves nothing behind.
    const archive = await packed(chosen)
    setStep('Creating the app…')
    const env = await createOnce(input)
    if (!env) return null
    setStep('Uploading…')
    const refused = await uploadSource(env.appEnvId, archive, setShare)
    setOther(refused)
    return refused ? null : env
  }
  return {
    isBusy: isSending || step !== null,
    step,
    share,
    refusal: other ?? refusal,
    refuse: setOther,
    async create(input: AppInput): Promise<boolean> {
      setOther(null)
      try {
        const env = await (source === 'upload' ? upload(input) : createOnce(input))
        if (!env) return false
        onCreated()
        navigate(pathTo('deployments', { env: env.env }))
        return true
      } catch (error) {
        setOther(notReadable(error))
        return false
      } finally {
        setStep(null)
        setShare(null)
      }
    },
  }
}
