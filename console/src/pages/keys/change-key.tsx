import { useState } from 'preact/hooks'
import type { Choices } from '../../data/choices.ts'
import { pb } from '../../data/client.ts'
import type { ApiKey } from '../../data/record-types.ts'
import { parseDate } from '../../data/text/local-time.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import {
  makeAddressesRow,
  makeDestinationsRow,
  makeLinesRow,
} from '../../parts/rows/common-rows.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { formatDateTime, Time } from '../../parts/time.tsx'
import { showToast, showToastFault } from '../../parts/toast.tsx'

export const LIMITS = () => [
  makeDestinationsRow(),
  makeLinesRow(t('Sends only by these lines (none: by all)')),
  makeAddressesRow(t('May be used only from')),
]

export const hasPreviousKey = ({ previous_until }: ApiKey) => parseDate(previous_until) > Date.now()

export const isExpired = ({ expires_at }: ApiKey) =>
  expires_at !== '' && parseDate(expires_at) < Date.now()

const DAY_MS = 86_400_000
const NEVER = ['', t('Never')] as const

/** When a key ends, in days from now. */
export const EXPIRY: FormRow = {
  name: 'expires_at',
  label: t('Expires'),
  kind: 'select',
  write: (days) => (days === '' ? '' : new Date(Date.now() + Number(days) * DAY_MS).toISOString()),
  choices: [NEVER, ['30', t('In 30 days')], ['90', t('In 90 days')], ['365', t('In a year')]],
}

const SAME = 'same'
/** The same for a key that has an end: it is kept unless another is chosen. */
const makeOtherExpiry = ({ expires_at }: ApiKey): FormRow => ({
  ...EXPIRY,
  choices: [[SAME, formatDateTime(expires_at)], ...(EXPIRY.choices as Choices)],
  read: () => SAME,
  write: (days, values) => (days === SAME ? expires_at : EXPIRY.write!(days, values)),
})

export const ChangeKey = ({ record, onClose }: { record: ApiKey; onClose: () => void }) => (
  <Dialog title={t('Change {name}', { name: record.name })} onClose={onClose}>
    <RecordForm
      collection="api_keys"
      record={record}
      rows={[
        { name: 'name', label: t('Name') },
        record.expires_at === '' ? EXPIRY : makeOtherExpiry(record),
        ...LIMITS(),
      ]}
      saved={t('Key saved')}
      onClose={onClose}
    />
  </Dialog>
)

export const switchKey = ({ id, name, disabled }: ApiKey) =>
  pb
    .collection('api_keys')
    .update(id, { disabled: !disabled })
    .then(
      () => showToast(disabled ? t('{name} is on', { name }) : t('{name} is off', { name })),
      showToastFault,
    )

/** Makes a new secret for a key and shows it once. Can also end the previous secret. */
export function RotateKey({ record, onClose }: { record: ApiKey; onClose: () => void }) {
  const [made, setMade] = useState<ApiKey>()
  // the secret of an expired key opens nothing any more: a new one needs a new end, and no time with both
  const hasEnded = isExpired(record)
  const end = useTask(async () => {
    await pb.collection('api_keys').update(record.id, { previous_until: '' })
    showToast(t('The old secret no longer works'))
    onClose()
  })
  if (made?.key)
    return (
      <ShownOnce
        title={t('The new secret')}
        secret={made.auth_token || made.key}
        onClose={onClose}
      />
    )
  return (
    <Dialog title={t('A new secret for {name}', { name: record.name })} onClose={onClose}>
      {hasPreviousKey(record) && (
        <Notice kind="info">
          <p>
            {t('The old secret {prefix}… is valid until:', { prefix: record.previous_prefix })}{' '}
            <Time at={record.previous_until} />
          </p>
          <Button task={end}>{t('End it now')}</Button>
        </Notice>
      )}
      <RowsForm
        draftKey={`rotate-${record.id}`}
        rows={[
          ...(hasEnded ? [EXPIRY] : []),
          {
            name: 'hours',
            shown: () => !hasEnded,
            label: t('The old secret stays valid'),
            kind: 'select',
            hint: t('Until then both secrets work: time to change the program.'),
            choices: [
              ['1', t('for an hour')],
              ['24', t('for a day')],
              ['168', t('for a week')],
              ['0', t('not at all')],
            ],
          },
        ]}
        stored={{ hours: hasEnded ? '0' : '24', expires_at: hasEnded ? '365' : '' }}
        action={t('Create a new secret')}
        save={async (_, { hours, expires_at }) => {
          const previous_until = new Date(Date.now() + Number(hours) * 3_600_000).toISOString()
          setMade(
            await pb.collection('api_keys').update<ApiKey>(record.id, {
              prefix: '',
              previous_until,
              ...(hasEnded && { expires_at }),
            }),
          )
          return ''
        }}
        onCancel={onClose}
      />
    </Dialog>
  )
}
