import { useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { Session } from '../../account/documents.ts'
import { EnvironmentNames } from '../../account/member-documents.ts'
import { ofAnyRole, ROLES, roleText, sentence } from '../../account/permission-words.ts'
import { useAccount, useMissing, useSession } from '../../account/session.tsx'
import { client } from '../../graphql/client.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { ConfirmWrite } from '../../ui/confirm-write.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, FormActions, SelectField, TextField } from '../../ui/form.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Empty, Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { type Secret, SecretOnce } from '../../ui/secret-once.tsx'
import { wordsOf } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { formatTime, Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import {
  ChangeMember,
  Invitations,
  Invite,
  LeaveAccount,
  Members,
  RemoveMember,
  RevokeInvitation,
  TransferAccount,
} from './documents.ts'
import { MemberFields, membershipOf } from './member-fields.tsx'
import styles from './members.module.css'

type Member = NonNullable<ResultOf<typeof Members>['members']>['nodes'][number]
type Invitation = NonNullable<ResultOf<typeof Invitations>['invitations']>['nodes'][number]

const readSessionAgain = () => client.query(Session, {}, { requestPolicy: 'network-only' }).toPromise()

/** Who may do what in the account, and who is invited. */
export default function MembersScreen() {
  const { id: accountId, name, slug } = useAccount()
  const { me } = useSession()
  const missing = useMissing('member:manage')
  const missingAudit = useMissing('audit:read')
  const [isInviting, setInviting] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  // Its list is read again with each, also while no events arrive.
  const [invited, setInvited] = useState(0)
  const [link, setLink] = useState<Secret | null>(null)
  const isMember = me.memberships.some(({ account }) => account.id === accountId)
  return (
    <Page
      title="Members"
      within={name}
      actions={
        <>
          <LinkButton icon="history" href={pathTo('activity', { account: slug })} missing={missingAudit}>
            Who changed what
          </LinkButton>
          {isMember && (
            <Button icon="logOut" onClick={() => setLeaving(true)}>
              Leave…
            </Button>
          )}
          <Button kind="primary" icon="plus" missing={missing} onClick={() => setInviting(true)}>
            Invite
          </Button>
        </>
      }
    >
      {link && <SecretOnce secret={link} onDone={() => setLink(null)} />}
      <MemberList accountId={accountId} />
      {missing === null && <InvitationList key={invited} accountId={accountId} />}
      <RoleWords />
      <Dialog title={`Invite to ${visibleText(name)}`} isOpen={isInviting} onClose={() => setInviting(false)}>
        <InviteForm
          accountId={accountId}
          onClose={() => setInviting(false)}
          onLink={(made) => {
            setLink(made)
            setInvited(invited + 1)
          }}
        />
      </Dialog>
      <ConfirmWrite
        title={`Leave ${visibleText(name)}`}
        isOpen={isLeaving}
        onClose={() => setLeaving(false)}
        mutation={LeaveAccount}
        input={{ accountId }}
        messageOf={({ leaveAccount }) => leaveAccount?.message}
        name={name}
        action="Leave it"
        onDone={() => location.assign(pathToHome())}
      >
        <p>You lose all access to it at once. An admin can invite you again.</p>
      </ConfirmWrite>
    </Page>
  )
}

const pathToHome = () => '/console/'

function MemberList({ accountId }: { accountId: string }) {
  const { me } = useSession()
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(Members, {
    variables: { accountId, after },
    readAgainOn: ({ type }) => type === 'MEMBER_CHANGED' || type === 'INVITATION_CHANGED',
  })
  const list = data?.members
  const environmentName = useEnvironmentNames(accountId, list?.nodes.some(({ appEnvIds }) => appEnvIds) ?? false)
  if (isLoading) return <Skeleton lines={6} />
  return (
    <Section title={list ? `${list.totalCount} with access` : 'With access'} isFlush>
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      <Table
        label="Members"
        rows={list?.nodes ?? []}
        keyOf={({ userId }) => userId}
        columns={[
          {
            name: 'Person',
            kind: 'header',
            cell: ({ user, email, userId }) => (
              <>
                {visibleText(user?.username ?? email)}
                {userId === me.id && <span className="soft"> (you)</span>}
              </>
            ),
          },
          { name: 'E-mail', cell: ({ email }) => visibleText(email) },
          { name: 'Roles', cell: ({ roles }) => roles.map(wordsOf).join(', ') },
          { name: 'Environments', cell: ({ appEnvIds }) => <Restricted ids={appEnvIds} nameOf={environmentName} /> },
          { name: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            name: 'Actions',
            kind: 'actions',
            cell: (member) => <MemberMenu accountId={accountId} member={member} onChanged={refetch} />,
          },
        ]}
        more={
          list && {
            hasMore: list.pageInfo.hasNextPage,
            isLoading: isStale,
            onMore: () => setAfter(list.pageInfo.endCursor ?? null),
          }
        }
      />
    </Section>
  )
}

/** Names by id; read only where some are shown. */
function useEnvironmentNames(accountId: string, isNeeded: boolean): (id: string) => string {
  const { data } = useData(EnvironmentNames, { variables: { accountId }, isPaused: !isNeeded })
  const names = new Map((data?.appEnvs?.nodes ?? []).map(({ id, cliEnvName }) => [id, cliEnvName]))
  return (id) => names.get(id) ?? id
}

function Restricted({ ids, nameOf }: { ids: readonly string[] | null; nameOf: (id: string) => string }) {
  if (ids === null) return <>All</>
  if (ids.length === 0) return <>None</>
  return <>{ids.map((id) => visibleText(nameOf(id))).join(', ')}</>
}

interface MemberMenuProps {
  accountId: string
  member: Member
  onChanged: () => void
}

function MemberMenu({ accountId, member, onChanged }: MemberMenuProps) {
  const { me, account } = useSession()
  const [open, setOpen] = useState<'change' | 'remove' | 'transfer' | null>(null)
  const missing = useMissing('member:manage')
  const missingTransfer = useMissing('account:transfer')
  const { userId, email, user, roles, appEnvIds } = member
  const name = user?.username ?? email
  const close = () => setOpen(null)
  return (
    <>
      <Menu
        label={`Actions for ${visibleText(name)}`}
        icon="ellipsis"
        items={[
          { label: 'Change roles…', icon: 'pencil', missing, run: () => setOpen('change') },
          {
            label: 'What they changed',
            icon: 'history',
            href: `${pathTo('activity', { account: account?.slug ?? '' })}?actor=${userId}`,
          },
          {
            label: 'Hand the account over…',
            icon: 'arrowRight',
            missing: userId === me.id ? 'The account is yours already' : missingTransfer,
            startsGroup: true,
            run: () => setOpen('transfer'),
          },
          { label: 'Remove…', icon: 'trash', isDanger: true, missing, run: () => setOpen('remove') },
        ]}
      />
      <Dialog title={`Roles of ${visibleText(name)}`} isOpen={open === 'change'} onClose={close}>
        <ChangeForm
          accountId={accountId}
          userId={userId}
          roles={roles}
          appEnvIds={appEnvIds}
          onClose={close}
          onChanged={onChanged}
        />
      </Dialog>
      <ConfirmWrite
        title={`Remove ${visibleText(name)}`}
        isOpen={open === 'remove'}
        onClose={close}
        mutation={RemoveMember}
        input={{ accountId, userId }}
        messageOf={({ removeMember }) => removeMember?.message}
        name={email}
        action="Remove them"
        onDone={onChanged}
      >
        <p>
          They lose all access to the account at once. So do tokens of environments and invitations that they made: what
          uses those stops working.
        </p>
      </ConfirmWrite>
      <ConfirmWrite
        title={`Hand the account over to ${visibleText(name)}`}
        isOpen={open === 'transfer'}
        onClose={close}
        mutation={TransferAccount}
        input={{ accountId, userId }}
        messageOf={({ transferAccount }) => transferAccount?.message}
        name={account?.name ?? ''}
        action="Hand it over"
        onDone={() => {
          onChanged()
          void readSessionAgain()
        }}
      >
        <p>
          {visibleText(name)} becomes its admin, for all of it, and you cease to be one: only they can undo that. You
          keep your other roles, or become technical where you have none.
        </p>
      </ConfirmWrite>
    </>
  )
}

interface ChangeFormProps extends Pick<Member, 'userId' | 'roles' | 'appEnvIds'> {
  accountId: string
  onClose: () => void
  onChanged: () => void
}

function ChangeForm({ accountId, userId, roles, appEnvIds, onClose, onChanged }: ChangeFormProps) {
  const { me } = useSession()
  const { send, isSending, refusal } = useWrite(ChangeMember)
  return (
    <Form
      refusal={refusal}
      onSend={async (fields) => {
        const answer = await send({ accountId, userId, ...membershipOf(fields) })
        if (!answer?.updateMember) return false
        say('The roles are changed')
        onChanged()
        if (userId === me.id) void readSessionAgain()
        onClose()
        return true
      }}
    >
      <MemberFields accountId={accountId} roles={roles} appEnvIds={appEnvIds} />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Change them
        </Button>
        <Button onClick={onClose}>Leave them</Button>
      </FormActions>
    </Form>
  )
}

const DAYS = [
  { value: '', label: '7 days' },
  { value: '1', label: '1 day' },
  { value: '14', label: '14 days' },
  { value: '30', label: '30 days' },
]

interface InviteFormProps {
  accountId: string
  onClose: () => void
  onLink: (link: Secret) => void
}

function InviteForm({ accountId, onClose, onLink }: InviteFormProps) {
  const { send, isSending, refusal } = useWrite(Invite)
  const [opened] = useState(() => Date.now())
  return (
    <Form
      draftKey={`invite.${accountId}`}
      refusal={refusal}
      onSend={async (fields) => {
        const days = Number(fields.expiresAt)
        const answer = await send({
          accountId,
          email: fields.email ?? '',
          ...membershipOf(fields),
          // From when the form was opened, so that a repeat is the same call.
          ...(days > 0 ? { expiresAt: new Date(opened + days * 86_400_000).toISOString() } : {}),
        })
        if (!answer?.createInvitation) return false
        onClose()
        onLink({
          title: `Invitation of ${visibleText(fields.email ?? '')}`,
          value: answer.createInvitation.invitationUrl ?? '',
          about: (
            <p className="soft">Give the link to that person alone: its holder may accept. Berth sends no mail.</p>
          ),
        })
        return true
      }}
    >
      <TextField
        name="email"
        label="E-mail"
        type="email"
        required
        autoFocus
        help="Of the person; a new user gets it."
      />
      <MemberFields accountId={accountId} roles={['TECHNICAL']} />
      <SelectField name="expiresAt" label="The link works for" options={DAYS} />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Make the link
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}

function InvitationList({ accountId }: { accountId: string }) {
  const [revoked, setRevoked] = useState<Invitation | null>(null)
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(Invitations, {
    variables: { accountId, after },
    readAgainOn: ({ type }) => type === 'INVITATION_CHANGED' || type === 'MEMBER_CHANGED',
  })
  const list = data?.invitations
  const environmentName = useEnvironmentNames(accountId, list?.nodes.some(({ appEnvIds }) => appEnvIds) ?? false)
  return (
    <Section title="Invitations" isFlush>
      {isLoading && <Skeleton lines={2} />}
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {list && list.nodes.length === 0 && (
        <Empty title="No open invitations">
          <p>An invitation is a link that makes the person who has it a member, with the roles that you choose.</p>
        </Empty>
      )}
      {list && list.nodes.length > 0 && (
        <Table
          label="Invitations"
          rows={list.nodes}
          keyOf={({ id }) => id}
          columns={[
            { name: 'E-mail', kind: 'header', cell: ({ email }) => visibleText(email) },
            { name: 'Roles', cell: ({ roles }) => roles.map(wordsOf).join(', ') },
            { name: 'Environments', cell: ({ appEnvIds }) => <Restricted ids={appEnvIds} nameOf={environmentName} /> },
            { name: 'Status', cell: ({ status }) => wordsOf(status) },
            {
              name: 'Ends',
              cell: ({ status, expiresAt }) => (status === 'PENDING' ? <Time at={expiresAt} /> : null),
            },
            {
              name: 'Actions',
              kind: 'actions',
              cell: (invitation) =>
                invitation.status === 'PENDING' && <Button onClick={() => setRevoked(invitation)}>Revoke…</Button>,
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
          title={`Revoke the invitation of ${visibleText(revoked.email)}`}
          isOpen
          onClose={() => setRevoked(null)}
          mutation={RevokeInvitation}
          input={{ invitationId: revoked.id }}
          messageOf={({ revokeInvitation }) => revokeInvitation?.message}
          action="Revoke it"
          onDone={refetch}
        >
          <p>Its link, made {formatTime(revoked.createdAt)}, stops working.</p>
        </ConfirmWrite>
      )}
    </Section>
  )
}

/** What the roles mean, from the rules that the API follows. */
function RoleWords() {
  return (
    <Section title="What the roles may do">
      <dl className={styles.roles}>
        <dt>Any role</dt>
        <dd>{sentence(ofAnyRole())}</dd>
        {ROLES.map((role) => (
          <RoleWord key={role} role={role} />
        ))}
      </dl>
    </Section>
  )
}

function RoleWord({ role }: { role: (typeof ROLES)[number] }) {
  return (
    <>
      <dt>{wordsOf(role)}</dt>
      <dd>{roleText(role)}</dd>
    </>
  )
}
