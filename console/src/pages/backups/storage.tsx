import { pb } from '../../data/client.ts'
import type { Fault } from '../../data/fault.ts'
import { type S3, type Settings, saveSettings } from '../../data/settings.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { CheckField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'

const PREFIX = 'backups.s3.'
const NAMES = ['endpoint', 'bucket', 'region', 'accessKey', 'secret'].map((name) => PREFIX + name)

/** Where backups are kept: on the server's disk, or in an S3-compatible store. */
export function Storage({ settings, onSaved }: { settings: Settings; onSaved: () => Promise<void> }) {
  const saved = settings.backups.s3
  const draft = useDraft<S3>('backups.storage', { ...saved, secret: '' }, { asks: true, secrets: ['secret'] })
  const s3 = draft.value
  const save = useTask(async () => {
    const { secret, ...rest } = s3
    await saveSettings({ backups: { s3: { ...rest, ...(secret && { secret }) } } })
    draft.saved({ ...s3, secret: '' })
    toast(t('Storage saved'))
    await onSaved()
  })
  const test = useTask(async () => {
    await pb.settings.testS3('backups')
    toast(t('The S3 store took a file, listed it and deleted it'))
  })
  return (
    <Card
      title={t('Storage')}
      actions={
        saved.enabled && (
          <Button busy={test.busy} onClick={() => void test.run()}>
            {t('Test the store')}
          </Button>
        )
      }
    >
      {test.fault && <Notice kind="wrong">{test.fault.message}</Notice>}
      <Form onSubmit={save.run} fault={save.fault} names={NAMES}>
        <CheckField
          label={t('Keep backups in an S3-compatible store')}
          name={`${PREFIX}enabled`}
          value={s3.enabled}
          onValue={(enabled) => draft.change({ enabled })}
        />
        {s3.enabled ? (
          <S3Fields value={s3} onValue={draft.set} fault={save.fault} />
        ) : (
          <Notice>
            {t(
              'Backups are on the same disk as the server. If that disk fails, they are lost too: download some, or use a store elsewhere.',
            )}
          </Notice>
        )}
        <FormActions busy={save.busy}>{t('Save storage')}</FormActions>
      </Form>
    </Card>
  )
}

function S3Fields({
  value,
  onValue,
  fault,
}: {
  value: S3
  onValue: (value: S3) => void
  fault: Fault | undefined
}) {
  const text = (key: 'endpoint' | 'bucket' | 'region' | 'accessKey' | 'secret') => ({
    name: PREFIX + key,
    autocomplete: 'off',
    spellcheck: false,
    value: value[key] ?? '',
    onValue: (typed: string) => onValue({ ...value, [key]: typed }),
    fault,
  })
  return (
    <>
      <div class="columns">
        <TextField
          label={t('Endpoint')}
          hint={t('Such as https://s3.eu-central-1.amazonaws.com')}
          {...text('endpoint')}
        />
        <TextField label={t('Bucket')} {...text('bucket')} />
      </div>
      <div class="columns">
        <TextField label={t('Region')} {...text('region')} />
        <TextField label={t('Access key')} {...text('accessKey')} />
      </div>
      <TextField
        label={t('Secret')}
        type="password"
        hint={t('Empty: it stays as it is.')}
        {...text('secret')}
        autocomplete="new-password"
      />
      <CheckField
        label={t('The bucket is a part of the path, not of the host name (MinIO, most stores of one’s own)')}
        name={`${PREFIX}forcePathStyle`}
        value={value.forcePathStyle}
        onValue={(forcePathStyle) => onValue({ ...value, forcePathStyle })}
      />
    </>
  )
}
