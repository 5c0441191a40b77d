import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { useTask } from '../../data/use/use-task.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Field } from '../../parts/form/field.tsx'
import { Actions, Form } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'

/** Stores a file that was downloaded before, here or elsewhere. */
export function UploadDialog({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) {
  const [file, setFile] = useState<File>()
  const upload = useTask(async () => {
    if (!file) return
    await pb.backups.upload({ file })
    toast('Backup uploaded')
    onClose()
    await onDone()
  })
  return (
    <Dialog title="Upload a backup" onClose={onClose}>
      <Form onSubmit={upload.run} fault={upload.fault} names={['file']}>
        <Field
          label="A backup of pocketsms"
          name="file"
          hint="It is read through and kept. Nothing is restored yet."
          fault={upload.fault}
        >
          {(ties) => (
            <input
              {...ties}
              type="file"
              accept=".zip,application/zip"
              onChange={(event) => setFile(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
        <Actions>
          <Button type="submit" kind="primary" busy={upload.busy} disabled={!file}>
            Upload
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
