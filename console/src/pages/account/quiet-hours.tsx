import type { UserSettings } from '../../data/record-types.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { Card, Loading } from '../../parts/page.tsx'
import { hoursRows } from '../../parts/rows/common-rows.tsx'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'

const QUIET_ROWS = hoursRows(
  { from: 'quiet_from', to: 'quiet_to', days: 'quiet_days' },
  { from: t('Quiet from'), to: t('Quiet until'), days: t('Beginning on (none: every day)') },
)
const NO_HOURS = { quiet_from: '', quiet_to: '', quiet_days: [] }

async function saveHours(_: object, hours: Partial<UserSettings>): Promise<string> {
  await saveOwnSettings(hours)
  return hours.quiet_from ? t('Quiet hours saved') : t('There are no quiet hours now')
}

/** Edits the hours in which campaigns pause, so that no advertisement arrives at night. */
export function QuietHours() {
  const stored = ownSettings.value
  // wait for the stored hours: without them useDraft would drop what the user has typed but not saved
  if (stored === undefined) return <Loading />
  return (
    <Card title={t('Quiet hours')}>
      <p class="muted">
        {t(
          'Campaigns wait until they are over, and so do texts with “Wait during quiet hours”. The time is that of the recipient: of the contact if it has a time zone, else by the country code of the number; for countries with several time zones it is yours. An answer in a conversation never waits.',
        )}
      </p>
      <RowsForm
        draftKey="quiet-hours"
        rows={QUIET_ROWS}
        stored={stored ?? NO_HOURS}
        save={saveHours}
        asks
        action={t('Save quiet hours')}
      >
        {stored?.quiet_from && (
          <Button onClick={() => void saveHours({}, NO_HOURS).then(toast, toastFault)}>
            {t('No quiet hours')}
          </Button>
        )}
      </RowsForm>
    </Card>
  )
}
