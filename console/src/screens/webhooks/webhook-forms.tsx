import { useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { EVENT_GROUPS, type EventType } from '../../account/event-words.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, ChecksField, checkedOf, Form, FormActions, SelectField, TextField } from '../../ui/form.tsx'
import type { Secret } from '../../ui/secret-once.tsx'
import { say } from '../../ui/toast.tsx'
import { CreateWebhook, UpdateWebhook } from './documents.ts'
import { KINDS, type Webhook, type WebhookKind } from './webhook-words.ts'
import styles from './webhooks.module.css'

interface CreateWebhookProps {
  accountId: string
  onClose: () => void
  onDone: () => void
  onSecret: (secret: Secret) => void
}

export function CreateWebhookForm({ accountId, onClose, onDone, onSecret }: CreateWebhookProps) {
  const { send, isSending, refusal } = useWrite(CreateWebhook)
  const [kind, setKind] = useState<WebhookKind>('WEBHOOK')
  return (
    <Form
      draftKey={`webhook.${accountId}`}
      refusal={refusal}
      onSend={async (fields) => {
        const answer = await send({
          accountId,
          kind,
          name: fields.name ?? '',
          ...receiverOf(kind, fields),
          ...typesOf(fields),
        })
        if (!answer?.createWebhook) return false
        onDone()
        onClose()
        const { secret } = answer.createWebhook
        if (!secret) say(`“${fields.name}” is created`)
        else onSecret(secretOf(fields.name ?? '', secret))
        return true
      }}
    >
      <TextField name="name" label="Name" required autoFocus placeholder="Alerts of the shop" />
      <SelectField
        name="kind"
        label="Kind"
        value={kind}
        onChange={(event) => setKind(event.target.value as WebhookKind)}
        options={Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))}
        help={KINDS[kind].help}
      />
      <ReceiverField kind={kind} isRequired />
      <EventTypes chosen={[]} />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Create it
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}

export const secretOf = (name: string, secret: string): Secret => ({
  title: `Secret of the webhook “${visibleText(name)}”`,
  value: secret,
  about: (
    <p className="soft">
      The receiver checks the header <code>webhook-signature</code> with it, by Standard Webhooks.
    </p>
  ),
})

/** The URL of a chat is a login of its own, so it is not shown while it is typed, and not kept. */
function ReceiverField({ kind, isRequired = false, help }: { kind: WebhookKind; isRequired?: boolean; help?: string }) {
  if (kind === 'EMAIL')
    return (
      <TextField
        name="recipients"
        label="Recipients"
        required={isRequired}
        placeholder="ops@example.com, ada@example.com"
        help={help ?? 'E-mail addresses, separated by commas.'}
      />
    )
  return (
    <TextField
      key={kind}
      name="url"
      label="URL"
      type={kind === 'WEBHOOK' ? 'url' : 'password'}
      autoComplete="off"
      required={isRequired}
      placeholder="https://"
      help={help ?? 'Each event is sent there. It is stored encrypted.'}
    />
  )
}

function receiverOf(kind: WebhookKind, { url = '', recipients = '' }: Readonly<Record<string, string>>) {
  if (kind !== 'EMAIL') return url ? { url } : {}
  const addresses = recipients.split(/[\s,;]+/).filter(Boolean)
  return addresses.length > 0 ? { recipients: addresses } : {}
}

const typesOf = (fields: Readonly<Record<string, string>>) => ({
  eventTypes: fields.hasAllTypes === 'true' ? [] : (checkedOf(fields, 'eventTypes') as EventType[]),
})

function EventTypes({ chosen }: { chosen: readonly EventType[] }) {
  const [hasAll, setAll] = useState(chosen.length === 0)
  return (
    <>
      <CheckField
        name="hasAllTypes"
        label="Every type of event that this kind can send"
        checked={hasAll}
        onChange={(event) => setAll(event.target.checked)}
      />
      {!hasAll && (
        <div className={styles.types}>
          <ChecksField
            name="eventTypes"
            label="Types of events"
            chosen={chosen}
            options={EVENT_GROUPS.flatMap(({ types }) => types)}
          />
        </div>
      )}
    </>
  )
}

export function UpdateWebhookForm({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { send, isSending, refusal } = useWrite(UpdateWebhook)
  // What it was when the form was opened: a later change must not pass for this one.
  const [{ id: webhookId, version: expectedVersion, kind, name, enabled, eventTypes, address }] = useState(webhook)
  return (
    <Form
      refusal={refusal}
      onSend={async (fields) => {
        const answer = await send({
          webhookId,
          expectedVersion,
          name: fields.name ?? '',
          enabled: fields.enabled === 'true',
          ...receiverOf(kind, fields),
          ...typesOf(fields),
        })
        if (!answer?.updateWebhook) return false
        say(`“${fields.name}” is changed`)
        onClose()
        return true
      }}
    >
      <TextField name="name" label="Name" required autoFocus defaultValue={name} />
      <CheckField
        name="enabled"
        label="It sends"
        defaultChecked={enabled}
        help="Where it was off, it goes on where it stopped, as far back as events are kept."
      />
      <ReceiverField kind={kind} help={`Empty: it stays ${visibleText(address)}`} />
      <EventTypes chosen={eventTypes} />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Change it
        </Button>
        <Button onClick={onClose}>Leave it</Button>
      </FormActions>
    </Form>
  )
}
