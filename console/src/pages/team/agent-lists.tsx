import { MAX_OF_AGENT } from '#portable/agent-send-limit.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { Card } from '../../parts/page.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'

const ROWS: readonly FormRow[] = [
  {
    name: 'agent_list_rows',
    label: t('Agents may send lists of up to this many rows'),
    kind: 'number',
    min: 0,
    max: 20_000,
    placeholder: String(MAX_OF_AGENT),
    hint: t('Groups and reminders are for admins.'),
  },
]

/** How long the lists may be that agents of the team send. */
export function AgentLists() {
  const save = async (changes: object) => {
    await saveOwnSettings(changes)
    return t('Saved')
  }
  const stored = { agent_list_rows: ownSettings.value?.agent_list_rows ?? 0 }
  return (
    <Card title={t('Send to a list')}>
      <RowsForm draftKey="agent-lists" rows={ROWS} save={save} asks stored={stored} />
    </Card>
  )
}
