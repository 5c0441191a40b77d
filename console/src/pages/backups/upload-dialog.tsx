import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Field } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'

export function UploadDialog({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) {
  const [file, setFile] = useState<File>()
  const upload = useTask(async () => {
    if (!file) return
    await pb.backups.upload({ file })
    toast(t('Backup uploaded'))
    onClose()
    await onDone()
  })
  return (
    <Dialog title={t('Upload a backup')} onClose={onClose}>
      <Form onSubmit={upload.run} fault={upload.fault} names={['file']}>
        <Field
          label={t('A backup of pocketsms')}
          name="file"
          hint={t('The server checks the backup and stores it. Nothing is restored yet.')}
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
        <FormActions busy={upload.busy} disabled={!file} onCancel={onClose}>
          {t('Upload')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
