import type { Head } from '../../environment/environment-page.tsx'
import { nameOf } from '../../environment/environment-text.tsx'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import { say } from '../../ui/toast.tsx'
import { BackUp } from './documents.ts'
import { type Storage, StorageField } from './storage-field.tsx'

interface BackUpDialogProps {
  environment: Head
  /** The one that is chosen at first: that of the schedule. */
  storage: string
  storages: readonly Storage[]
  isOpen: boolean
  onClose: () => void
}

/** Takes a backup now. */
export function BackUpDialog({ environment, storage, storages, isOpen, onClose }: BackUpDialogProps) {
  const { send, isSending, refusal, reset } = useWrite(BackUp)
  const close = () => {
    reset()
    onClose()
  }
  return (
    <Dialog title={`Back up ${nameOf(environment)}`} isOpen={isOpen} onClose={close}>
      <Form
        refusal={refusal}
        onSend={async (fields) => {
          const answer = await send({ appEnvId: environment.id, storage: fields.storage ?? storage })
          if (!answer?.backUpAppEnv) return false
          say(answer.backUpAppEnv.message)
          close()
          return true
        }}
      >
        <p>All that the service holds is read, compressed, encrypted and stored. Schedules do not delete it.</p>
        <StorageField name="storage" defaultValue={storage} storages={storages} />
        <FormActions>
          <Button kind="primary" type="submit" icon="database" isBusy={isSending}>
            Back it up
          </Button>
          <Button onClick={close}>Close</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}
