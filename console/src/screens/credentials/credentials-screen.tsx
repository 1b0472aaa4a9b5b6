import { useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { useAccount, useMissing } from '../../account/session.tsx'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Empty, Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { CreateCredentialForm, UpdateCredentialForm } from './credential-forms.tsx'
import { DeleteCredentialDialog, UsageDialog } from './credential-usage.tsx'
import { type Credential, TYPES } from './credential-words.ts'
import { Credentials, TestCredential } from './documents.ts'

/** Logins that apps, builds and backups refer to. */
export default function CredentialsScreen() {
  const { id: accountId, name } = useAccount()
  const missing = useMissing('credential:manage')
  const [isCreating, setCreating] = useState(false)
  // The list is read again with each, also while no events arrive.
  const [made, setMade] = useState(0)
  const create = (
    <Button kind="primary" icon="plus" missing={missing} onClick={() => setCreating(true)}>
      New credential
    </Button>
  )
  return (
    <Page
      title="Credentials"
      within={name}
      about="Logins of registries and storage. Berth stores them encrypted, and never shows their secrets again."
      actions={create}
    >
      <List key={made} accountId={accountId} create={create} />
      <Dialog title="New credential" isOpen={isCreating} onClose={() => setCreating(false)}>
        <CreateCredentialForm
          accountId={accountId}
          onClose={() => setCreating(false)}
          onDone={() => setMade(made + 1)}
        />
      </Dialog>
    </Page>
  )
}

type Open = { what: 'change' | 'delete' | 'usage'; credential: Credential }

function List({ accountId, create }: { accountId: string; create: React.ReactNode }) {
  const [after, setAfter] = useState<string | null>(null)
  const [open, setOpen] = useState<Open | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(Credentials, {
    variables: { accountId, after },
    readAgainOn: ({ type }) => type === 'CREDENTIAL_CHANGED',
  })
  const test = useWrite(TestCredential)
  const list = data?.credentials
  const close = () => setOpen(null)
  const [failure, setFailure] = useState<string | null>(null)
  const tryIt = async (credentialId: string) => {
    setFailure(null)
    const answer = await test.send({ credentialId })
    if (!answer?.testCredential) return
    const { accepted, message } = answer.testCredential
    if (accepted) say(message)
    else setFailure(message)
  }
  if (isLoading) return <Skeleton lines={6} />
  return (
    <Section title={list ? `${list.totalCount} in this account` : 'In this account'} isFlush>
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {test.refusal && <Refused refusal={test.refusal} />}
      {failure && <Failure text={failure} />}
      {list && list.nodes.length === 0 && (
        <Empty title="No credential yet" actions={create}>
          <p>With one, apps pull images of a private registry, and backups are stored in a bucket of yours.</p>
        </Empty>
      )}
      {list && list.nodes.length > 0 && (
        <Table
          label="Credentials"
          rows={list.nodes}
          keyOf={({ id }) => id}
          columns={[
            { name: 'Name', kind: 'header', cell: ({ name }) => visibleText(name) },
            { name: 'Type', cell: ({ type }) => TYPES[type].label },
            { name: 'Login', cell: ({ data: parts }) => <Parts parts={parts} /> },
            { name: 'Default', cell: ({ isDefault }) => (isDefault ? 'Yes' : null) },
            {
              name: 'Accepted',
              cell: ({ type, checkedAt }) =>
                checkedAt ? (
                  <Time at={checkedAt} />
                ) : (
                  TYPES[type].canBeTested && <span className="soft">Not tested, or refused</span>
                ),
            },
            { name: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
            {
              name: 'Actions',
              kind: 'actions',
              cell: (credential) => (
                <Actions
                  credential={credential}
                  onTest={() => tryIt(credential.id)}
                  onOpen={(what) => setOpen({ what, credential })}
                />
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
      <Dialog
        title={`Change “${visibleText(open?.credential.name ?? '')}”`}
        isOpen={open?.what === 'change'}
        onClose={close}
      >
        {open && <UpdateCredentialForm credential={open.credential} onClose={close} />}
      </Dialog>
      {open?.what === 'usage' && <UsageDialog credential={open.credential} onClose={close} />}
      {open?.what === 'delete' && (
        <DeleteCredentialDialog credential={open.credential} onClose={close} onDone={refetch} />
      )}
    </Section>
  )
}

/** The registry’s own word: it was asked, and did not accept the login. */
const Failure = ({ text }: { text: string }) => (
  <p className="bad" role="alert">
    {visibleText(text)}
  </p>
)

function Parts({ parts }: { parts: Credential['data'] }) {
  return (
    <>
      {parts.map(({ key, value }) => (
        <span key={key} className="mono">
          {visibleText(value)}{' '}
        </span>
      ))}
    </>
  )
}

interface ActionsProps {
  credential: Credential
  onTest: () => void
  onOpen: (what: Open['what']) => void
}

function Actions({ credential: { id, name, type }, onTest, onOpen }: ActionsProps) {
  const { slug } = useAccount()
  const missing = useMissing('credential:manage')
  const missingAudit = useMissing('audit:read')
  return (
    <Menu
      label={`Actions for ${visibleText(name)}`}
      icon="ellipsis"
      items={[
        { label: 'What uses it', icon: 'link', run: () => onOpen('usage') },
        ...(TYPES[type].canBeTested ? [{ label: 'Test', icon: 'check' as const, missing, run: onTest }] : []),
        { label: 'Change…', icon: 'pencil', missing, run: () => onOpen('change') },
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
