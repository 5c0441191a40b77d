import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { Card } from '../../parts/page.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'

const ROWS: readonly FormRow[] = [
  {
    name: 'session_days',
    label: t('Sign out after days without use'),
    kind: 'number',
    min: 0,
    max: 365,
    placeholder: t('As the server is set'),
    hint: t('Applies to you and to all members, in every browser and program.'),
  },
]

/** After how many days without use the team has to sign in again. */
export function SessionDays() {
  const save = async (changes: object) => {
    await saveOwnSettings(changes)
    return t('Saved')
  }
  const stored = { session_days: ownSettings.value?.session_days ?? 0 }
  return (
    <Card title={t('Sessions')}>
      <RowsForm draftKey="session-days" rows={ROWS} save={save} asks stored={stored} />
    </Card>
  )
}
