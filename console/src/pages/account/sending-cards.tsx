import type { UserSettings } from '../../data/record-types.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { Card, Loading } from '../../parts/page.tsx'
import { makeHoursRows } from '../../parts/rows/common-rows.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { showToast, showToastFault } from '../../parts/toast.tsx'

const QUIET_ROWS = makeHoursRows(
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
          'Campaigns and texts with “Wait during quiet hours” wait until they are over. An answer in a conversation never waits. The recipient’s time counts: the time zone of the contact, else that of the country code; for countries with several, yours.',
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
          <Button onClick={() => void saveHours({}, NO_HOURS).then(showToast, showToastFault)}>
            {t('Remove')}
          </Button>
        )}
      </RowsForm>
    </Card>
  )
}

const ROWS: readonly FormRow[] = [
  {
    name: 'line_choice',
    label: t('If several lines can send'),
    kind: 'select',
    choices: [
      ['turns', t('They take turns')],
      ['cheapest', t('The cheapest line sends')],
    ],
    read: (stored) => String(stored || 'turns'),
    hint: t('A line without prices costs nothing.'),
  },
  {
    name: 'failover_minutes',
    label: t('Carriers wait (minutes)'),
    kind: 'number',
    min: 0,
    max: 10_080,
    hint: t(
      'Your own phones send first. Carriers send only when none of the phones was online for so long; until then texts wait. 0: carriers take turns with phones.',
    ),
  },
  {
    name: 'failover_priority',
    label: t('Texts that do not wait, from priority'),
    kind: 'number',
    min: 0,
    max: 127,
    shown: (values) => Number(values.failover_minutes) > 0,
    hint: t('A carrier sends such a text as soon as no phone takes it. 0: all texts wait.'),
  },
]
const NOTHING = { line_choice: 'turns', failover_minutes: 0, failover_priority: 0 }

/** Sets how the account chooses among lines, and when carriers send instead of its own phones. */
export function LineChoice() {
  // wait for the stored settings: without them useDraft would drop what the user has typed but not saved
  if (ownSettings.value === undefined) return <Loading />
  const save = async (changes: object) => {
    await saveOwnSettings(changes)
    return t('Saved')
  }
  return (
    <Card title={t('Which line sends')}>
      <p class="muted">
        {t(
          'If a text has a chosen line, that line sends it. A conversation keeps its line. These settings are for all other texts.',
        )}
      </p>
      <RowsForm
        draftKey="line-choice"
        rows={ROWS}
        save={save}
        asks
        stored={ownSettings.value ?? NOTHING}
        action={t('Save the choice')}
      />
    </Card>
  )
}
