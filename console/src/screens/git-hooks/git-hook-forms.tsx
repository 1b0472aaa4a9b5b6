import { useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Form, FormActions, SelectField, TextField } from '../../ui/form.tsx'
import type { Secret } from '../../ui/secret-once.tsx'
import { say } from '../../ui/toast.tsx'
import { AppNames, CreateGitHook, type GitHooks, UpdateGitHook } from './documents.ts'

export type GitHook = NonNullable<ResultOf<typeof GitHooks>['gitHooks']>['nodes'][number]
export type Provider = GitHook['provider']

export const PROVIDERS: Readonly<Record<Provider, { label: string; where: string; api: string }>> = {
  GITHUB: {
    label: 'GitHub',
    where: 'Repository, Settings, Webhooks: content type application/json; the events “push” and “pull request”.',
    api: 'https://api.github.com',
  },
  GITLAB: {
    label: 'GitLab',
    where: 'Project, Settings, Webhooks: the secret token; push and merge request events.',
    api: 'https://gitlab.example.com/api/v4',
  },
  GITEA: {
    label: 'Gitea or Forgejo',
    where: 'Repository, Settings, Webhooks, Gitea: content type application/json; push and pull request events.',
    api: 'https://git.example.com/api/v1',
  },
}

/** What the git host sends to: the API has the address of this page. */
export const urlOf = (path: string): string => `${location.origin}${path}`

export function secretOf(name: string, provider: Provider, path: string, secret: string): Secret {
  const url = urlOf(path)
  return {
    title: `Secret of the git hook “${visibleText(name)}”`,
    value: secret,
    about: (
      <div className="stack tight">
        <p>
          Enter it at the git host, with this URL: <Copyable text={url} label="Copy the URL" />
        </p>
        <p className="soft">{PROVIDERS[provider].where}</p>
      </div>
    ),
  }
}

interface CreateGitHookProps {
  accountId: string
  onClose: () => void
  onSecret: (secret: Secret) => void
}

export function CreateGitHookForm({ accountId, onClose, onSecret }: CreateGitHookProps) {
  const { send, isSending, refusal } = useWrite(CreateGitHook)
  const { data } = useData(AppNames, { variables: { accountId } })
  const [provider, setProvider] = useState<Provider>('GITHUB')
  return (
    <Form
      draftKey={`git-hook.${accountId}`}
      refusal={refusal}
      onSend={async ({ name = '', appId = '', ...fields }) => {
        const answer = await send({ accountId, name, provider, ...(appId ? { appId } : {}), ...statusOf(fields) })
        if (!answer?.createGitHook) return false
        const { secret, gitHook } = answer.createGitHook
        onClose()
        onSecret(secretOf(name, provider, gitHook?.path ?? '', secret ?? ''))
        return true
      }}
    >
      <TextField name="name" label="Name" required autoFocus placeholder="Repositories of the shop" />
      <SelectField
        name="provider"
        label="Git host"
        value={provider}
        onChange={(event) => setProvider(event.target.value as Provider)}
        options={Object.entries(PROVIDERS).map(([value, { label }]) => ({ value, label }))}
      />
      <SelectField
        name="appId"
        label="Deploys"
        options={[
          { value: '', label: 'Every app of the account' },
          ...(data?.apps?.nodes ?? []).map(({ id, name }) => ({ value: id, label: `Only ${visibleText(name)}` })),
        ]}
        help="Of those, the environments whose automatic deployment is on, when their branch is pushed to."
      />
      <StatusFields provider={provider} />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Create it
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}

/** For commits that show at the git host how their deployment went. */
function StatusFields({ provider, known = '' }: { provider: Provider; known?: string }) {
  return (
    <>
      <TextField
        name="statusApiUrl"
        label="API of the git host, for statuses of commits"
        type="url"
        defaultValue={known}
        placeholder={PROVIDERS[provider].api}
        help="Optional, together with the token: commits that are deployed get a status there."
      />
      <TextField
        name="statusToken"
        label="Token of the git host that may set statuses"
        type="password"
        autoComplete="new-password"
        help="It is stored encrypted, and sent to that API alone."
      />
    </>
  )
}

const statusOf = ({ statusApiUrl = '', statusToken = '' }: Readonly<Record<string, string>>) => ({
  ...(statusApiUrl ? { statusApiUrl } : {}),
  ...(statusToken ? { statusToken } : {}),
})

export function UpdateGitHookForm({ gitHook, onClose }: { gitHook: GitHook; onClose: () => void }) {
  const { send, isSending, refusal } = useWrite(UpdateGitHook)
  // What it was when the form was opened: a later change must not pass for this one.
  const [before] = useState(gitHook)
  return (
    <Form
      refusal={refusal}
      onSend={async ({ name = '', statusApiUrl = '', statusToken = '' }) => {
        const isMoved = statusApiUrl !== (before.statusApiUrl ?? '')
        const answer = await send({
          gitHookId: before.id,
          expectedVersion: before.version,
          name,
          ...(isMoved ? { statusApiUrl: statusApiUrl || null } : {}),
          ...(statusToken ? { statusToken } : isMoved && !statusApiUrl ? { statusToken: null } : {}),
        })
        if (!answer?.updateGitHook) return false
        say(`“${name}” is changed`)
        onClose()
        return true
      }}
    >
      <TextField name="name" label="Name" required autoFocus defaultValue={before.name} />
      <StatusFields provider={before.provider} known={before.statusApiUrl ?? ''} />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Change it
        </Button>
        <Button onClick={onClose}>Leave it</Button>
      </FormActions>
    </Form>
  )
}
