import { HOOK_TOOLS, type HookPreset } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import type { FormRow } from '../../parts/rows/rows.ts'
import { go } from '../../router.ts'

const nameOf = (preset: unknown) => HOOK_TOOLS[preset as HookPreset].name

const ROWS: readonly FormRow[] = [
  {
    ...{ name: 'preset', label: t('For') },
    choices: Object.entries(HOOK_TOOLS).map(([preset, { name }]) => [preset, name] as const),
    hint: t('It decides what the text says until you write a template.'),
  },
  {
    ...{ name: 'name', label: t('Name'), placeholder: t('The name of the program') },
    write: (typed, { preset }) => String(typed).trim() || nameOf(preset),
  },
]

/** Makes a hook and goes to its page, where its recipients are chosen. */
export const NewHook = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={t('New hook')} onClose={onClose}>
    <RecordForm
      collection="hooks"
      rows={ROWS}
      blank={{ preset: 'alertmanager' }}
      prepare={(fields) => ({ ...fields, enabled: true })}
      action={t('Make the hook')}
      onSaved={({ id }) => go(`/hooks/${id}`)}
      onCancel={onClose}
    />
  </Dialog>
)
