import { useState } from 'react'
import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useAccount, useMissing } from '../../account/session.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmWrite } from '../../ui/confirm-write.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Empty, Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { type Secret, SecretOnce } from '../../ui/secret-once.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { DeleteGitHook, GitHooks, RotateGitHookSecret } from './documents.ts'
import { GitDeliveryList } from './git-deliveries.tsx'
import { CreateGitHookForm, type GitHook, PROVIDERS, secretOf, UpdateGitHookForm, urlOf } from './git-hook-forms.tsx'

/** With what a git host tells Berth of pushes, and what came of each. */
export default function GitHooksScreen() {
  const { id: accountId, name } = useAccount()
  const missing = useMissing('gitHook:manage')
  const [isCreating, setCreating] = useState(false)
  // The list is read again with each, also while no events arrive.
  const [made, setMade] = useState(0)
  const [secret, setSecret] = useState<Secret | null>(null)
  const create = (
    <Button kind="primary" icon="plus" missing={missing} onClick={() => setCreating(true)}>
      New git hook
    </Button>
  )
  return (
    <Page
      title="Git hooks"
      within={name}
      about="A git host tells Berth of each push, and Berth deploys the environments that follow the branch."
      actions={create}
    >
      {secret && <SecretOnce secret={secret} onDone={() => setSecret(null)} />}
      <HookList key={made} accountId={accountId} create={create} onSecret={setSecret} />
      <GitDeliveryList accountId={accountId} />
      <Dialog title="New git hook" isOpen={isCreating} onClose={() => setCreating(false)}>
        <CreateGitHookForm
          accountId={accountId}
          onClose={() => setCreating(false)}
          onSecret={(given) => {
            setSecret(given)
            setMade(made + 1)
          }}
        />
      </Dialog>
    </Page>
  )
}

interface HookListProps {
  accountId: string
  create: React.ReactNode
  onSecret: (secret: Secret) => void
}

type Open = { what: 'change' | 'rotate' | 'delete'; gitHook: GitHook }

function HookList({ accountId, create, onSecret }: HookListProps) {
  const [after, setAfter] = useState<string | null>(null)
  const [open, setOpen] = useState<Open | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(GitHooks, {
    variables: { accountId, after },
    readAgainOn: ({ type }) => type === 'GIT_HOOK_CHANGED',
  })
  const list: ResultOf<typeof GitHooks>['gitHooks'] | undefined = data?.gitHooks
  const close = () => setOpen(null)
  return (
    <Section title="Hooks" isFlush>
      {isLoading && <Skeleton lines={3} />}
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {list && list.nodes.length === 0 && (
        <Empty title="No git hook yet" actions={create}>
          <p>
            Make one, and enter its URL and secret at GitHub, GitLab, Gitea or Forgejo. Pushes are deployed from then
            on.
          </p>
        </Empty>
      )}
      {list && list.nodes.length > 0 && (
        <Table
          label="Git hooks"
          rows={list.nodes}
          keyOf={({ id }) => id}
          columns={[
            { name: 'Name', kind: 'header', cell: ({ name }) => visibleText(name) },
            { name: 'Git host', cell: ({ provider }) => PROVIDERS[provider].label },
            {
              name: 'Deploys',
              cell: ({ appId, app }) =>
                app ? (
                  <Link href={pathTo('app', { appId: app.id })}>{visibleText(app.name)}</Link>
                ) : appId ? (
                  'An app that is gone'
                ) : (
                  'Every app'
                ),
            },
            {
              name: 'URL',
              cell: ({ path }) => <Copyable text={urlOf(path)} label="Copy the URL" />,
            },
            { name: 'Statuses of commits', cell: (gitHook) => <Statuses gitHook={gitHook} /> },
            {
              name: 'Actions',
              kind: 'actions',
              cell: (gitHook) => <HookMenu gitHook={gitHook} onOpen={(what) => setOpen({ what, gitHook })} />,
            },
          ]}
          more={{
            hasMore: list.pageInfo.hasNextPage,
            isLoading: isStale,
            onMore: () => setAfter(list.pageInfo.endCursor ?? null),
          }}
        />
      )}
      <Dialog
        title={`Change “${visibleText(open?.gitHook.name ?? '')}”`}
        isOpen={open?.what === 'change'}
        onClose={close}
      >
        {open && <UpdateGitHookForm gitHook={open.gitHook} onClose={close} />}
      </Dialog>
      {open?.what === 'rotate' && (
        <ConfirmWrite
          title={`New secret of “${visibleText(open.gitHook.name)}”`}
          isOpen
          onClose={close}
          mutation={RotateGitHookSecret}
          input={{ gitHookId: open.gitHook.id, expectedVersion: open.gitHook.version }}
          messageOf={() => undefined}
          action="Make a new secret"
          onDone={({ rotateGitHookSecret }) => {
            const { name, provider, path } = open.gitHook
            if (rotateGitHookSecret?.secret) onSecret(secretOf(name, provider, path, rotateGitHookSecret.secret))
          }}
        >
          <p>The former one proves deliveries for a while, too. Enter the new one at the git host before it ends.</p>
        </ConfirmWrite>
      )}
      {open?.what === 'delete' && (
        <ConfirmWrite
          title={`Delete “${visibleText(open.gitHook.name)}”`}
          isOpen
          onClose={close}
          mutation={DeleteGitHook}
          input={{ gitHookId: open.gitHook.id, expectedVersion: open.gitHook.version }}
          messageOf={({ deleteGitHook }) => deleteGitHook?.message}
          name={open.gitHook.name}
          action="Delete it"
          onDone={refetch}
        >
          <p>
            Deliveries to its URL are refused from then on: pushes are not deployed. Remove it at the git host, too.
          </p>
        </ConfirmWrite>
      )}
    </Section>
  )
}

function Statuses({ gitHook: { statusApiUrl, statusError, formerSecretUntil } }: { gitHook: GitHook }) {
  return (
    <>
      {statusError ? (
        <span className="bad">{visibleText(statusError)}</span>
      ) : statusApiUrl ? (
        'Sent'
      ) : (
        <span className="soft">Not sent</span>
      )}
      {formerSecretUntil && (
        <span className="soft">
          {' '}
          Former secret works: ends <Time at={formerSecretUntil} />
        </span>
      )}
    </>
  )
}

function HookMenu({ gitHook: { id, name }, onOpen }: { gitHook: GitHook; onOpen: (what: Open['what']) => void }) {
  const { slug } = useAccount()
  const missing = useMissing('gitHook:manage')
  const missingAudit = useMissing('audit:read')
  const here = pathTo('gitHooks', { account: slug })
  return (
    <Menu
      label={`Actions for ${visibleText(name)}`}
      icon="ellipsis"
      items={[
        { label: 'Its deliveries', icon: 'funnel', href: `${here}?hook=${id}` },
        { label: 'Change…', icon: 'pencil', missing, run: () => onOpen('change') },
        { label: 'New secret…', icon: 'refreshCw', missing, run: () => onOpen('rotate') },
        {
          label: 'Who changed it',
          icon: 'history',
          missing: missingAudit,
          href: `${pathTo('activity', { account: slug })}?target=${id}`,
        },
        { label: 'Delete…', icon: 'trash', isDanger: true, startsGroup: true, missing, run: () => onOpen('delete') },
      ]}
    />
  )
}
