import { useState } from 'preact/hooks'
import type { UserSettings } from '../../data/record-types.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { makePrefixesRow } from '../../parts/rows/common-rows.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { percents } from './countries.tsx'

/**
 * Shows to which countries codes are sent, and when one is stopped. The button opens the dialog with all
 * limits.
 */
export function Limits({ settings }: { settings: UserSettings | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const floor = settings?.code_approval_floor ?? 0
  return (
    <Card
      title={t('Limits')}
      actions={
        <Button icon="edit" needs="admin" onClick={() => setOpen(true)}>
          {t('Change the limits')}
        </Button>
      }
    >
      <p>
        {t('Sends to: {countries}.', {
          countries:
            settings?.code_destinations.replaceAll(',', ', ') || t('the countries of your lines'),
        })}{' '}
        {floor > 0 &&
          t('Stops a country if less than {rate} of its codes are approved.', {
            rate: percents.format(floor / 100),
          })}
      </p>
      {isOpen && <LimitsDialog settings={settings} onClose={() => setOpen(false)} />}
    </Card>
  )
}

const ROWS: readonly FormRow[] = [
  makePrefixesRow(
    'code_destinations',
    t('Sends only to'),
    t(
      'First digits of numbers, such as +49; with a minus those to exclude. Empty: the countries of your lines.',
    ),
    true,
  ),
  [
    { name: 'code_max_per_hour', label: t('Texts to a number in an hour'), placeholder: '5' },
    { name: 'code_max_per_day', label: t('Texts to a number in a day'), placeholder: '10' },
  ],
  [
    { name: 'code_max_per_network', label: t('Codes of a network in an hour'), placeholder: '20' },
    {
      name: 'code_max_per_account',
      label: t('Codes of the account in an hour'),
      placeholder: '5000',
    },
  ],
  {
    name: 'code_approval_floor',
    label: t('Least share of approved codes, in percent'),
    hint: t(
      'Below it, a country is stopped and you get a mail: codes that nobody enters are a sign of fraud. 0: never.',
    ),
  },
  makePrefixesRow(
    'code_stopped',
    t('Stopped countries'),
    t('Country codes that get no codes. Take one out to send there again.'),
  ),
  { name: 'code_quota_share', label: t('Percent of the quota that codes may use (0: all)') },
]

/** The limits of the account's codes, whichever service, hook or sign-in sends them. */
const LimitsDialog = ({
  settings,
  onClose,
}: {
  settings: UserSettings | undefined
  onClose: () => void
}) => (
  <Dialog title={t('Limits of codes')} onClose={onClose} wide>
    <p class="muted">
      {t(
        'The limits apply to all services, one-time passwords and incoming webhooks for codes together. 0: the usual limit.',
      )}
    </p>
    <RecordForm
      collection="user_settings"
      record={settings}
      rows={ROWS}
      draftKey="code-limits"
      saved={t('Limits saved')}
      onClose={onClose}
    />
  </Dialog>
)
