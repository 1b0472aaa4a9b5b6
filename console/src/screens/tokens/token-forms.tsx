import { useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { nameOf } from '../../environment/environment-text.tsx'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { ChecksField, checkedOf, Form, FormActions, SelectField, TextField } from '../../ui/form.tsx'
import type { Secret } from '../../ui/secret-once.tsx'
import { formatTime } from '../../ui/time.tsx'
import { CreateToken, RotateToken } from './documents.ts'
import { KINDS, SCOPE_OPTIONS, type TokenKind } from './token-words.tsx'

const DAY_MS = 86_400_000

const ENDS = [
  { value: '90', label: 'In 90 days' },
  { value: '1', label: 'Tomorrow' },
  { value: '30', label: 'In 30 days' },
  { value: '365', label: 'In a year' },
  { value: '', label: 'Never' },
]

interface CreateTokenProps {
  environments: readonly { id: string; name: string; app: { name: string } }[]
  appEnvId: string | null
  onClose: () => void
  onSecret: (secret: Secret) => void
}

export function CreateTokenForm({ environments, appEnvId, onClose, onSecret }: CreateTokenProps) {
  const { send, isSending, refusal } = useWrite(CreateToken)
  const [kind, setKind] = useState<TokenKind>(appEnvId ? 'ENVIRONMENT' : 'SCOPED')
  const [opened] = useState(() => Date.now())
  return (
    <Form
      refusal={refusal}
      onSend={async (fields) => {
        const days = Number(fields.expiresAt)
        const answer = await send({
          kind,
          name: fields.name ?? '',
          ...(kind === 'SCOPED'
            ? { scopes: checkedOf(fields, 'scopes') as (typeof SCOPE_OPTIONS)[number]['value'][] }
            : {}),
          ...(kind === 'ENVIRONMENT' ? { appEnvId: fields.appEnvId ?? '' } : {}),
          // From when the form was opened, so that a repeat is the same call.
          ...(days > 0 ? { expiresAt: new Date(opened + days * DAY_MS).toISOString() } : {}),
        })
        if (!answer?.createToken) return false
        onClose()
        onSecret({
          title: `Secret of the token “${visibleText(fields.name ?? '')}”`,
          value: answer.createToken.secret ?? '',
          about: (
            <p className="soft">
              Programs send it as <code>Authorization: Bearer …</code>
            </p>
          ),
        })
        return true
      }}
    >
      <TextField name="name" label="Name" required autoFocus placeholder="CI of the shop" help="Who or what has it." />
      <SelectField
        name="kind"
        label="May do"
        value={kind}
        onChange={(event) => setKind(event.target.value as TokenKind)}
        options={Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))}
        help={KINDS[kind].help}
      />
      {kind === 'SCOPED' && <ChecksField name="scopes" label="Scopes" chosen={['SVC_READ']} options={SCOPE_OPTIONS} />}
      {kind === 'ENVIRONMENT' && (
        <SelectField
          name="appEnvId"
          label="Environment"
          defaultValue={appEnvId ?? ''}
          options={environments.map((environment) => ({ value: environment.id, label: nameOf(environment) }))}
        />
      )}
      <SelectField name="expiresAt" label="Ends" options={ENDS} />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Create it
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}

const GRACE = [
  { value: '', label: 'As long as this installation says' },
  { value: '0', label: 'Not at all: it ends at once' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
]

interface RotateTokenProps {
  tokenId: string
  name: string
  onClose: () => void
  onSecret: (secret: Secret) => void
}

export function RotateTokenForm({ tokenId, name, onClose, onSecret }: RotateTokenProps) {
  const { send, isSending, refusal } = useWrite(RotateToken)
  return (
    <Form
      refusal={refusal}
      onSend={async ({ graceSeconds = '' }) => {
        const answer = await send({ tokenId, ...(graceSeconds ? { graceSeconds: Number(graceSeconds) } : {}) })
        if (!answer?.rotateToken) return false
        const { secret, previousUntil } = answer.rotateToken
        onClose()
        onSecret({
          title: `New secret of the token “${visibleText(name)}”`,
          value: secret ?? '',
          about: previousUntil && (
            <p className="soft">The former one works until {formatTime(previousUntil, 'exact')}.</p>
          ),
        })
        return true
      }}
    >
      <p>The token keeps its rights and its end. Only it, or the session in which it was made, may get a new secret.</p>
      <SelectField name="graceSeconds" label="The former secret works on" options={GRACE} />
      <FormActions>
        <Button kind="danger" type="submit" isBusy={isSending}>
          Make a new secret
        </Button>
        <Button onClick={onClose}>Leave it</Button>
      </FormActions>
    </Form>
  )
}
