import { useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { EnvironmentNames } from '../../account/member-documents.ts'
import { useMissing, useSession } from '../../account/session.tsx'
import { nameOf } from '../../environment/environment-text.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmWrite } from '../../ui/confirm-write.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Filters, SelectFilter } from '../../ui/filters.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Empty, Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { type Secret, SecretOnce } from '../../ui/secret-once.tsx'
import { Table } from '../../ui/table.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { useParameters } from '../../ui/use-parameters.ts'
import { Authorizations, RevokeAuthorization, RevokeToken, Tokens } from './documents.ts'
import { CreateTokenForm, RotateTokenForm } from './token-forms.tsx'
import { KINDS, ScopeWords, scopeNames } from './token-words.tsx'

type Token = NonNullable<ResultOf<typeof Tokens>['tokens']>['nodes'][number]

/** With what programs call in one’s name, or in that of an environment. */
export default function TokensScreen() {
  const { me, account } = useSession()
  const [parameters, set] = useParameters()
  const appEnvId = parameters.get('env')
  // Of another user, for the installation’s admin.
  const userId = parameters.get('user')
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<Secret | null>(null)
  // Tokens of a person raise no events of an account.
  const [made, setMade] = useState(0)
  const { data } = useData(EnvironmentNames, {
    variables: { accountId: account?.id ?? '' },
    isPaused: account === null,
  })
  const environments = data?.appEnvs?.nodes ?? []
  return (
    <Page
      title="Tokens and applications"
      within={me.username}
      about="With a token, a program does what you may do, or less. Say who has one by its name."
      actions={
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          New token
        </Button>
      }
    >
      {secret && <SecretOnce secret={secret} onDone={() => setSecret(null)} />}
      <Filters>
        <SelectFilter
          label="Tokens of"
          value={appEnvId ?? userId ?? ''}
          onChange={(value) => set({ env: value.startsWith('env_') ? value : null, user: null })}
          options={[
            { value: '', label: `${me.username} (you)` },
            ...(userId ? [{ value: userId, label: userId }] : []),
            ...environments.map((environment) => ({ value: environment.id, label: nameOf(environment) })),
          ]}
        />
      </Filters>
      <TokenList key={`${userId} ${appEnvId} ${made}`} userId={userId} appEnvId={appEnvId} onSecret={setSecret} />
      {!appEnvId && <AuthorizationList key={userId} userId={userId} />}
      <Section title="What the scopes allow">
        <ScopeWords />
      </Section>
      <Dialog title="New token" isOpen={isCreating} onClose={() => setCreating(false)}>
        <CreateTokenForm
          environments={environments}
          appEnvId={appEnvId}
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

interface TokenListProps {
  userId: string | null
  appEnvId: string | null
  onSecret: (secret: Secret) => void
}

function TokenList({ userId, appEnvId, onSecret }: TokenListProps) {
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(Tokens, {
    variables: { userId, appEnvId, after },
    readAgainOn: ({ type }) => type.startsWith('TOKEN_'),
  })
  const [open, setOpen] = useState<{ what: 'revoke' | 'rotate'; token: Token } | null>(null)
  const list = data?.tokens
  const close = () => setOpen(null)
  return (
    <Section title="Tokens" isFlush>
      {isLoading && <Skeleton lines={4} />}
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {list && list.nodes.length === 0 && (
        <Empty title="No token yet">
          <p>
            Scripts, CI and the command line sign in with a token. It can be narrowed, ends by itself, and is revoked at
            once.
          </p>
        </Empty>
      )}
      {list && list.nodes.length > 0 && (
        <Table
          label="Tokens"
          rows={list.nodes}
          keyOf={({ id }) => id}
          columns={[
            { name: 'Name', kind: 'header', cell: ({ name }) => visibleText(name) },
            { name: 'May do', cell: (token) => <Kind token={token} /> },
            { name: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
            { name: 'Ends', cell: (token) => <End token={token} /> },
            { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              name: 'Actions',
              kind: 'actions',
              cell: (token) =>
                !token.revokedAt && (
                  <TokenMenu token={token} isOfUser={userId === null} onOpen={(what) => setOpen({ what, token })} />
                ),
            },
          ]}
          more={{
            hasMore: list.pageInfo.hasNextPage,
            isLoading: isStale,
            onMore: () => setAfter(list.pageInfo.endCursor ?? null),
          }}
        />
      )}
      {open?.what === 'revoke' && (
        <ConfirmWrite
          title={`Revoke the token “${visibleText(open.token.name)}”`}
          isOpen
          onClose={close}
          mutation={RevokeToken}
          input={{ tokenId: open.token.id }}
          messageOf={({ revokeToken }) => revokeToken?.message}
          action="Revoke it"
          onDone={refetch}
        >
          <p>
            It stops working at once, and so does every token and invitation that was made with it.{' '}
            {open.token.lastUsedAt ? (
              <>
                It was last used <Time at={open.token.lastUsedAt} />.
              </>
            ) : (
              'It was never used.'
            )}
          </p>
        </ConfirmWrite>
      )}
      <Dialog
        title={`New secret of “${visibleText(open?.token.name ?? '')}”`}
        isOpen={open?.what === 'rotate'}
        onClose={close}
      >
        {open && (
          <RotateTokenForm
            tokenId={open.token.id}
            name={open.token.name}
            onClose={close}
            onSecret={(secret) => {
              onSecret(secret)
              refetch()
            }}
          />
        )}
      </Dialog>
    </Section>
  )
}

interface TokenMenuProps {
  token: Token
  isOfUser: boolean
  onOpen: (what: 'revoke' | 'rotate') => void
}

function TokenMenu({ token, isOfUser, onOpen }: TokenMenuProps) {
  const missingManage = useMissing('token:manage')
  const missing = token.kind === 'ENVIRONMENT' ? missingManage : null
  return (
    <Menu
      label={`Actions for the token ${visibleText(token.name)}`}
      icon="ellipsis"
      items={[
        {
          label: 'New secret…',
          icon: 'refreshCw',
          missing: missing ?? (isOfUser ? null : 'Only its user may'),
          run: () => onOpen('rotate'),
        },
        { label: 'Revoke…', icon: 'trash', isDanger: true, missing, run: () => onOpen('revoke') },
      ]}
    />
  )
}

function Kind({ token: { kind, scopes, appEnv } }: { token: Token }) {
  if (kind === 'SCOPED') return <>{scopeNames(scopes)}</>
  if (kind === 'ENVIRONMENT') return <>Operate {appEnv ? nameOf(appEnv) : 'an environment'}</>
  return <>{KINDS.USER.label}</>
}

function End({ token: { expiresAt, revokedAt } }: { token: Token }) {
  const present = useNow()
  if (revokedAt)
    return (
      <span className="soft">
        Revoked <Time at={revokedAt} />
      </span>
    )
  if (!expiresAt) return <>Never</>
  if (Date.parse(expiresAt) < present)
    return (
      <span className="soft">
        Ended <Time at={expiresAt} />
      </span>
    )
  return <Time at={expiresAt} />
}

type Authorization = NonNullable<ResultOf<typeof Authorizations>['authorizations']>['nodes'][number]

function AuthorizationList({ userId }: { userId: string | null }) {
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(Authorizations, { variables: { userId, after } })
  const [revoked, setRevoked] = useState<Authorization | null>(null)
  const list = data?.authorizations
  return (
    <Section title="Applications" isFlush>
      {isLoading && <Skeleton lines={2} />}
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {list && list.nodes.length === 0 && (
        <Empty title="No application acts for you">
          <p>An application that asks for it by OAuth, such as an assistant over MCP, appears here once you agreed.</p>
        </Empty>
      )}
      {list && list.nodes.length > 0 && (
        <Table
          label="Applications"
          rows={list.nodes}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Application',
              kind: 'header',
              cell: ({ clientName }) => (
                <>
                  {visibleText(clientName)}{' '}
                  <span className="soft">
                    <Icon name="unknown" /> it gave itself this name
                  </span>
                </>
              ),
            },
            { name: 'May do', cell: ({ scopes }) => scopeNames(scopes) },
            { name: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
            {
              name: 'Ends',
              cell: ({ status, expiresAt }) =>
                status === 'ACTIVE' ? <Time at={expiresAt} /> : status === 'REVOKED' ? 'Revoked' : 'Ended',
            },
            { name: 'Agreed', cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              name: 'Actions',
              kind: 'actions',
              cell: (authorization) =>
                authorization.status === 'ACTIVE' && <Button onClick={() => setRevoked(authorization)}>Revoke…</Button>,
            },
          ]}
          more={{
            hasMore: list.pageInfo.hasNextPage,
            isLoading: isStale,
            onMore: () => setAfter(list.pageInfo.endCursor ?? null),
          }}
        />
      )}
      {revoked && (
        <ConfirmWrite
          title={`Revoke “${visibleText(revoked.clientName)}”`}
          isOpen
          onClose={() => setRevoked(null)}
          mutation={RevokeAuthorization}
          input={{ authorizationId: revoked.id }}
          messageOf={({ revokeAuthorization }) => revokeAuthorization?.message}
          action="Revoke it"
          onDone={refetch}
        >
          <p>Its access tokens stop working at once, with all that was made with them. It has to ask you again.</p>
        </ConfirmWrite>
      )}
    </Section>
  )
}
